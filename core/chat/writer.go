package chat

import (
	"errors"
	"sync"
	"syscall"
	"time"
	"unicode/utf8"

	"jarvis/core"
)

// writer puts a chain's events into its journal, one at a time, and remembers the first failure: after it nothing more may
// be shown, because a word that is not in the journal would be lost by a crash.
type writer struct {
	chain   core.ChainID
	session core.SessionID
	agent   core.AgentID
	now     func() time.Time
	broke   func(error) // told once, when the journal fails

	mu     sync.Mutex // guards the rest; tools that run in parallel write too
	log    Log
	err    error
	sealed bool
}

var errSealed = errors.New("journal is sealed")

// event appends an event; data is one of core's …Data values or nil.
func (w *writer) event(t core.EventType, text string, data any) error {
	e := w.make(t, text, data)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return w.err
	}
	if w.sealed {
		return errSealed
	}
	if _, err := w.log.Append(e); err != nil {
		w.err = err
		if w.broke != nil {
			w.broke(err)
		}
		return err
	}
	return nil
}

func (w *writer) make(t core.EventType, text string, data any) core.Event {
	e := core.Event{Type: t, Chain: w.chain, Session: w.session, Agent: w.agent, Time: w.now(), Text: text}
	if data != nil {
		e = e.With(data)
	}
	return e
}

// record writes a line for replay; a failure shows at the next event.
func (w *writer) record(kind string, v any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil && !w.sealed {
		_ = w.log.Record(kind, v)
	}
}

// seal refuses every further event but the terminal one and gives that one's number.
func (w *writer) seal() uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sealed = true
	return w.log.Last() + 1
}

// last appends the terminal event.
func (w *writer) last(e core.Event) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.log.Sealed() {
		return nil
	}
	_, err := w.log.Append(e)
	return err
}

func (w *writer) failed() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// unkept turns a failure to keep something into the sentence that people see.
func unkept(err error) *core.Error {
	var ce *core.Error
	if errors.As(err, &ce) {
		return ce
	}
	why := "the answer could not be kept on disk"
	switch {
	case errors.Is(err, syscall.ENOSPC):
		why = "the disk is full, so the answer could not be kept"
	case errors.Is(err, syscall.EFBIG):
		why = "a file has reached its size limit, so the answer could not be kept"
	case errors.Is(err, syscall.EROFS), errors.Is(err, syscall.EACCES):
		why = "the home cannot be written, so the answer could not be kept"
	}
	return core.E(core.Internal, why, "jarvis daemon logs", err)
}

// outputs turns a tool's bytes into tool_output events without splitting a character.
type outputs struct {
	w    *writer
	call core.CallID

	mu   sync.Mutex // guards rest
	rest string
}

// splitRune splits text in front of a last character that has not come whole.
func splitRune(s string) (text, rest string) {
	for i := 1; i < utf8.UTFMax && i <= len(s); i++ {
		if at := len(s) - i; utf8.RuneStart(s[at]) {
			if !utf8.FullRuneInString(s[at:]) {
				return s[:at], s[at:]
			}
			break
		}
	}
	return s, ""
}

func (o *outputs) write(b []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	text, rest := splitRune(o.rest + string(b))
	o.rest = rest
	if text != "" {
		// A stopped chain takes no more output; the tool itself is ended by its context.
		_ = o.w.event(core.EventToolOutput, toValid(text), core.ToolOutputData{Call: o.call})
	}
}
