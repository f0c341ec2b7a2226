package offline

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v4"

	"jarvis/core"
	"jarvis/daemon/home"
)

// Backup is what is known of a backup that is whole.
type Backup struct {
	File    string `json:"file" yaml:"file"`
	Made    string `json:"made" yaml:"made"`     // RFC 3339, UTC
	Jarvis  string `json:"jarvis" yaml:"jarvis"` // the build that made it
	Secrets bool   `json:"secrets" yaml:"secrets"`
	Files   int    `json:"files" yaml:"files"`
	Bytes   int64  `json:"bytes" yaml:"bytes"` // of all files
}

// RestoreOptions say what is restored where.
type RestoreOptions struct {
	Home    home.Home
	File    string
	Replace bool // move the parts of a home that is not empty aside
}

// Restored is what a restore did.
type Restored struct {
	Backup `yaml:",inline"`

	Home  string   `json:"home" yaml:"home"`
	Aside []string `json:"aside" yaml:"aside"` // folders with the old parts
	// Warning is what did not go well after all was in its place.
	Warning string `json:"warning,omitempty" yaml:"warning,omitempty"`
}

// BackupDeps are the doors to backups; nil ones say that this build has none.
type BackupDeps struct {
	Verify  func(ctx context.Context, file string) (Backup, error)
	Restore func(ctx context.Context, o RestoreOptions) (Restored, error)
}

func (a *App) backupCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "backup", Short: a.t("Make, check and restore backups"), Args: a.noArgs, RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	cmd.AddCommand(a.backupVerify(), a.backupRestore())
	return cmd
}

func (a *App) oneBackup(cmd *cobra.Command, args []string) error {
	switch len(args) {
	case 1:
		return nil
	case 0:
		return core.E(core.BadRequest, a.t("which backup?"), "jarvis backup list", nil)
	}
	return usage(cmd, a.t("one backup at a time"))
}

func (a *App) backupVerify() *cobra.Command {
	return &cobra.Command{
		Use:   "verify FILE",
		Short: a.t("Check every byte of a backup"),
		Long: a.t("Check every byte of a backup, padding included, and say where the first wrong one lies. It needs no daemon.\n" +
			"Who changes a backup on purpose can make its checksums fit again: this finds damage, not forgery."),
		Example: "  jarvis backup verify monday.tar",
		Args:    a.oneBackup,
		RunE: func(cmd *cobra.Command, args []string) error {
			if a.Backups.Verify == nil {
				return a.missing()
			}
			b, err := a.Backups.Verify(cmd.Context(), args[0])
			if err != nil {
				return backupError(err)
			}
			return a.printBackup(b, func() string { return a.tf("%s is whole", b.File) }, b)
		},
	}
}

func (a *App) backupRestore() *cobra.Command {
	var o RestoreOptions
	cmd := &cobra.Command{
		Use:   "restore FILE",
		Short: a.t("Restore a backup into an empty home"),
		Long: a.t("Restore a backup into an empty home. It needs no daemon, and none may run. The backup is checked first, and\n" +
			"nothing is touched when one byte of it is wrong or a newer jarvis made it."),
		Example: "  jarvis daemon stop\n  jarvis backup restore monday.tar\n  jarvis backup restore monday.tar --replace",
		Args:    a.oneBackup,
		RunE: func(cmd *cobra.Command, args []string) error {
			if a.Backups.Restore == nil {
				return a.missing()
			}
			h, err := a.home()
			if err != nil {
				return err
			}
			o.Home, o.File = h, args[0]
			r, err := a.Backups.Restore(cmd.Context(), o)
			if err != nil {
				return backupError(err)
			}
			return a.printBackup(r, func() string {
				text := a.tf("%s is restored in %s", r.File, r.Home)
				for _, dir := range r.Aside {
					text += "\n" + a.tf("What was there before lies in %s", dir)
				}
				if r.Warning != "" {
					text += "\n" + r.Warning
				}
				return text
			}, r.Backup)
		},
	}
	cmd.Flags().BoolVar(&o.Replace, "replace", false, a.t("move what is in the home aside first"))
	return cmd
}

// backupError tells a bad file from a bad command line.
func backupError(err error) error {
	if core.CodeOf(err) == core.BadRequest {
		return broken{err}
	}
	return err
}

// printBackup writes v in the form that -o asks for.
func (a *App) printBackup(v any, text func() string, b Backup) error {
	if a.output == "json" || a.output == "yaml" {
		text, err := yaml.Dump(v)
		if err != nil {
			return fmt.Errorf("write backup: %w", err)
		}
		var n yaml.Node
		if err := yaml.Load(text, &n); err != nil {
			return fmt.Errorf("write backup: %w", err)
		}
		if a.output == "yaml" {
			return a.writeYAML(&n)
		}
		return a.writeJSON(&n)
	}
	keys := a.t("with keys")
	if !b.Secrets {
		keys = a.t("without keys")
	}
	_, err := fmt.Fprintln(a.Out, core.Printable(text()+"\n"+a.tf("%d files, %d bytes, made %s by jarvis %s, %s", b.Files, b.Bytes, b.Made, b.Jarvis, keys)))
	return err
}
