package cli

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"jarvis/core"
	"jarvis/daemon/api"
	"jarvis/daemon/client"
	"jarvis/daemon/home"
)

func (a *App) backupCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "backup",
		Short: a.t("Make, check and restore backups"),
		Args:  a.noArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.backupCreate(), a.backupList(), a.backupCompact())
	for name, short := range map[string]string{
		"verify": a.t("Check every byte of a backup"), "restore": a.t("Restore a backup into an empty home"),
	} {
		sub := a.offlineCommand(name, short)
		sub.RunE = func(cmd *cobra.Command, args []string) error {
			return a.become(cmd.Context(), "jarvisd", append([]string{"backup", name}, args...))
		}
		sub.ValidArgsFunction = func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			return a.completeOffline(cmd.Context(), append(append([]string{"backup", name}, args...), typed))
		}
		cmd.AddCommand(sub)
	}
	return cmd
}

func (a *App) backupCreate() *cobra.Command {
	var b api.BackupCreate
	cmd := &cobra.Command{
		Use:   "create [FILE]",
		Short: a.t("Make a backup of the whole home, and print where it lies"),
		Long: a.t("Make a backup of the whole home, and print where it lies: without FILE in the folder backups of the home. The\n" +
			"daemon goes on working. Models, logs and older backups are not in it; keys are, unless --no-secrets is given."),
		Example: "  jarvis backup create\n  jarvis backup create --no-secrets /mnt/usb/jarvis.tar",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usageError(cmd, a.t("one file at a time"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			file := ""
			if len(args) == 1 {
				if file = args[0]; file == "" {
					return usageError(cmd, a.t("the name of the file is empty"))
				}
			}
			ctx, cancel := a.untilInterrupted(cmd.Context())
			defer cancel()
			return a.withClient(func(c *client.Client) error { return a.createBackup(ctx, c, file, b) })
		},
	}
	cmd.Flags().BoolVar(&b.NoSecrets, "no-secrets", false, a.t("leave keys out: secrets/, mcp.json, and those in config.yaml"))
	return cmd
}

func (a *App) createBackup(ctx context.Context, c *client.Client, file string, b api.BackupCreate) error {
	if file != "" {
		var err error
		if file, err = filepath.Abs(file); err != nil {
			return a.backupFailed(file, err)
		}
		if err := a.freeName(file); err != nil {
			return err
		}
		h, err := a.home()
		if err != nil {
			return err
		}
		if err := a.outside(file, h.Backups(), "jarvis backup create   # in the home's folder backups"); err != nil {
			return err
		}
	}
	body, err := c.Backup(ctx, b)
	if err != nil {
		return err
	}
	defer func() { _ = body.Close() }() // what was read of it is all that counts
	if file == "" {
		st, err := c.Status(ctx)
		if err != nil {
			return err
		}
		h := home.Home{Data: st.Home}
		if err := os.Mkdir(h.Backups(), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return a.backupFailed(h.Backups(), err)
		}
		file = h.BackupFile(time.Now(), false)
	}
	err = home.WriteNew(file, func(w io.Writer) error {
		_, err := io.Copy(w, body)
		return err
	})
	if err != nil {
		return a.backupFailed(file, err)
	}
	return a.print(map[string]string{"file": file}, func(w io.Writer) { a.row(w, file) })
}

func (a *App) backupCompact() *cobra.Command {
	return &cobra.Command{
		Use:   "compact",
		Short: a.t("Make the store's file smaller, and say by how much"),
		Long: a.t("Make the store's file smaller after much was erased. It is copied without its free pages while the daemon goes on\n" +
			"working, and the copy takes its place once it is whole; the disk needs room for both."),
		Example: "  jarvis backup compact",
		Args:    a.noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, cancel := a.untilInterrupted(cmd.Context())
			defer cancel()
			return a.withClient(func(c *client.Client) error {
				done, err := c.Compact(ctx)
				if err != nil {
					return err
				}
				return a.print(done, func(w io.Writer) { a.row(w, size(done.Before)+" → "+size(done.After)) })
			})
		},
	}
}

// outside refuses a place inside the home but for one folder of it: what lies there is the daemon's, and the next backup would
// hold it. hint is what to type instead.
func (a *App) outside(file, but, hint string) error {
	h, err := a.home()
	if err != nil {
		return err
	}
	abs, err := filepath.Abs(file)
	if err != nil {
		return err
	}
	dir := followed(filepath.Dir(abs))
	if but != "" && dir == followed(but) {
		return nil
	}
	for _, root := range []string{h.Data, h.ConfigDir} {
		if rel, err := filepath.Rel(followed(root), dir); err == nil && filepath.IsLocal(rel) {
			return core.E(core.BadRequest, a.tf("%s lies inside the home", file), hint, nil)
		}
	}
	return nil
}

// followed is a path behind its links; one that is not there stays.
func followed(path string) string {
	if p, err := filepath.EvalSymlinks(path); err == nil {
		return p
	}
	return path
}

// freeName refuses a name that something has: a backup replaces no file, and least of all one of the home.
func (a *App) freeName(file string) error {
	info, err := os.Lstat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return a.backupFailed(file, err)
	case info.IsDir():
		return core.E(core.BadRequest, a.tf("%s is a folder", file), "jarvis backup create "+filepath.Join(file, "jarvis.tar"), nil)
	}
	return a.taken(file)
}

func (a *App) taken(file string) error {
	return core.E(core.Conflict, a.tf("%s exists already", file), "jarvis backup create   # in the home, under a new name", nil)
}

func (a *App) backupFailed(file string, err error) error {
	var e *core.Error
	switch {
	case errors.As(err, &e), errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, fs.ErrExist):
		return a.taken(file)
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EFBIG):
		return core.E(core.Internal, a.t("the disk is full: there is no backup"), "df -h", err)
	case errors.Is(err, fs.ErrNotExist):
		return core.E(core.NotFound, a.tf("there is no folder %s", filepath.Dir(file)), "mkdir -p "+filepath.Dir(file), err)
	}
	return core.E(core.Internal, a.tf("%s cannot be written", file), "ls -ld "+filepath.Dir(file), err)
}

// backupFile is one line of `backup list`.
type backupFile struct {
	File string    `json:"file"`
	Size int64     `json:"size"` // bytes
	Made time.Time `json:"made"`
}

func (a *App) backupList() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: a.t("List the backups in the home"),
		Args:  a.noArgs,
		RunE: func(*cobra.Command, []string) error {
			h, err := a.home()
			if err != nil {
				return err
			}
			list, err := backupsIn(filepath.Join(h.Data, "backups"))
			if err != nil {
				return err
			}
			return a.print(list, func(w io.Writer) {
				if len(list) == 0 {
					a.talk("%s", a.t("There are no backups. Make one with: jarvis backup create"))
				}
				for _, b := range list {
					a.row(w, b.File, size(b.Size), when(b.Made))
				}
			})
		},
	}
}

// backupsIn lists the newest first.
func backupsIn(dir string) ([]backupFile, error) {
	list := []backupFile{}
	files, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return list, nil
	}
	if err != nil {
		return nil, core.E(core.Internal, "the folder "+dir+" cannot be read", "ls -ld "+dir, err)
	}
	for _, f := range files {
		info, err := f.Info()
		if err != nil || !info.Mode().IsRegular() || !strings.HasSuffix(f.Name(), ".tar") {
			continue
		}
		list = append(list, backupFile{File: filepath.Join(dir, f.Name()), Size: info.Size(), Made: info.ModTime()})
	}
	slices.SortFunc(list, func(x, y backupFile) int { return y.Made.Compare(x.Made) })
	return list, nil
}
