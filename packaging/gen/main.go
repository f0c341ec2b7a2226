// Command gen writes the man pages and completion scripts from the command trees of jarvis and jarvisd, and the page of the
// configuration file from its documented fields. It is never linked into a program that people run.
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cpuguy83/go-md2man/v2/md2man"
	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"jarvis/cmd/cli"
	"jarvis/daemon/config"
	"jarvis/daemon/offline"
)

// released is the date in the pages: the build's would make them differ each day.
var released = time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)

func main() {
	if len(os.Args) != 3 {
		fail(fmt.Errorf("usage: gen man|completions FOLDER"))
	}
	what, dir := os.Args[1], os.Args[2]
	fail(os.RemoveAll(dir))
	fail(os.MkdirAll(dir, 0o755))
	root := tree()
	switch what {
	case "man":
		fail(pages(root, dir))
	case "completions":
		fail(completions(root, dir))
	default:
		fail(fmt.Errorf("gen makes man or completions, not %q", what))
	}
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

// tree is what people type: jarvis's commands, with jarvisd's own in the place of the doors to them.
func tree() *cobra.Command {
	root := cli.NewCommand(&cli.App{Getenv: func(string) string { return "" }})
	graft(root, offline.Command(offline.Deps{}))
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	return root
}

func graft(to, from *cobra.Command) {
	for _, c := range from.Commands() {
		i := slices.IndexFunc(to.Commands(), func(d *cobra.Command) bool { return d.Name() == c.Name() })
		if i < 0 {
			continue
		}
		old := to.Commands()[i]
		if !old.DisableFlagParsing {
			graft(old, c)
			continue
		}
		from.RemoveCommand(c)
		to.RemoveCommand(old)
		c.GroupID = old.GroupID
		to.AddCommand(c)
	}
}

func pages(root *cobra.Command, dir string) error {
	header := doc.GenManHeader{Section: "1", Source: "jarvis", Manual: "jarvis", Date: &released}
	if err := doc.GenManTree(root, &header, dir); err != nil {
		return err
	}
	if err := seeFile(filepath.Join(dir, "jarvis.1")); err != nil {
		return err
	}
	if err := appendTo(filepath.Join(dir, "jarvis.1"), sections(manners)); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "jarvis-config.5"), md2man.Render(configPage()), 0o644)
}

// seeFile names the page of the configuration file among the commands' pages.
func seeFile(page string) error {
	b, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	const command, file = `\fBjarvis-config(1)\fP`, `\fBjarvis-config(5)\fP`
	return os.WriteFile(page, bytes.Replace(b, []byte(command), []byte(command+", "+file), 1), 0o644)
}

// manners is what holds for every command.
const manners = `
# EXIT STATUS

**0** ok; **1** error; **2** usage; **3** daemon unreachable; **4** not allowed; **5** not found; **6** provider error;
**7** budget or limit; **130** stopped (Ctrl-C, jarvis session stop).

Of an answer: 0 when the model ended it or refused, 7 after too many tool calls or when its time was over, 1 when it went in
circles or was interrupted, 6 when the provider failed. A closed pipe ends quietly with 0.

# ENVIRONMENT

**JARVIS_HOME**
: Everything lies under this folder.

**JARVIS_NO_AUTOSTART**
: 1: no command starts the daemon.

**JARVIS_…**
: Overrides a key of the configuration, see jarvis-config(5).

**ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY, OPENROUTER_API_KEY**
: Connect that provider, as the daemon sees them when it starts. ANTHROPIC_BASE_URL, OPENAI_BASE_URL and OLLAMA_HOST are honoured.

**HTTPS_PROXY, NO_PROXY, NO_COLOR, LANG, TZ**
: As everywhere.

# FILES

~/.config/jarvis/config.yaml, ~/.local/share/jarvis (conversations, attachments, models), ~/.local/state/jarvis (log, socket).
`

// sections renders without a title of its own: it takes the first heading for one.
func sections(md string) []byte {
	page := md2man.Render([]byte("# title\n" + md))
	return page[max(0, bytes.Index(page, []byte("\n.SH"))):]
}

func appendTo(file string, text []byte) error {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	if _, err := f.Write(text); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// configPage documents each field of the configuration file.
func configPage() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%% \"JARVIS-CONFIG\" \"5\" %q \"jarvis\" \"jarvis\"\n\n", released.Format("Jan 2006"))
	b.WriteString("# NAME\n\njarvis-config - the configuration file of jarvis\n\n")
	b.WriteString("# DESCRIPTION\n\nOne YAML file; **jarvis config path** says where it lies. Every key may be left out. An unknown key is an error. " +
		"A change is live at once, but for the keys that say otherwise. After the file come the variables of the environment: **JARVIS_** and the key in upper case, joined by _ (JARVIS_LOG_LEVEL). " +
		"A secret may be written **${NAME}** (a variable of the environment) or **file:/path**.\n\n# KEYS\n\n")
	for _, l := range config.Leaves() {
		fmt.Fprintf(&b, "**%s**\n: %s", l.Path, strings.TrimSpace(l.Doc))
		switch {
		case len(l.Enum) > 0:
			fmt.Fprintf(&b, " One of: %s.", strings.Join(l.Enum, ", "))
		case l.Kind != "":
			fmt.Fprintf(&b, " Takes: %s.", l.Kind)
		}
		if l.Restart {
			b.WriteString(" A running daemon takes it up after **jarvis daemon restart**.")
		}
		b.WriteString("\n\n")
	}
	b.WriteString("# SEE ALSO\n\n**jarvis-config(1)**, **jarvis-setup(1)**\n")
	return b.Bytes()
}

func completions(root *cobra.Command, dir string) error {
	for name, write := range map[string]func(string) error{
		"jarvis.bash": func(f string) error {
			b := bytes.NewBufferString(cli.BashPrelude)
			if err := root.GenBashCompletionV2(b, true); err != nil {
				return err
			}
			return os.WriteFile(f, b.Bytes(), 0o644)
		},
		"jarvis.zsh":  root.GenZshCompletionFile,
		"jarvis.fish": func(f string) error { return root.GenFishCompletionFile(f, true) },
		"jarvis.ps1":  root.GenPowerShellCompletionFileWithDesc,
	} {
		if err := write(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}
