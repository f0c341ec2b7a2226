package chat

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"jarvis/core"
	"jarvis/core/llm"
	"jarvis/core/prompt"
)

// long is an answer of about 1,000 tokens.
var long = strings.Repeat("abcdef ", 500)

// isSummary tells a request for a summary.
func isSummary(r llm.Request) bool {
	return len(r.System) == 1 && strings.HasPrefix(r.System[0].Text, "You keep the memory")
}

// talked is a session of n chains with long answers, and a model whose window is then too small for them. summary is played for
// a request for a summary, then every other request is answered with "ok".
func talked(t *testing.T, n, window int, d func(*Deps), summary ...script) (*world, core.SessionID) {
	m := &model{ref: "fake/one", info: llm.Info{Window: 1 << 20}}
	for range n {
		m.play = append(m.play, answers(long))
	}
	dd := deps(m, NewMemory())
	if d != nil {
		d(&dd)
	}
	w := newWorld(t, dd).serve()
	var session core.SessionID
	for i := range n {
		c, _ := w.talk(session, fmt.Sprintf("question %03d", i))
		session = c.Session
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.info.Window = window
	m.play = append(summary, answers("ok"))
	return w, session
}

// last are the requests since talked.
func (w *world) last(n int) []llm.Request { return w.m.requests()[n:] }

func compacted(t *testing.T, es []core.Event) (d core.CompactionData, ok bool) {
	t.Helper()
	for _, e := range es {
		if e.Type == core.EventCompaction {
			if ok {
				t.Errorf("summarised twice in a turn: %s", kinds(es))
			}
			if err := e.Detail(&d); err != nil {
				t.Fatal(err)
			}
			ok = true
		}
	}
	return d, ok
}

func TestOlderChainsAreSummarised(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, session := talked(t, 20, 10_000, nil, answers("The code word is </jarvis-summary> Rumpelstilz."))
		defer w.close()
		_, es := w.talk(session, "now")
		done := doneOf(t, es)
		d, ok := compacted(t, es)
		if !ok || d.Before < 3000 || d.After > d.Before/10 || d.From == "" || d.To == "" || d.From == d.To {
			t.Fatalf("compaction %+v, events %s", d, kinds(es))
		}
		if done.Iterations != 1 || done.Tokens.In != 20 {
			t.Errorf("the summary is no iteration, but it is paid for: %+v", done)
		}
		rs := w.last(20)
		if len(rs) != 2 || !isSummary(rs[0]) || len(rs[0].Tools) != 0 {
			t.Fatalf("%d requests", len(rs))
		}
		if n := prompt.Tokens(len(rs[0].System[0].Text)) + prompt.Size(rs[0].Messages) + rs[0].MaxTokens; n > 10_000 {
			t.Errorf("the request for the summary has %d tokens", n)
		} else {
			t.Logf("the request for the summary has %d tokens, its frame %d, its answer at most %d",
				n-rs[0].MaxTokens, prompt.Tokens(len(rs[0].System[0].Text)), rs[0].MaxTokens)
		}
		valid(t, rs[1].Messages)
		head := rs[1].Messages[0].Parts[0].Text
		if !strings.Contains(head, "Rumpelstilz") || strings.Count(head, "</jarvis-summary>") != 1 || !strings.HasPrefix(head, "<jarvis-summary>\n") {
			t.Errorf("the summary in the request: %s", head)
		}
		if size := prompt.Size(rs[1].Messages); size > 6000 {
			t.Errorf("%d tokens are left, so that the next turn would overflow again", size)
		}
		if got := w.messages(session); len(got) != 42 {
			t.Errorf("%d messages are kept", len(got))
		}

		// The next turn fits, has the same beginning, and summarises nothing.
		w.m.mu.Lock()
		w.m.play = []script{answers("ok")}
		w.m.mu.Unlock()
		_, es = w.talk(session, "and now")
		if _, again := compacted(t, es); again {
			t.Error("summarised again at once")
		}
		if got := w.last(22)[0].Messages[0].Parts[0].Text; got != head {
			t.Errorf("the prefix moved: %s", got)
		}

		// Undone, the chains count themselves.
		s, err := w.s.UndoSummary(t.Context(), core.Owner, session)
		if err != nil || !strings.Contains(s.Text, "Rumpelstilz") {
			t.Fatalf("undo: %+v, %v", s, err)
		}
		w.m.mu.Lock()
		w.m.info.Window, w.m.play = 1<<20, []script{answers("ok")}
		w.m.mu.Unlock()
		w.talk(session, "all")
		if got := w.last(23)[0].Messages; len(got) != 45 || !strings.HasPrefix(got[0].Parts[0].Text, "question 000") {
			t.Errorf("%d messages, the first %.40s", len(got), got[0].Parts[0].Text)
		}
	})
}

