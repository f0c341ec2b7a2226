package offline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"jarvis/core"
	"jarvis/daemon/config"
	"jarvis/daemon/home"
)

func (a *App) configEdit() *cobra.Command {
	return &cobra.Command{
		Use:   "edit",
		Short: a.t("Open a copy of the file in $VISUAL or $EDITOR"),
		Long: a.t("Open a copy of the file in $VISUAL or $EDITOR. The copy is checked before it replaces the file; on a mistake\n" +
			"you are asked whether to go on editing. A file that does not exist yet starts with every key as a comment."),
		Args: a.noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.edit(cmd.Context()) },
	}
}

func (a *App) edit(ctx context.Context) error {
	h, err := a.home()
	if err != nil {
		return err
	}
	if err := h.EnsureConfig(); err != nil {
		return err
	}
	old, err := home.ReadRegular(h.Config, 1<<20)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return core.E(core.Internal, a.tf("%s cannot be read", h.Config), "ls -l "+h.Config, err)
	}
	sweepCopies(h.ConfigDir)
	text := old
	if len(text) == 0 {
		if text, err = config.Template(); err != nil {
			return err
		}
	}
	copied, err := scratch(h.ConfigDir, text)
	if err != nil {
		return core.E(core.Internal, a.tf("a copy of %s cannot be written", h.Config), "ls -ld "+h.ConfigDir, err)
	}
	keep := false
	defer func() {
		if !keep {
			_ = os.Remove(copied)
		}
	}()
	for {
		now, err := a.openEditor(ctx, copied)
		if err != nil {
			return err
		}
		// An empty text is an editor that failed, or a person who gave up; it must not wipe the file.
		if len(bytes.TrimSpace(now)) == 0 || bytes.Equal(now, text) && len(old) > 0 {
			a.talk("%s", a.t("Nothing was changed"))
			return nil
		}
		a.record(ctx, h, "config.edit", "", true)
		done, err := config.Update(h.Config, a.Env, func(current []byte) ([]byte, error) {
			if !bytes.Equal(current, old) {
				return nil, errMoved
			}
			return now, nil
		})
		if err == nil {
			a.saidChanged(done, "")
			return nil
		}
		if errors.Is(err, errMoved) {
			keep = true
			return core.E(core.Conflict, a.tf("the file was changed by somebody else meanwhile; your text is kept in %s", copied), "diff "+h.Config+" "+copied, nil)
		}
		if again, aerr := a.again(ctx, err); aerr != nil || !again {
			keep = true
			a.talk("%s", a.tf("The file is as it was; your text is kept in %s", copied))
			return broken{err}
		}
		text = nil
	}
}

var errMoved = errors.New("changed meanwhile")

// again shows the mistake and asks whether to go on.
func (a *App) again(ctx context.Context, err error) (bool, error) {
	if !a.Terminal || a.Ask == nil {
		return false, nil
	}
	a.talk("%s", core.Printable(err.Error()))
	return a.Ask.Confirm(ctx, a.t("Edit again?"))
}

// keptCopies is how long a text that was not taken is kept.
const keptCopies = 7 * 24 * time.Hour

// sweepCopies removes what earlier edits have left: of an editor that was killed, or a text that nobody came back for.
func sweepCopies(dir string) {
	old, err := filepath.Glob(filepath.Join(dir, ".edit-*.yaml"))
	if err != nil {
		return
	}
	for _, f := range old {
		if info, err := os.Lstat(f); err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > keptCopies {
			_ = os.Remove(f)
		}
	}
}

// scratch writes the copy beside the file, because it holds the same keys.
func scratch(dir string, text []byte) (string, error) {
	f, err := os.CreateTemp(dir, ".edit-*.yaml") // 0600
	if err != nil {
		return "", err
	}
	_, err = f.Write(text)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return "", err
	}
	return f.Name(), nil
}

// openEditor lets the person edit path and reads it back.
func (a *App) openEditor(ctx context.Context, path string) ([]byte, error) {
	editor := a.Env.Get("VISUAL")
	if editor == "" {
		editor = a.Env.Get("EDITOR")
	}
	if editor == "" {
		for _, name := range []string{"nano", "vi", "vim", "notepad"} {
			if _, err := exec.LookPath(name); err == nil {
				editor = name
				break
			}
		}
	}
	if editor == "" {
		return nil, core.E(core.Internal, a.t("no editor was found"), "export EDITOR=/path/to/editor", nil)
	}
	// The shell splits the variable, as git does: it may be `code --wait`.
	cmd := exec.CommandContext(ctx, "sh", "-c", editor+` "$1"`, "sh", path)
	if runtime.GOOS == "windows" {
		cmd = exec.CommandContext(ctx, editor, path)
	}
	cmd.Dir = filepath.Dir(path)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.In, a.Out, a.Err
	if err := cmd.Run(); err != nil {
		return nil, core.E(core.Internal, a.tf("the editor %s ended with an error, nothing was changed", editor), "export EDITOR=/path/to/editor", err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read edited copy: %w", err)
	}
	return b, nil
}
