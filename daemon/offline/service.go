package offline

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v4"

	"jarvis/core"
	"jarvis/daemon/api"
	"jarvis/daemon/home"
)

// serviceOptions are the flags of install and uninstall.
type serviceOptions struct {
	system bool
	dry    bool
}

func (a *App) installCommand() *cobra.Command {
	var o serviceOptions
	cmd := &cobra.Command{
		Use:   "install",
		Short: a.t("Write a systemd unit that runs the daemon"),
		Long: a.t("Write a systemd unit that runs the daemon: for this user, or with --system for the machine, as the user jarvis\n" +
			"with its configuration in /etc/jarvis and everything else in /var/lib/jarvis. It starts nothing: it prints the\n" +
			"commands to type next. A unit of the same name that it has not written is left as it is."),
		Example: "  jarvis daemon install\n  jarvis daemon install --dry-run\n  sudo jarvis daemon install --system",
		Args:    a.noArgs,
		RunE:    func(*cobra.Command, []string) error { return a.install(o) },
	}
	a.systemFlag(cmd, &o)
	cmd.Flags().BoolVar(&o.dry, "dry-run", false, a.t("print the unit and write nothing"))
	return cmd
}

func (a *App) uninstallCommand() *cobra.Command {
	var o serviceOptions
	cmd := &cobra.Command{
		Use:     "uninstall",
		Short:   a.t("Remove the systemd unit that install wrote"),
		Long:    a.t("Remove the systemd unit that install wrote. Configuration and data stay; the commands to type next are printed."),
		Example: "  jarvis daemon uninstall\n  sudo jarvis daemon uninstall --system",
		Args:    a.noArgs,
		RunE:    func(*cobra.Command, []string) error { return a.uninstall(o) },
	}
	a.systemFlag(cmd, &o)
	return cmd
}

func (a *App) systemFlag(cmd *cobra.Command, o *serviceOptions) {
	cmd.Flags().BoolVar(&o.system, "system", false, a.t("the unit of the whole machine; it needs root"))
}

func (a *App) install(o serviceOptions) error {
	if !o.dry {
		if err := a.mayInstall(o, "install"); err != nil {
			return err
		}
	}
	program, err := a.daemonProgram()
	if err != nil {
		return err
	}
	u := unit{program: program, system: o.system}
	if u.env, err = a.serviceEnv(o); err != nil {
		return err
	}
	text, err := u.text()
	if err != nil {
		return err
	}
	if hidden := hiddenFromSystem(program); o.system && hidden != "" {
		err := core.E(core.BadRequest, a.tf("%s lies in %s, where the system's service cannot see it", program, hidden), "sudo make install PREFIX=/usr/local", nil)
		if !o.dry {
			return err
		}
		a.talk("%s %s", a.t("Warning:"), core.Printable(err.Error()))
	}
	if o.dry {
		_, err := fmt.Fprint(a.Out, text)
		return err
	}
	path, err := a.unitPath(o)
	if err != nil {
		return err
	}
	changed, err := a.writeUnit(path, text)
	if err != nil {
		return err
	}
	a.lostVariables(o)
	return a.said(installed{Unit: path, Changed: changed, Next: a.afterInstall(o)})
}

// mayInstall refuses where there can be no such service, and who may not write it.
func (a *App) mayInstall(o serviceOptions, verb string) error {
	system := a.around.system
	if system == "" {
		system = runtime.GOOS
	}
	if system != "linux" {
		return core.E(core.Unsupported, a.t("systemd is there on Linux only"), "jarvis daemon start", nil)
	}
	uid := os.Geteuid
	if a.around.uid != nil {
		uid = a.around.uid
	}
	if o.system && uid() != 0 {
		return core.E(core.UserNotAllowed, a.t("the unit of the whole machine needs root"), "sudo jarvis daemon "+verb+" --system", nil)
	}
	return nil
}

func (a *App) daemonProgram() (string, error) {
	if a.around.program != nil {
		return a.around.program()
	}
	programs, err := home.Siblings()
	if err != nil {
		return "", err
	}
	path, err := programs.Path(home.Daemon)
	if err != nil {
		return "", err
	}
	return filepath.Abs(path)
}

// hiddenFromSystem is the folder of a program that the system's service has a view of its own of, "" when it sees the program.
func hiddenFromSystem(program string) string {
	for _, dir := range []string{"/home", "/root", "/run/user", "/tmp", "/var/tmp"} {
		if strings.HasPrefix(program, dir+"/") {
			return dir
		}
	}
	return ""
}

// serviceEnv is what the daemon must know to find this home: the service manager has none of the shell's variables.
func (a *App) serviceEnv(o serviceOptions) ([]string, error) {
	if o.system {
		return []string{"XDG_CONFIG_HOME=/etc", "XDG_DATA_HOME=/var/lib", "XDG_STATE_HOME=/var/lib"}, nil
	}
	h, err := a.home()
	if err != nil {
		return nil, err
	}
	if h.Flat {
		return []string{"JARVIS_HOME=" + h.Data}, nil
	}
	var out []string
	for _, name := range []string{"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"} {
		if v := a.Env.Get(name); filepath.IsAbs(v) {
			out = append(out, name+"="+v)
		}
	}
	return out, nil
}

func (a *App) unitPath(o serviceOptions) (string, error) {
	if o.system {
		if a.around.units != "" {
			return filepath.Join(a.around.units, unitName), nil
		}
		return filepath.Join("/etc/systemd/system", unitName), nil
	}
	dir := a.Env.Get("XDG_CONFIG_HOME")
	if !filepath.IsAbs(dir) {
		if dir = a.Env.Get("HOME"); !filepath.IsAbs(dir) {
			return "", core.E(core.BadRequest, a.t("HOME names no absolute path, so there is no place for a unit of this user"), "export HOME=/absolute/path", nil)
		}
		dir = filepath.Join(dir, ".config")
	}
	return filepath.Join(dir, "systemd", "user", unitName), nil
}