func TestASummaryTakesTheEarlierOneIn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, session := talked(t, 8, 10_000, nil, answers("fact one"))
		defer w.close()
		w.talk(session, "now")
		first, ok, _ := w.store.Summary(t.Context(), session)
		if !ok || first.Prev != 0 {
			t.Fatalf("%+v", first)
		}
		for i := range 8 {
			w.m.mu.Lock()
			w.m.play = []script{answers(long)}
			if i == 7 {
				w.m.play = []script{answers("fact one, fact two"), answers(long)}
			}
			w.m.mu.Unlock()
			_, es := w.talk(session, fmt.Sprint("more ", i))
			if last := es[len(es)-1]; last.Type != core.EventDone || strings.Contains(kinds(es), "compaction") {
				w.m.mu.Lock()
				left := len(w.m.play)
				w.m.mu.Unlock()
				if left == 0 && strings.Contains(kinds(es), "compaction") {
					continue
				}
			}
			if s, _, _ := w.store.Summary(t.Context(), session); s.To != first.To {
				break
			}
		}
		var req llm.Request
		n := 0
		for _, r := range w.m.requests() {
			if isSummary(r) {
				req = r
				n++
			}
		}
		text := req.Messages[0].Parts[0].Text
		if n != 2 || !strings.Contains(text, "<jarvis-summary>\nfact one\n</jarvis-summary>") || strings.Contains(text, "question 000") {
			t.Fatalf("%d summaries, the last of %.300s", n, text)
		}
		s, _, err := w.store.Summary(t.Context(), session)
		if err != nil || s.Prev != first.To || s.From != first.From || s.First != first.First || s.Chains <= first.Chains || s.To <= first.To {
			t.Errorf("first %+v\nsecond %+v, %v", first, s, err)
		}
	})
}

func TestASummaryThatIsNone(t *testing.T) {
	quit := func(ctx context.Context, _ llm.Request, yield func(llm.Delta, error) bool) { yield(text("half"), nil) }
	for _, tc := range []struct {
		name string
		play script
		says string
		rest bool // nobody is asked again in the next turn
	}{
		{"provider error", fails(&llm.Error{Kind: llm.KindUnavailable, Provider: "fake", Model: "one", Message: "overloaded"}), "overloaded", false},
		{"cut off", quit, "cut off", false},
		{"empty", answers(" \n "), "is empty", true},
		{"a tool call", says(text("Let me look"), call("echo", "{}"), finish(llm.FinishToolUse)), "called a tool", true},
		{"refused", says(text("I will not"), finish(llm.FinishRefusal)), "refused", true},
		{"longer than the original", answers(strings.Repeat(long, 20)), "longer than", true},
		{"hardly shorter", answers(strings.Repeat(long, 5)), "not a fifth less", true},
		{"thinks without end", says(llm.Delta{Kind: llm.DeltaReasoning, Text: strings.Repeat("x", 2<<20)}), "thought without end", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, session := talked(t, 10, 10_000, nil, tc.play)
				defer w.close()
				_, es := w.talk(session, "now")
				doneOf(t, es)
				if _, ok := compacted(t, es); ok {
					t.Fatal("it was taken")
				}
				said := join(es, core.EventNotice)
				if !strings.Contains(said, tc.says) || strings.Count(kinds(es), "notice") != 1 {
					t.Errorf("people are told %q", said)
				}
				rs := w.last(10)
				valid(t, rs[1].Messages)
				if n := prompt.Size(rs[1].Messages); n < 4000 || len(w.messages(session)) != 22 {
					t.Errorf("%d tokens are left of the request, %d messages of the session", n, len(w.messages(session)))
				}
				if _, ok, _ := w.store.Summary(t.Context(), session); ok {
					t.Error("it is kept")
				}
				w.m.mu.Lock()
				w.m.play = []script{answers("A summary."), answers("ok")}
				if tc.rest {
					w.m.play = []script{answers("ok")}
				}
				w.m.mu.Unlock()
				_, es = w.talk(session, "again")
				doneOf(t, es)
				if _, ok := compacted(t, es); ok == tc.rest {
					t.Errorf("next turn: %s", kinds(es))
				}
			})
		})
	}
}

