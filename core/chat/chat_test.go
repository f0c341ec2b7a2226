package chat

import (
	"strings"
	"testing"
	"testing/synctest"
	"unicode/utf8"

	"jarvis/core"
	"jarvis/core/llm"
)

func TestAskStreamsAndStores(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &model{ref: "fake/one", play: []script{says(text("Hel"), text("lo."), usage(12, 3), finish(llm.FinishEnd))}}
		w := newWorld(t, deps(m, NewMemory())).serve()
		defer w.close()
		c := w.ask(core.Ask{Text: "  Say hello\nplease  "})
		es := w.events(c.ID, 0)
		if got, want := kinds(es), "message state:queued state:running start text text usage done"; got != want {
			t.Errorf("events\n got %s\nwant %s", got, want)
		}
		d := doneOf(t, es)
		if d.StopReason != core.EndTurn || d.Model != "fake/one" || d.Iterations != 1 || d.Tokens.In != 12 || d.Tokens.Out != 3 {
			t.Errorf("done: %+v", d)
		}
		if d.CostUSD != nil {
			t.Errorf("a model without a price has the cost %v", *d.CostUSD)
		}
		synctest.Wait()
		kept, err := w.s.Chain(t.Context(), core.Owner, c.ID)
		if err != nil || kept.State != core.Ended || kept.Last != es[len(es)-1].Seq || !strings.Contains(kept.System, "jarvis") {
			t.Errorf("stored chain: %+v %v", kept, err)
		}
		ms := w.messages(c.Session)
		if len(ms) != 2 || ms[0].Text != "  Say hello\nplease  " || ms[1].Text != "Hello." || ms[1].Partial {
			t.Errorf("messages: %+v", ms)
		}
		sess, err := w.store.Session(t.Context(), c.Session)
		if err != nil || sess.Title != "Say hello" || !sess.Hidden {
			t.Errorf("session: %+v %v", sess, err)
		}
		if r := m.requests()[0]; len(r.Messages) != 1 || len(r.Messages[0].Parts) != 1 || r.Messages[0].Parts[0].Text != "  Say hello\nplease  " {
			t.Errorf("the user's message is not the user's text: %+v", r.Messages)
		}
	})
}

func TestTextThatIsNotUTF8(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &model{ref: "fake/one", play: []script{says(text("a\xe2\x82"), text("\xac"), text("\xff\xfeb\xf0"), text("\x9f\x98\x80c\xe2"), finish(llm.FinishEnd))}}
		w := newWorld(t, deps(m, NewMemory())).serve()
		defer w.close()
		c := w.ask(core.Ask{Text: "go"})
		es := w.events(c.ID, 0)
		const want = "a€\uFFFDb😀c"
		if got := es[len(es)-1].Text; got != want {
			t.Errorf("text %q", got)
		}
		for _, e := range es {
			if !utf8.ValidString(e.Text) {
				t.Errorf("event %s: %q", e.Type, e.Text)
			}
		}
		if ms := w.messages(c.Session); ms[1].Text != want {
			t.Errorf("stored %q", ms[1].Text)
		}
	})
}