// maxUnit bounds how much of a unit is read, in bytes.
const maxUnit = 64 << 10

// ownUnit reads a unit of ours, "" when there is none. Anything else at its path is an error: a link is how systemd masks a unit.
func (a *App) ownUnit(path string) (string, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", core.E(core.Internal, a.tf("%s cannot be read", path), "ls -ld "+path, err)
	}
	if info.Mode().IsRegular() {
		b, err := home.ReadRegular(path, maxUnit)
		if err != nil {
			return "", core.E(core.Internal, a.tf("%s cannot be read", path), "ls -ld "+path, err)
		}
		if strings.HasPrefix(string(b), unitMark+"\n") {
			return string(b), nil
		}
	}
	return "", core.E(core.Conflict, a.tf("%s was not written by jarvis daemon install and is left as it is", path), "ls -l "+path, nil)
}

func (a *App) writeUnit(path, text string) (changed bool, err error) {
	old, err := a.ownUnit(path)
	if err != nil || old == text {
		return false, err
	}
	err = os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = home.Replace(path, []byte(text), func(f *os.File) error { return f.Chmod(0o644) })
	}
	if err != nil {
		return false, core.E(core.Internal, a.tf("%s cannot be written", path), "ls -ld "+filepath.Dir(path), err)
	}
	return true, nil
}

// lostVariables names what connects a provider here and not in a service.
func (a *App) lostVariables(o serviceOptions) {
	vars := api.VarsIn(a.Env.Get)
	if len(vars) == 0 || o.system {
		return
	}
	a.talk("%s", a.tf("The service will not see %s of this shell. Give it the key with: jarvis setup --provider NAME --key-stdin < key.txt", strings.Join(vars, ", ")))
}

func (a *App) afterInstall(o serviceOptions) []string {
	if !o.system {
		return []string{"jarvis daemon stop", "systemctl --user daemon-reload", "systemctl --user enable --now " + unitName, "loginctl enable-linger"}
	}
	known := a.around.known
	if known == nil {
		known = func(name string) bool { _, err := user.Lookup(name); return err == nil }
	}
	next := []string{"systemctl daemon-reload", "systemctl enable --now " + unitName}
	if !known(systemUser) {
		next = append([]string{"useradd --system --user-group --home-dir /var/lib/jarvis --shell /usr/sbin/nologin " + systemUser}, next...)
	}
	return next
}

func (a *App) uninstall(o serviceOptions) error {
	if err := a.mayInstall(o, "uninstall"); err != nil {
		return err
	}
	path, err := a.unitPath(o)
	if err != nil {
		return err
	}
	text, err := a.ownUnit(path)
	if err != nil {
		return err
	}
	if text == "" {
		return a.said(installed{Unit: path, Removed: true, Next: []string{}})
	}
	if err := os.Remove(path); err != nil {
		return core.E(core.Internal, a.tf("%s cannot be removed", path), "ls -ld "+filepath.Dir(path), err)
	}
	a.unlink(path)
	ctl := "systemctl --user "
	if o.system {
		ctl = "systemctl "
	}
	return a.said(installed{Unit: path, Changed: true, Removed: true, Next: []string{ctl + "stop " + unitName, ctl + "daemon-reload"}})
}

// unlink takes away the links by which systemd starts the unit: it would go on naming a unit that is gone.
func (a *App) unlink(path string) {
	for _, target := range []string{"default.target", "multi-user.target"} {
		link := filepath.Join(filepath.Dir(path), target+".wants", unitName)
		to, err := os.Readlink(link)
		if err != nil {
			continue
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(link), to)
		}
		if filepath.Clean(to) == path {
			_ = os.Remove(link) // systemctl disable would say the same
		}
	}
}

// installed is what install and uninstall say.
type installed struct {
	Unit    string   `json:"unit" yaml:"unit"`
	Changed bool     `json:"changed" yaml:"changed"` // the file is not what it was before
	Removed bool     `json:"removed" yaml:"removed"` // there is none any more
	Next    []string `json:"next" yaml:"next"`       // commands to type
}

func (a *App) said(i installed) error {
	switch a.output {
	case "json":
		e := json.NewEncoder(a.Out)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		return e.Encode(i)
	case "yaml":
		b, err := yaml.Dump(i)
		if err == nil {
			_, err = a.Out.Write(b)
		}
		return err
	}
	format := a.t("%s is written.")
	switch {
	case i.Removed && i.Changed:
		format = a.t("%s is removed; configuration and data stay where they are.")
	case i.Removed:
		format = a.t("There is no %s.")
	case !i.Changed:
		format = a.t("%s is up to date.")
	}
	var b strings.Builder
	fmt.Fprintf(&b, format+"\n", core.Printable(i.Unit))
	if len(i.Next) > 0 {
		if a.find("systemctl") == "" {
			fmt.Fprintln(&b, a.t("There is no systemctl here; where systemd runs, type:"))
		} else {
			fmt.Fprintln(&b, a.t("Next:"))
		}
		for _, line := range i.Next {
			if line == "loginctl enable-linger" {
				line += "   # " + a.t("so that it runs while nobody is logged in")
			}
			fmt.Fprintln(&b, "  "+line)
		}
	}
	_, err := fmt.Fprint(a.Out, b.String())
	return err
}
