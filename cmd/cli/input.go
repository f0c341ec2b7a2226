package cli

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"jarvis/core"
	"jarvis/daemon/api"
)

// The usual limits of DESIGN 3, in bytes. What is larger is read only when the daemon says that it takes it, so that a pipe of
// 200 MB is not in memory before it is refused. maxInput is this program's own bound, whatever the daemon takes.
const (
	usualPrompt     = 10 << 20
	usualAttachment = 32 << 20
	maxInput        = 64 << 20
	maxSchema       = 1 << 20
)

// input is what one ask sends.
type input struct {
	app    *App
	limits *api.Limits // the daemon's, once they were asked for

	prompt string
	files  []api.Attachment
}

// readInput joins prompt, blank line and stdin, and reads the attachments.
func (a *App) readInput(ctx context.Context, o AskOptions) (*input, error) {
	in := &input{app: a}
	if len(o.Files) > api.MaxAttachments {
		return in, core.E(core.BadRequest, a.tf("at most %d files go with one question", api.MaxAttachments), "jarvis ask --help", nil)
	}
	words := slices.Clone(o.Prompt)
	dash := slices.Index(words, "-")
	if dash >= 0 {
		words = slices.Delete(words, dash, dash+1)
	}
	in.prompt = strings.Join(words, " ")
	stdinFile := slices.Contains(o.Files, "-")

	var piped []byte
	if a.wantsStdin(o, in.prompt, dash >= 0 || stdinFile) {
		b, err := a.readStdin(ctx, usualPrompt, func(head []byte) int64 {
			if stdinFile || binary(head) {
				return in.attachmentLimit(ctx)
			}
			return in.promptLimit(ctx)
		})
		if err != nil {
			return in, err
		}
		piped = b
	}
	for _, name := range o.Files {
		if err := in.attach(ctx, name, piped); err != nil {
			return in, err
		}
	}
	if !stdinFile && len(piped) > 0 {
		if err := in.pipe(piped); err != nil {
			return in, err
		}
	}
	return in, in.check(ctx)
}

// attach reads one file of -f; "-" is what stdin had.
func (in *input) attach(ctx context.Context, name string, piped []byte) error {
	f := api.Attachment{Name: "stdin", Data: piped}
	if name != "-" {
		limit := int64(usualAttachment)
		b, err := readFile(name, limit)
		if errors.Is(err, errTooLarge) {
			if limit = in.attachmentLimit(ctx); limit > usualAttachment {
				b, err = readFile(name, limit)
			}
		}
		if errors.Is(err, errTooLarge) {
			return in.app.tooLarge("-f "+name+": "+in.app.t("it"), limit)
		}
		if err != nil {
			return in.app.fileError("-f", name, err)
		}
		f = api.Attachment{Name: filepath.Base(name), Data: b}
	}
	if len(f.Data) == 0 {
		return core.E(core.BadRequest, in.app.tf("%s is empty", f.Name), "jarvis ask --help", nil)
	}
	in.files = append(in.files, f)
	if in.size() > maxInput {
		return in.app.tooLarge("the question with its files", maxInput)
	}
	return nil
}

// pipe adds what stdin had: an image or a PDF is a file, everything else goes below the prompt.
func (in *input) pipe(piped []byte) error {
	if binary(piped) {
		in.files = append(in.files, api.Attachment{Name: "stdin", Data: piped})
		return nil
	}
	text, err := in.app.text(piped)
	if err != nil {
		return err
	}
	if in.prompt != "" {
		in.prompt += "\n\n"
	}
	in.prompt += text
	return nil
}

// check refuses what cannot be sent as a whole.
func (in *input) check(ctx context.Context) error {
	a := in.app
	if strings.TrimSpace(in.prompt) == "" && len(in.files) == 0 {
		return core.E(core.BadRequest, a.t("there is no question"), `jarvis ask "What can you do?"`, nil)
	}
	if _, err := a.text([]byte(in.prompt)); err != nil {
		return err
	}
	if len(in.prompt) > usualPrompt {
		if limit := in.promptLimit(ctx); int64(len(in.prompt)) > limit {
			return a.tooLarge("the prompt", limit)
		}
	}
	if in.size() > maxInput {
		return a.tooLarge("the question with its files", maxInput)
	}
	return nil
}

// size is how many bytes it has.
func (in *input) size() int {
	n := len(in.prompt)
	for _, f := range in.files {
		n += len(f.Data)
	}
	return n
}

func (in *input) promptLimit(ctx context.Context) int64 {
	return min(in.ask(ctx).Prompt, maxInput)
}

func (in *input) attachmentLimit(ctx context.Context) int64 {
	return min(in.ask(ctx).Attachment, maxInput)
}

// ask asks the daemon for its limits, once. Where none can be asked the usual ones hold; the daemon has the last word anyhow.
func (in *input) ask(ctx context.Context) api.Limits {
	if in.limits == nil {
		in.limits = &api.Limits{Prompt: usualPrompt, Attachment: usualAttachment}
		if l := in.app.daemonLimits(ctx); l != nil {
			in.limits = l
		}
	}
	return *in.limits
}

// daemonLimits is nil when the daemon cannot be asked. It starts one, as the question itself would.
func (a *App) daemonLimits(ctx context.Context) *api.Limits {
	c, err := a.client()
	if err != nil {
		return nil
	}
	if a.autostarts() {
		if _, err := c.Start(ctx); err != nil {
			return nil
		}
	}
	st, err := c.Status(ctx)
	if err != nil {
		return nil
	}
	return st.Limits
}

func (a *App) tooLarge(what string, limit int64) error {
	size := strconv.FormatInt(limit>>20, 10) + " MiB"
	if limit&(1<<20-1) != 0 {
		size = strconv.FormatInt(limit, 10) + " bytes"
	}
	return core.E(core.TooLarge, a.tf("%s is larger than %s", a.t(what), size), "jarvis config get limits", nil)
}