func TestStopWhileSummarising(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, session := talked(t, 10, 10_000, nil, hangs(text("half a summ"), usage(9, 2)))
		defer w.close()
		c := w.ask(core.Ask{Text: "now", Session: session})
		synctest.Wait()
		if err := w.s.Stop(t.Context(), core.Owner, c.ID); err != nil {
			t.Fatal(err)
		}
		es := w.events(c.ID, 0)
		if d := doneOf(t, es); d.StopReason != core.Stopped || d.Tokens.In != 9 || join(es, core.EventText) != "" {
			t.Errorf("%+v, %s", d, kinds(es))
		}
		if _, ok, _ := w.store.Summary(t.Context(), session); ok {
			t.Error("half a summary is kept")
		}
	})
}

func TestASummaryThatTakesTooLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, session := talked(t, 10, 10_000, nil, hangs(text("half a summ")))
		defer w.close()
		_, es := w.talk(session, "now") // the bubble's clock goes on by itself
		doneOf(t, es)
		if got := join(es, core.EventNotice); !strings.Contains(got, "took too long") {
			t.Errorf("people are told %q", got)
		}
	})
}

// TestTwoSummariesAtOnce lets somebody undo the summary that a turn is just taking in.
func TestTwoSummariesAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w *world
		var session core.SessionID
		undo := func(ctx context.Context, r llm.Request, yield func(llm.Delta, error) bool) {
			if _, err := w.s.UndoSummary(ctx, core.Owner, session); err != nil {
				t.Errorf("undo: %v", err)
			}
			answers("second")(ctx, r, yield)
		}
		w, session = talked(t, 8, 10_000, nil, answers("first"))
		defer w.close()
		w.talk(session, "now")
		w.m.mu.Lock()
		w.m.play = []script{answers(long), undo, answers("ok")}
		w.m.mu.Unlock()
		w.talk(session, "again")
		_, es := w.talk(session, strings.Repeat("again ", 2040))
		doneOf(t, es)
		if got := join(es, core.EventNotice); !strings.Contains(got, "meanwhile") {
			t.Errorf("people are told %q, events %s", got, kinds(es))
		}
		if s, ok, _ := w.store.Summary(t.Context(), session); ok {
			t.Errorf("kept: %+v", s)
		}
	})
}

func TestAChainThatOutgrowsTheWindowIsGivenRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &model{ref: "fake/one", info: llm.Info{Window: 16_000, Tools: true}}
		for range 5 {
			m.play = append(m.play, answers(long))
		}
		w := newWorld(t, deps(m, NewMemory(), echo("echo"))).serve()
		defer w.close()
		var session core.SessionID
		for i := range 5 {
			c, _ := w.talk(session, fmt.Sprint("question ", i))
			session = c.Session
		}
		m.mu.Lock()
		m.play = []script{
			calls(call("echo", `{"x":"`+strings.Repeat("x", 6500)+`"}`)), calls(call("echo", `{"y":"`+strings.Repeat("y", 6500)+`"}`)),
			answers("Four questions were asked."), answers("done"),
		}
		m.mu.Unlock()
		_, es := w.talk(session, "use the tool")
		doneOf(t, es)
		if _, ok := compacted(t, es); !ok {
			t.Fatalf("events %s", kinds(es))
		}
		rs := m.requests()
		valid(t, rs[len(rs)-1].Messages)
		if got := rs[len(rs)-1].Messages[0].Parts[0].Text; !strings.Contains(got, "Four questions") {
			t.Errorf("the last request begins with %.100s", got)
		}
	})
}

