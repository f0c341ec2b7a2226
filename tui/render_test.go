package tui

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"jarvis/core"
	"jarvis/tui/view"
)

// eventLines writes events as ask does.
func eventLines(t *testing.T, events ...core.Event) string {
	t.Helper()
	var b strings.Builder
	for i, e := range events {
		e.Seq = uint64(i + 1)
		j, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(j)
		b.WriteByte('\n')
	}
	return b.String()
}

func filtered(t *testing.T, in string, events bool) string {
	t.Helper()
	var out strings.Builder
	f := &filter{
		in: strings.NewReader(in), out: &out, events: events, width: 60, fixed: true, now: time.Now,
		opt: view.Options{Theme: view.Plain()},
	}
	if err := f.run(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestFilterShowsEvents(t *testing.T) {
	call := core.ToolUseData{Call: "c1", Tool: "calculate", Input: json.RawMessage(`{"expression":"17% * 2400"}`)}
	bad := core.ToolUseData{Call: "c2", Tool: "read_file", Input: json.RawMessage(`{"path":"x","limit":3}`)}
	events := []core.Event{
		core.Event{Type: core.EventState}.With(core.StateData{State: core.Queued, Position: 2}),
		core.Event{Type: core.EventState}.With(core.StateData{State: core.Running}),
		core.Event{Type: core.EventStart}.With(core.StartData{Model: "m"}),
		core.Event{Type: core.EventRetry}.With(core.RetryData{Provider: "p\x1b[2J", WaitMS: 1500, Cause: "429 slow down\nmore"}),
		{Type: core.EventNotice, Text: "answered by the fallback model"},
		{Type: core.EventReasoning, Text: "secret thoughts"},
		{Type: core.EventText, Text: "Let me **cal"},
		{Type: core.EventText, Text: "culate**"},
		{Type: core.EventNotice, Text: "inside a block"},
		core.Event{Type: core.EventToolUse}.With(call),
		core.Event{Type: core.EventToolUse}.With(bad),
		core.Event{Type: core.EventToolResult, Text: "408"}.With(core.ToolResultData{Call: "c1", Tool: "calculate", OK: true}),
		core.Event{Type: core.EventToolResult, Text: "no such file\nmore"}.With(core.ToolResultData{Call: "c2", Tool: "read_file"}),
		{Type: "unknown_type", Text: "ignored"},
		{Type: core.EventText, Text: "\n\nIt is 4"},
		core.Event{Type: core.EventDone, Text: "Let me **calculate**\n\nIt is 408."}.With(core.DoneData{StopReason: core.EndTurn}),
	}
	want := `· p\x1b[2J: 429 slow down; trying again in 1.5 s
· answered by the fallback model

Let me **calculate**

· inside a block
✓ calculate 17% * 2400
✗ read_file {"path":"x","limit":3}: no such file

It is 408.
`
	if got := filtered(t, "not json\n"+eventLines(t, events...), true); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestFilterShowsMarkdown(t *testing.T) {
	if got := filtered(t, "# A\ntext\x1b[2J\n\n- b", false); got != "# A\n\ntext\\x1b[2J\n\n- b\n" {
		t.Errorf("%q", got)
	}
	if got := filtered(t, "", false); got != "" {
		t.Errorf("nothing gave %q", got)
	}
}

// brokenPipe fails as a pipe whose reader has gone.
type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, syscall.EPIPE }

func TestClosedPipeIsQuiet(t *testing.T) {
	f := &filter{in: strings.NewReader("text\n\nmore\n"), out: brokenPipe{}, fixed: true, now: time.Now}
	if err := f.run(); err != nil {
		t.Error(err)
	}
}

// TestSpinnerWaits: nothing moves in the first moments, something does later, and nothing of it stays.
func TestSpinnerWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, feed := io.Pipe()
		var out shared
		f := &filter{in: in, out: &out, width: 60, now: time.Now, opt: view.Options{Theme: view.Plain()}}
		done := make(chan error)
		go func() { done <- f.run() }()
		time.Sleep(200 * time.Millisecond)
		synctest.Wait()
		if out.String() != "" {
			t.Errorf("after 200 ms: %q", out.String())
		}
		time.Sleep(400 * time.Millisecond)
		synctest.Wait()
		if !strings.Contains(out.String(), spinner[3]) {
			t.Errorf("after 600 ms: %q", out.String())
		}
		_, _ = feed.Write([]byte("Hello"))
		_ = feed.Close()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if got := out.String(); !strings.HasSuffix(got, "Hello"+newline+showCur+syncOff) {
			t.Errorf("%q", got)
		}
	})
}

// TestFramesAreBounded: however fast deltas come, there are at most twenty frames a second.
func TestFramesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, feed := io.Pipe()
		out := &counter{w: io.Discard}
		f := &filter{in: in, out: out, width: 60, now: time.Now, opt: view.Options{Theme: view.Plain()}}
		done := make(chan error)
		go func() { done <- f.run() }()
		for range 1000 {
			_, _ = feed.Write([]byte("word "))
			time.Sleep(time.Millisecond)
		}
		_ = feed.Close()
		if err := <-done; err != nil && !errors.Is(err, io.EOF) {
			t.Error(err)
		}
		if out.n < 10 || out.n > 22 {
			t.Errorf("%d frames in a second", out.n)
		}
	})
}

// shared is a buffer for a writer and a reader at once.
type shared struct {
	mu sync.Mutex
	b  strings.Builder
}

func (s *shared) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *shared) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// counter counts the writes, each of which is a frame.
type counter struct {
	w io.Writer
	n int
}

func (c *counter) Write(p []byte) (int, error) {
	c.n++
	return c.w.Write(p)
}
