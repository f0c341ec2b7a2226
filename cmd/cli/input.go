package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"jarvis/core"
	"jarvis/daemon/api"
)

// The usual limits of DESIGN 3; the daemon's configuration may be stricter or wider and has the last word, these keep a
// 200 MB pipe from being read into memory first.
const (
	maxPrompt     = 10 << 20
	maxAttachment = 32 << 20
	maxSchema     = 1 << 20
	maxFiles      = 32
	silence       = time.Second
)

// input is what one ask sends.
type input struct {
	prompt string
	files  []api.Attachment
}

// readInput joins prompt, blank line and stdin, and reads the attachments.
func (a *App) readInput(ctx context.Context, o AskOptions) (input, error) {
	var in input
	words := o.Prompt
	dash := false
	if i := indexOf(words, "-"); i >= 0 {
		dash = true
		words = append(append([]string{}, words[:i]...), words[i+1:]...)
	}
	prompt := strings.Join(words, " ")
	stdinFile := indexOf(o.Files, "-") >= 0
	if len(o.Files) > maxFiles {
		return in, core.E(core.BadRequest, a.tf("at most %d files go with one question", maxFiles), "jarvis ask --help", nil)
	}

	var piped []byte
	if a.wantsStdin(o, prompt, dash || stdinFile) {
		limit := int64(maxPrompt)
		if stdinFile {
			limit = maxAttachment
		}
		b, err := a.readStdin(ctx, limit)
		if err != nil {
			return in, err
		}
		piped = b
	}
	for _, name := range o.Files {
		f := api.Attachment{Name: "stdin", Data: piped}
		if name != "-" {
			b, err := readFile(name, maxAttachment)
			if err != nil {
				return in, a.fileError("-f", name, err)
			}
			f = api.Attachment{Name: filepath.Base(name), Data: b}
		}
		if len(f.Data) == 0 {
			return in, core.E(core.BadRequest, a.tf("%s is empty", f.Name), "jarvis ask --help", nil)
		}
		in.files = append(in.files, f)
	}
	if !stdinFile && len(piped) > 0 {
		if binary(piped) {
			in.files = append(in.files, api.Attachment{Name: "stdin", Data: piped})
		} else {
			text, err := a.text(piped)
			if err != nil {
				return in, err
			}
			if prompt != "" {
				prompt += "\n\n"
			}
			prompt += text
		}
	}
	if strings.TrimSpace(prompt) == "" && len(in.files) == 0 {
		return in, core.E(core.BadRequest, a.t("there is no question"), `jarvis ask "What can you do?"`, nil)
	}
	if _, err := a.text([]byte(prompt)); err != nil {
		return in, err
	}
	if len(prompt) > maxPrompt {
		return in, a.tooLarge("the prompt", maxPrompt)
	}
	in.prompt = prompt
	return in, nil
}

// wantsStdin: without a prompt everything but a terminal is read; with one, only a pipe or a file; -n reads none.
func (a *App) wantsStdin(o AskOptions, prompt string, asked bool) bool {
	if o.NoStdin || a.In == nil {
		return false
	}
	if asked {
		return true
	}
	info, err := a.In.Stat()
	if err != nil {
		return false
	}
	if prompt == "" {
		return !isTerminal(a.In)
	}
	return info.Mode()&fs.ModeNamedPipe != 0 || info.Mode().IsRegular()
}

// readStdin reads to the end, refuses more than limit before reading on, and after a second without a byte says what is
// awaited, because an open pipe that stays silent looks like a hanging program.
func (a *App) readStdin(ctx context.Context, limit int64) ([]byte, error) {
	if info, err := a.In.Stat(); err == nil && info.Mode().IsRegular() && info.Size() > limit {
		return nil, a.tooLarge("stdin", limit)
	}
	type result struct {
		b   []byte
		err error
	}
	first := make(chan struct{})
	done := make(chan result, 1)
	go func() {
		b, err := io.ReadAll(io.LimitReader(&signalReader{r: a.In, first: first}, limit+1))
		done <- result{b, err}
	}()
	wait := time.NewTimer(silence)
	defer wait.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-first:
			wait.Stop()
			first = nil
		case <-wait.C:
			a.talk("%s", a.t("jarvis: waiting for input on stdin (end it with Ctrl-D, or use -n to read none)"))
		case r := <-done:
			if r.err != nil {
				return nil, core.E(core.BadRequest, a.tf("cannot read stdin: %v", r.err), "jarvis ask -n …", r.err)
			}
			if int64(len(r.b)) > limit {
				return nil, a.tooLarge("stdin", limit)
			}
			return r.b, nil
		}
	}
}

// signalReader closes first when the first byte or the end has come.
type signalReader struct {
	r     io.Reader
	first chan struct{}
	told  bool
}

func (s *signalReader) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	if !s.told {
		s.told = true
		close(s.first)
	}
	return n, err
}

func (a *App) tooLarge(what string, limit int64) error {
	return core.E(core.TooLarge, a.tf("%s is larger than %d MiB", a.t(what), limit>>20), "jarvis config get limits", nil)
}

// text refuses what no model can read.
func (a *App) text(b []byte) (string, error) {
	if i := bytes.IndexByte(b, 0); i >= 0 {
		return "", core.E(core.BadRequest, a.tf("the input has a NUL byte at offset %d, so it is not text", i), "jarvis ask -f FILE …", nil)
	}
	if !utf8.Valid(b) {
		i := 0
		for i < len(b) {
			r, n := utf8.DecodeRune(b[i:])
			if r == utf8.RuneError && n == 1 {
				break
			}
			i += n
		}
		return "", core.E(core.BadRequest, a.tf("the input is not UTF-8 at offset %d", i), "iconv -t UTF-8 …", nil)
	}
	return string(b), nil
}

// binary recognises the images and PDFs that may come through a pipe.
func binary(b []byte) bool {
	for _, magic := range []string{"\x89PNG\r\n\x1a\n", "\xff\xd8\xff", "GIF87a", "GIF89a", "%PDF-"} {
		if bytes.HasPrefix(b, []byte(magic)) {
			return true
		}
	}
	return len(b) > 12 && bytes.HasPrefix(b, []byte("RIFF")) && bytes.Equal(b[8:12], []byte("WEBP"))
}

var errTooLarge = errors.New("too large")

// readFile reads a regular file of at most limit bytes; a FIFO or device would block or never end.
func readFile(name string, limit int64) ([]byte, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, errors.New("it is a folder")
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is no regular file")
	}
	b, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(b)) > limit {
		return nil, fmt.Errorf("it is larger than %d MiB: %w", limit>>20, errTooLarge)
	}
	return b, nil
}

// fileError says which file of which flag cannot be used, and why.
func (a *App) fileError(flag, name string, err error) error {
	code, why := core.BadRequest, err.Error()
	switch {
	case errors.Is(err, errTooLarge):
		code = core.TooLarge
	case errors.Is(err, fs.ErrNotExist):
		code, why = core.NotFound, a.t("there is no such file")
	case errors.Is(err, fs.ErrPermission):
		code, why = core.UserNotAllowed, a.t("you may not read it")
	}
	return core.E(code, fmt.Sprintf("%s %s: %s", flag, name, why), "ls -l "+shellQuote(filepath.Dir(name)), err)
}

func shellQuote(s string) string {
	if strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-+@") == "" && s != "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

func indexOf(list []string, s string) int {
	for i, v := range list {
		if v == s {
			return i
		}
	}
	return -1
}
