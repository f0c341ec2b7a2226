//go:build unix

package tui

import (
	"context"
	"strings"
	"testing"

	"jarvis/core"
	"jarvis/daemon/api"
)

// TestAQuestionOfAnotherScreenAppears, with its answer, once, and not in the middle of another one.
func TestAQuestionOfAnotherScreenAppears(t *testing.T) {
	next := make(chan struct{})
	d := &fakeDaemon{heard: make(chan core.Event)}
	d.script = func(_ context.Context, req api.Chat, yield func(core.Event) bool) error {
		what := req.Content
		if what == "" {
			what = string(req.Chain)
		}
		yield(core.Event{Type: core.EventText, Session: fakeSession, Text: "answer to "})
		if req.Content == "mine" {
			<-next
		}
		yield(core.Event{Type: core.EventText, Session: fakeSession, Text: what})
		yield(core.Event{Type: core.EventDone, Session: fakeSession}.With(core.DoneData{StopReason: core.EndTurn}))
		return nil
	}
	s := newStage(t, d, 80, 30).start()
	ask := func(chain, text string) {
		e := core.Event{Type: core.EventMessage, Seq: 1, Chain: core.ChainID(chain), Text: text}
		d.heard <- e.With(core.MessageData{Role: core.RoleUser})
	}
	s.write("mine\r")
	s.see("answer to")
	ask("chain-1", "mine") // it comes in the session's stream too
	ask("other-1", "during it")
	d.heard <- core.Event{Type: core.EventText, Chain: "other-1", Text: "not twice"}
	close(next)
	s.see("answer to other-1")
	ask("other-2", "behind \x1b[2Jit")
	s.see("answer to other-2")
	ask("other-2", "behind it")
	s.write("/exit\r")
	got := s.end()
	want := `› mine

answer to mine

· asked elsewhere:
› during it

answer to other-1

· asked elsewhere:
› behind `
	if !strings.Contains(got, want) || strings.Count(got, "elsewhere") != 2 || strings.Contains(got, "not twice") {
		t.Errorf("shown:\n%s\nwant\n%s", got, want)
	}
}
