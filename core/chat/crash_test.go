package chat

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"jarvis/core"
	"jarvis/core/llm"
)

// fuse counts the writes of one daemon to its store and journals, and at the one that it is set to the daemon is dead: that
// write and every later one never return, as after kill -9.
type fuse struct {
	mu    sync.Mutex // guards the rest
	left  int        // writes until death; -1 = never
	n     int
	dead  bool
	died  chan struct{}
	grave chan struct{} // closed at the end of the test, so that its goroutines end
}

var errDead = errors.New("the daemon is dead")

func newFuse(left int) *fuse {
	return &fuse{left: left, died: make(chan struct{}), grave: make(chan struct{})}
}

func (f *fuse) burn() error {
	f.mu.Lock()
	f.n++
	if !f.dead && f.left >= 0 && f.n > f.left {
		f.dead = true
		close(f.died)
	}
	dead := f.dead
	f.mu.Unlock()
	if dead {
		<-f.grave
		return errDead
	}
	return nil
}

type mortalStore struct {
	*Memory
	f *fuse
}

func (m mortalStore) Accept(ctx context.Context, in core.Intake) (core.Chain, int, error) {
	if err := m.f.burn(); err != nil {
		return core.Chain{}, 0, err
	}
	return m.Memory.Accept(ctx, in)
}

func (m mortalStore) Claim(ctx context.Context, lane string, o core.InstanceID, at time.Time) (core.Chain, bool, error) {
	if err := m.f.burn(); err != nil {
		return core.Chain{}, false, err
	}
	return m.Memory.Claim(ctx, lane, o, at)
}

func (m mortalStore) Append(ctx context.Context, p core.Progress) error {
	if err := m.f.burn(); err != nil {
		return err
	}
	return m.Memory.Append(ctx, p)
}

func (m mortalStore) Finish(ctx context.Context, e core.Ending) error {
	if err := m.f.burn(); err != nil {
		return err
	}
	return m.Memory.Finish(ctx, e)
}

type mortalJournal struct {
	*MemoryJournal
	f *fuse
}

func (j mortalJournal) Open(id core.ChainID) (Log, error) {
	if err := j.f.burn(); err != nil {
		return nil, err
	}
	l, err := j.MemoryJournal.Open(id)
	return mortalLog{l, j.f}, err
}

func (j mortalJournal) Read(ctx context.Context, id core.ChainID, after uint64) iter.Seq2[core.Event, error] {
	return j.MemoryJournal.Read(ctx, id, after)
}

type mortalLog struct {
	Log
	f *fuse
}

func (l mortalLog) Append(e core.Event) (uint64, error) {
	if err := l.f.burn(); err != nil {
		return 0, err
	}
	return l.Log.Append(e)
}

// crashScript is a chain with everything: text, two tools, text.
func crashScript() []script {
	return []script{
		says(text("I look. "), call("echo", `{"n":1}`), call("echo", `{"n":2}`), usage(5, 5), finish(llm.FinishToolUse)),
		says(text("It is "), text("fine."), usage(5, 5), finish(llm.FinishEnd)),
	}
}

func TestAfterACrashAtAnyPointNothingShownIsLost(t *testing.T) {
	total := 0
	for at := range 200 {
		alive := false
		t.Run(fmt.Sprintf("write %d", at), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { alive = crashAt(t, at, -1) })
		})
		if alive {
			total = at
			break
		}
		for second := range 12 {
			t.Run(fmt.Sprintf("write %d and then %d", at, second), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { crashAt(t, at, second) })
			})
		}
	}
	if total < 15 {
		t.Errorf("the scenario has only %d writes", total)
	}
}

// mortal is a daemon with a fuse.
func mortal(t *testing.T, st *Memory, f *fuse, play []script) *world {
	d := deps(&model{ref: "fake/one", play: play}, st, echo("echo"))
	d.Store, d.Journal = mortalStore{st, f}, mortalJournal{st.Journal(), f}
	w := newWorld(t, d)
	ctx, cancel := context.WithCancel(context.Background())
	w.stop = cancel
	go func() { w.done <- w.s.Serve(ctx) }()
	synctest.Wait()
	return w
}

func (w *world) bury(f *fuse) {
	w.stop()
	close(f.grave)
	<-w.done
}

