package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"jarvis/core"
	"jarvis/daemon/api"
	"jarvis/daemon/client"
	"jarvis/daemon/home"
)

func (a *App) sessionFork() *cobra.Command {
	var f api.SessionFork
	cmd := &cobra.Command{
		Use:   "fork [SESSION]",
		Short: a.t("Copy a conversation up to a point, to go on differently; the original stays as it is"),
		Long: a.t("Copy a conversation up to a point, to go on differently; the original stays as it is. Without SESSION it is the one\n" +
			"used last, without --at all that is answered. Attachments are shared, and usage is not counted again."),
		Example:           "  jarvis session fork 3fa9c1\n  jarvis session fork 3fa9c1 --at 0199a0de-0000-7000-8000-0000003fa9c1.3 --title 'Other plan'",
		Args:              a.upTo(1),
		ValidArgsFunction: a.completeSession,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withClient(func(c *client.Client) error {
				id, err := a.whichSession(cmd.Context(), c, args)
				if err != nil {
					return err
				}
				s, err := c.ForkSession(cmd.Context(), id, f)
				if err != nil {
					return err
				}
				return a.print(s, func(w io.Writer) { fmt.Fprintf(w, "%s  %s\n", core.Short(string(s.ID)), a.shown(s.Title)) })
			})
		},
	}
	cmd.Flags().StringVar(&f.At, "at", "", a.t("end the copy with this `MESSAGE` or chain; their ids stand in: session show -o json"))
	cmd.Flags().StringVar(&f.Title, "title", "", a.t("its `TITLE`, one line"))
	return cmd
}

var exportFormats = []string{"md", "json", "html"}

func (a *App) sessionExport() *cobra.Command {
	var e client.Export
	var file string
	cmd := &cobra.Command{
		Use:   "export [SESSION]",
		Short: a.t("Write a conversation as Markdown, JSON or HTML"),
		Long: a.t("Write a conversation as Markdown, as JSON that jarvis session import reads, or as one page of HTML that needs nothing\n" +
			"else. Without SESSION it is the one used last, and without -o it goes to standard output. Here -o names the file; its\n" +
			"ending says the format when --format does not."),
		Example: "  jarvis session export 3fa9c1 > talk.md\n  jarvis session export 3fa9c1 -o talk.html\n" +
			"  jarvis session export 3fa9c1 --format json | gzip > talk.json.gz",
		Args:              a.upTo(1),
		ValidArgsFunction: a.completeSession,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.exportForm(cmd, &e.Format, &file); err != nil {
				return err
			}
			e.Lang = a.lang()
			ctx, cancel := a.untilInterrupted(cmd.Context())
			defer cancel()
			return a.withClient(func(c *client.Client) error { return a.exportSession(ctx, c, args, e, file) })
		},
	}
	cmd.Flags().StringVar(&e.Format, "format", "", a.t("`FORM` of the file: md, json or html"))
	cmd.Flags().StringVarP(&file, "output", "o", "-", a.t("`FILE` to write; - is standard output"))
	cmd.Flags().BoolVar(&e.NoAttachments, "no-attachments", false, a.t("leave the content of attachments out"))
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(exportFormats, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault))
	return cmd
}

// exportForm settles format and file. -o names a file here, but everywhere else a form of the output: -o json means both the
// same, and what is a form elsewhere is no file by accident.
func (a *App) exportForm(cmd *cobra.Command, format, file *string) error {
	if a.json && *format == "" {
		*format = "json"
	}
	switch f := *file; f {
	case "":
		return usageError(cmd, a.t("the name of the file is empty"))
	case "json", "md", "html":
		if *format == "" || *format == f {
			*format, *file = f, "-"
		}
	case "table", "yaml":
		if *format == "" {
			return usageError(cmd, a.t("--format takes md, json or html"))
		}
	}
	if *format == "" {
		switch strings.ToLower(filepath.Ext(*file)) {
		case ".json":
			*format = "json"
		case ".html", ".htm":
			*format = "html"
		default:
			*format = "md"
		}
	}
	switch *format {
	case "md", "json", "html":
		return nil
	}
	return usageError(cmd, a.t("--format takes md, json or html"))
}

