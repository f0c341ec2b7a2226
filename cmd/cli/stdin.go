package cli

import (
	"context"
	"io"
	"io/fs"
	"time"

	"jarvis/core"
)

// silence is how long stdin may say nothing before people are told what is awaited.
const silence = time.Second

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

// readStdin reads to the end. After usual bytes it asks wider how many there may be, given those, and refuses more before
// reading on. After a second without a byte it says what is awaited, because an open pipe that stays silent looks like a
// hanging program.
func (a *App) readStdin(ctx context.Context, usual int64, wider func(head []byte) int64) ([]byte, error) {
	type result struct {
		b     []byte
		limit int64
		err   error
	}
	first := make(chan struct{})
	done := make(chan result, 1)
	go func() {
		r := &signalReader{r: a.In, first: first}
		b, err := io.ReadAll(io.LimitReader(r, usual+1))
		limit := usual
		if err == nil && int64(len(b)) > usual {
			if limit = wider(b); limit >= int64(len(b)) {
				var rest []byte
				rest, err = io.ReadAll(io.LimitReader(r, limit+1-int64(len(b))))
				b = append(b, rest...)
			}
		}
		done <- result{b, limit, err}
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
			if int64(len(r.b)) > r.limit {
				return nil, a.tooLarge("stdin", r.limit)
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