// crashAt kills a daemon at one write, and the next one at one of its own, starts another and checks what is left. It
// reports whether the chain had ended before the first death.
func crashAt(t *testing.T, at, second int) (alive bool) {
	st := NewMemory()
	f := newFuse(at)
	old := mortal(t, st, f, crashScript())
	defer old.bury(f)
	id := core.ChainID(newID())
	accepted := make(chan core.Chain, 1)
	go func() {
		if c, err := old.s.Ask(context.Background(), core.Ask{Chain: id, User: core.Owner, Text: "go"}); err == nil {
			accepted <- c
		}
	}()
	synctest.Wait()
	var mu sync.Mutex
	shown := ""
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	go func() {
		for e, err := range old.s.Events(ctx, core.Owner, id, 0) {
			if err == nil && e.Type == core.EventText {
				mu.Lock()
				shown += e.Text
				mu.Unlock()
			}
		}
	}()
	synctest.Wait()
	select {
	case <-f.died:
	default:
		alive = true
	}
	if second >= 0 {
		f2 := newFuse(second)
		w := mortal(t, st, f2, crashScript())
		defer w.bury(f2)
	}
	m := &model{ref: "fake/one", play: crashScript()}
	w := newWorld(t, deps(m, st, echo("echo"))).serve()
	defer w.close()
	if _, err := st.Chain(t.Context(), id); core.CodeOf(err) == core.NotFound {
		select {
		case <-accepted:
			t.Errorf("an acknowledged chain is lost")
		default: // never acknowledged
		}
		return alive
	}
	mu.Lock()
	saw := shown
	mu.Unlock()
	checkAfterCrash(t, w, id, saw, m)
	return alive
}

func checkAfterCrash(t *testing.T, w *world, id core.ChainID, shown string, m *model) {
	es := w.events(id, 0)
	synctest.Wait()
	last := es[len(es)-1]
	d := doneOf(t, es)
	if d.StopReason != core.EndTurn && d.StopReason != core.Interrupted {
		t.Errorf("stop reason %s", d.StopReason)
	}
	if d.StopReason == core.EndTurn && last.Text != "I look. It is fine." {
		t.Errorf("text %q", last.Text)
	}
	if !strings.HasPrefix(last.Text, shown) {
		t.Errorf("shown was %q, kept is %q", shown, last.Text)
	}
	if k := kinds(es); !strings.HasPrefix(k, "message state:queued state:running") && !strings.HasPrefix(k, "message state:queued notice") {
		t.Errorf("events %s", k)
	}
	c, err := w.s.Chain(t.Context(), core.Owner, id)
	if err != nil || c.State != core.Ended || c.Last != last.Seq || c.Stop != d.StopReason {
		t.Errorf("stored chain %+v %v, last event %d", c, err, last.Seq)
	}
	stored := ""
	open := map[core.CallID]int{}
	for _, msg := range w.messages(c.Session) {
		switch msg.Type {
		case core.TypeText:
			if msg.Role == core.RoleAssistant {
				stored += msg.Text
			}
		case core.TypeToolUse:
			open[msg.Call]++
		case core.TypeToolResult:
			open[msg.Call]--
		}
	}
	if stored != last.Text {
		t.Errorf("stored %q, told %q", stored, last.Text)
	}
	for call, n := range open {
		if n != 0 {
			t.Errorf("call %s: %d results are missing", call, n)
		}
	}
	m.mu.Lock()
	m.play = []script{answers("next")}
	m.mu.Unlock()
	next := w.ask(core.Ask{Text: "and now?", Session: c.Session})
	doneOf(t, w.events(next.ID, 0))
	reqs := m.requests()
	valid(t, reqs[len(reqs)-1].Messages)
}

// valid checks what strict providers check.
func valid(t *testing.T, ms []llm.Message) {
	t.Helper()
	if len(ms) == 0 || ms[0].Role != core.RoleUser || ms[len(ms)-1].Role != core.RoleUser {
		t.Errorf("a conversation begins and ends with the user: %+v", ms)
	}
	for i, m := range ms {
		if len(m.Parts) == 0 {
			t.Errorf("message %d is empty", i)
		}
		if i > 0 && ms[i-1].Role == m.Role {
			t.Errorf("messages %d and %d are both of the %s", i-1, i, m.Role)
		}
		var uses, results []core.CallID
		for _, p := range m.Parts {
			switch p.Type {
			case llm.PartToolUse:
				uses = append(uses, p.Call)
			case llm.PartText:
				if strings.TrimSpace(p.Text) == "" {
					t.Errorf("message %d has an empty text", i)
				}
			}
		}
		if len(uses) == 0 {
			continue
		}
		if i+1 == len(ms) {
			t.Errorf("calls without results at the end")
			continue
		}
		for _, p := range ms[i+1].Parts {
			if p.Type == llm.PartToolResult {
				results = append(results, p.Call)
			}
		}
		if fmt.Sprint(uses) != fmt.Sprint(results) {
			t.Errorf("calls %v, results %v", uses, results)
		}
	}
}

func TestAskedAgainBehindAnAcceptance(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &model{ref: "fake/one", play: []script{answers("here"), answers("more")}}
		st := NewMemory()
		w := newWorld(t, deps(m, st)).serve()
		defer w.close()
		// Stored by an attempt that was cut off right behind its acceptance.
		id := core.ChainID(newID())
		in, err := w.s.intake(t.Context(), core.Ask{Chain: id, User: core.Owner, Text: "go"}, w.s.disk)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := st.Accept(t.Context(), in); err != nil {
			t.Fatal(err)
		}
		c := w.ask(core.Ask{Chain: id, Text: "something else"})
		es := w.events(c.ID, 0)
		if es[0].Text != "go" || es[len(es)-1].Text != "here" {
			t.Errorf("events %s: %q, %q", kinds(es), es[0].Text, es[len(es)-1].Text)
		}
	})
}