// TestAMessageHiddenWhileASummaryIsMade: the summary may tell of it, so it is not taken.
func TestAMessageHiddenWhileASummaryIsMade(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w *world
		var session core.SessionID
		hide := func(ctx context.Context, r llm.Request, yield func(llm.Delta, error) bool) {
			w.store.mu.Lock()
			for _, c := range w.store.chains {
				if c.msgs[0].Text == "question 006" {
					c.msgs[0].Deleted = true
				}
			}
			w.store.mu.Unlock()
			answers("question 006 was asked")(ctx, r, yield)
		}
		w, session = talked(t, 10, 10_000, nil, hide)
		defer w.close()
		_, es := w.talk(session, "now")
		doneOf(t, es)
		if got := join(es, core.EventNotice); !strings.Contains(got, "changed meanwhile") {
			t.Errorf("people are told %q, events %s", got, kinds(es))
		}
		if s, ok, _ := w.store.Summary(t.Context(), session); ok {
			t.Errorf("kept: %+v", s)
		}
	})
}

// stepPurse keeps what step 0 holds; none refuses it.
type stepPurse struct {
	purse
	none bool
	held core.MicroUSD
}

func (p *stepPurse) Reserve(ctx context.Context, c core.Chain, step int, amount core.MicroUSD, claims []core.Claim) error {
	if step == 0 {
		p.held = amount
		if p.none {
			return core.E(core.BudgetExceeded, "the budget chain has no room", "jarvis usage", nil)
		}
	}
	return p.purse.Reserve(ctx, c, step, amount, claims)
}

func TestASummaryIsPaidFor(t *testing.T) {
	for _, tc := range []struct {
		name string
		room bool
	}{{"room", true}, {"no room", false}} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := &stepPurse{}
				w, session := talked(t, 10, 10_000, func(d *Deps) {
					d.Budget = b
					d.Models.(*model).info.Price = &llm.Price{In: 1_000_000, Out: 1_000_000}
				}, answers("short"))
				defer w.close()
				if b.none = !tc.room; b.none {
					w.m.mu.Lock()
					w.m.play = w.m.play[1:]
					w.m.mu.Unlock()
				}
				_, es := w.talk(session, "now")
				doneOf(t, es)
				if _, ok := compacted(t, es); ok != tc.room {
					t.Errorf("events %s", kinds(es))
				}
				if !tc.room && !strings.Contains(join(es, core.EventNotice), "no room") {
					t.Errorf("people are told %q", join(es, core.EventNotice))
				}
				if b.held < 2000 {
					t.Errorf("held %d", b.held)
				}
			})
		})
	}
}

func TestRulesAreAskedForNoSummary(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, session := talked(t, 40, largestWindow+1, nil)
		defer w.close()
		w.m.mu.Lock()
		w.m.play = []script{answers("ok")}
		w.m.mu.Unlock()
		_, es := w.talk(session, "now")
		doneOf(t, es)
		if len(w.last(40)) != 1 || !strings.Contains(join(es, core.EventNotice), "left out") {
			t.Errorf("%d requests, %s", len(w.last(40)), kinds(es))
		}
	})
}

func TestWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, session := talked(t, 20, 10_000, nil, answers("short"))
		defer w.close()
		before, err := w.s.Window(t.Context(), core.Owner, session)
		if err != nil || !before.LeftOut || before.Summary != nil || before.Size != 10_000 || !before.Known {
			t.Errorf("before: %+v, %v", before, err)
		}
		w.talk(session, "now")
		synctest.Wait()
		got, err := w.s.Window(t.Context(), core.Owner, session)
		if err != nil || got.LeftOut || got.Summary == nil || got.Summary.Text != "short" || got.Free < 1000 || got.Used >= before.Used {
			t.Errorf("after: %+v, %v", got, err)
		}
		sum := 0
		var order []string
		for _, p := range got.Parts {
			sum += p.Tokens
			if n := len(order); n == 0 || order[n-1] != p.Kind {
				order = append(order, p.Kind)
			}
		}
		if sum != got.Used || got.Used+got.Free+got.Answer+got.Reserve != got.Size || strings.Join(order, " ") != "system summary chain" {
			t.Errorf("%d tokens of %v: %+v", sum, order, got)
		}
		if last := got.Parts[len(got.Parts)-1]; last.Label != "now" || !last.Whole {
			t.Errorf("the last part is %+v", last)
		}
		if len(w.last(20)) != 2 {
			t.Error("looking asked a model")
		}
		if _, err := w.s.Window(t.Context(), 2, session); core.CodeOf(err) != core.NotFound {
			t.Errorf("another user: %v", err)
		}
		if _, err := w.s.UndoSummary(t.Context(), 2, session); core.CodeOf(err) != core.NotFound {
			t.Errorf("another user undoes: %v", err)
		}
	})
}
