package session

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"jarvis/core"
)

// reader has news when it is told.
type reader struct {
	mu   sync.Mutex // guards the rest
	ms   []core.Message
	asks int
}

func (r *reader) News(_ context.Context, _ core.SessionID, after core.Cursor) ([]core.Message, core.Cursor, bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asks++
	if after == "" {
		return nil, "now", false, nil
	}
	if len(r.ms) == 0 {
		return nil, after, false, nil
	}
	return r.ms, "later", true, nil
}

func (r *reader) FindAttachment(_ context.Context, _ core.UserID, d core.Digest) (core.Attachment, error) {
	return core.Attachment{Digest: d}, nil
}

func TestNewsWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &reader{}
		change := make(chan struct{})
		turn := func(next chan struct{}) (old chan struct{}) {
			r.mu.Lock()
			defer r.mu.Unlock()
			old, change = change, next
			return old
		}
		s := New(Deps{
			Reader: r, Changed: func() <-chan struct{} {
				r.mu.Lock()
				defer r.mu.Unlock()
				return change
			},
			After: func(d time.Duration, f func()) func() bool { return time.AfterFunc(d, f).Stop },
		})
		start := time.Now()
		if _, at, _, err := s.News(t.Context(), "s", "", time.Minute); err != nil || at != "now" || time.Since(start) > 0 {
			t.Errorf("without a position: %q, %v after %s", at, err, time.Since(start))
		}
		if ms, at, _, err := s.News(t.Context(), "s", "now", time.Minute); err != nil || len(ms) > 0 || at != "now" || time.Since(start) != time.Minute {
			t.Errorf("nothing new: %v, %q, %v after %s", ms, at, err, time.Since(start))
		}
		start = time.Now()
		go func() {
			time.Sleep(time.Second)
			close(turn(make(chan struct{}))) // of another session
			time.Sleep(time.Second)
			r.mu.Lock()
			r.ms = []core.Message{{Text: "hi"}}
			r.mu.Unlock()
			close(turn(make(chan struct{})))
		}()
		r.mu.Lock()
		r.asks = 0
		r.mu.Unlock()
		if ms, at, open, err := s.News(t.Context(), "s", "now", time.Minute); err != nil || len(ms) != 1 || at != "later" || !open ||
			time.Since(start) != 2*time.Second || r.asks != 3 {
			t.Errorf("news: %v, %q, %v, %v after %s and %d reads", ms, at, open, err, time.Since(start), r.asks)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		r.mu.Lock()
		r.ms, change = nil, make(chan struct{})
		r.mu.Unlock()
		if _, _, _, err := s.News(ctx, "s", "now", time.Minute); err == nil {
			t.Error("a reader who has left gets an answer")
		}
	})
}

// marker knows one message with two files.
type marker struct{ Marker }

func (marker) Message(_ context.Context, _ core.UserID, id core.MessageID) (core.Message, error) {
	if id != "c.1" {
		return core.Message{}, core.E(core.NotFound, "none", "", nil)
	}
	return core.Message{Attachments: []core.Attachment{{Name: "a"}, {Name: "b"}}}, nil
}

func TestAttachment(t *testing.T) {
	s := New(Deps{Reader: &reader{}, Marker: marker{}})
	for id, want := range map[string]string{
		"c.1": "a", "c.1.0": "a", "c.1.1": "b", "c.1.2": "", "c.1.-1": "", "c.1.x": "", "c.2": "", "": "", "c.1.1.1": "", "..": "",
	} {
		a, err := s.Attachment(t.Context(), core.Owner, id)
		if (want == "") != (core.CodeOf(err) == core.NotFound) || a.Name != want {
			t.Errorf("%q: %+v, %v", id, a, err)
		}
	}
}

func TestContextIsBounded(t *testing.T) {
	s := New(Deps{})
	for text, want := range map[string]core.Code{string(make([]byte, core.MaxContext+1)): core.TooLarge, "a\x00b": core.BadRequest, "\xff": core.BadRequest} {
		if _, err := s.Create(t.Context(), core.Owner, core.SessionEdit{Context: &text}); core.CodeOf(err) != want {
			t.Errorf("%d bytes: %v", len(text), err)
		}
	}
}