func (a *App) exportSession(ctx context.Context, c *client.Client, args []string, e client.Export, file string) error {
	id, err := a.whichSession(ctx, c, args)
	if err != nil {
		return err
	}
	if file != "-" {
		if err := a.outside(file, "", "jarvis session export "+shellQuote(id)+" -o talk."+e.Format); err != nil {
			return err
		}
	}
	if info, err := os.Stat(file); file != "-" && err == nil && info.IsDir() {
		return core.E(core.BadRequest, a.tf("%s is a folder", file), "jarvis session export -o "+shellQuote(filepath.Join(file, "talk."+e.Format)), nil)
	}
	body, err := c.ExportSession(ctx, id, e)
	if err != nil {
		return err
	}
	defer func() { _ = body.Close() }() // what was read of it is all that counts
	if file != "-" {
		if err := writeExport(file, body); err != nil {
			return a.exportFailed(file, err)
		}
		return nil
	}
	if a.OutTTY {
		return a.showExport(body, e.Format)
	}
	if _, err := io.Copy(a.Out, body); err != nil {
		return err
	}
	return nil
}

// showExport writes to a terminal what a terminal may get.
func (a *App) showExport(r io.Reader, format string) error {
	buf := make([]byte, 32<<10)
	kept := 0
	for {
		n, err := r.Read(buf[kept:])
		n += kept
		end := n
		for back := 1; err == nil && back < utf8.UTFMax && back <= n; back++ { // a character may go on in the next part
			if utf8.RuneStart(buf[n-back]) {
				if !utf8.FullRune(buf[n-back : n]) {
					end = n - back
				}
				break
			}
		}
		text := core.Printable(string(buf[:end]))
		if format == "json" {
			text = string(core.PrintableJSON(buf[:end]))
		}
		if werr := writeAll(a.Out, text); werr != nil {
			return werr
		}
		kept = copy(buf, buf[end:n])
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// writeExport writes beside the file and renames at the end, so that a file with the right name is always a whole one. What is
// no regular file (a pipe, a device) is written as it is.
func writeExport(file string, r io.Reader) error {
	if info, err := os.Stat(file); err == nil && !info.Mode().IsRegular() {
		f, err := os.OpenFile(file, os.O_WRONLY|nonblock, 0) // a pipe that nobody reads would hold it for ever
		if err != nil {
			return err
		}
		_, err = io.Copy(f, r)
		return errors.Join(err, f.Close())
	}
	part := file + ".part"
	f, err := home.OpenRegular(part, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	if _, err = io.Copy(f, r); err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(part, file)
	}
	if err != nil {
		_ = os.Remove(part)
	}
	return err
}

func (a *App) exportFailed(file string, err error) error {
	var e *core.Error
	switch {
	case errors.As(err, &e), errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, syscall.ENOSPC):
		return core.E(core.Internal, a.t("the disk is full: there is no file"), "df -h", err)
	case errors.Is(err, fs.ErrNotExist):
		return core.E(core.NotFound, a.tf("there is no folder %s", filepath.Dir(file)), "mkdir -p "+shellQuote(filepath.Dir(file)), err)
	}
	return core.E(core.Internal, a.tf("%s cannot be written", file), "ls -ld "+shellQuote(filepath.Dir(file)), err)
}

func (a *App) sessionImport() *cobra.Command {
	return &cobra.Command{
		Use:   "import FILE",
		Short: a.t("Read a conversation that was exported as JSON; - is standard input"),
		Long: a.t("Read a conversation that was exported as JSON; - is standard input. It becomes a new conversation, whole or not at all.\n" +
			"How large the file may be says: jarvis config get limits.import"),
		Example: "  jarvis session import talk.json\n  zcat talk.json.gz | jarvis session import -",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError(cmd, a.t("which file? - is standard input"))
			}
			return nil
		},
		ValidArgsFunction: cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, cancel := a.untilInterrupted(cmd.Context())
			defer cancel()
			var r io.Reader = a.In
			size := int64(-1)
			if args[0] != "-" {
				f, n, err := openImport(args[0])
				if err != nil {
					return a.fileError("import", args[0], err)
				}
				defer func() { _ = f.Close() }() // only read
				r, size = f, n
			}
			return a.withClient(func(c *client.Client) error { return a.importSession(ctx, c, bufio.NewReaderSize(r, 64<<10), size) })
		},
	}
}

func (a *App) importSession(ctx context.Context, c *client.Client, r io.Reader, size int64) error {
	made, err := c.ImportSession(ctx, r, size)
	if err != nil {
		return err
	}
	if made.Missing > 0 {
		a.talk("%s", a.tf("%d attachments are not in the file and were left out.", made.Missing))
	}
	return a.print(made, func(w io.Writer) {
		fmt.Fprintf(w, "%s  %s\n", core.Short(string(made.Session.ID)), a.shown(made.Session.Title))
	})
}

// openImport opens a file to be read as it is sent; -1 is the size of what has none.
func openImport(name string) (*os.File, int64, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case info.IsDir():
		err = errors.New("it is a folder")
	case info.Mode().IsRegular():
		return f, info.Size(), nil
	default:
		return f, -1, nil
	}
	return nil, 0, errors.Join(err, f.Close())
}
