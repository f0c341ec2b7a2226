package index_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"jarvis/core"
	"jarvis/core/search"
	"jarvis/store/bolt"
	"jarvis/store/index"
	"jarvis/store/index/engine"
)

// TestMain is jarvis-index too, so that the tests run a real program.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && !strings.HasPrefix(os.Args[1], "-") {
		os.Exit(engine.Main())
	}
	os.Exit(m.Run())
}

// rig is a home with a real store, a real index program and the service over both.
type rig struct {
	t   *testing.T
	dir string
	db  *bolt.DB
	p   *index.Process
	s   *search.Service
	now atomic.Int64 // how far each look at the clock moves it on
	at  atomic.Int64
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{t: t, dir: t.TempDir()}
	var err error
	if r.db, err = bolt.Open(t.Context(), bolt.Options{Path: filepath.Join(r.dir, "jarvis.db")}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.db.Close() })
	r.restart(r.db)
	return r
}

func (r *rig) index() string { return filepath.Join(r.dir, "index") }

// restart begins a new service and a new program over the same home, as a new daemon would.
func (r *rig) restart(store search.Store) {
	if r.p != nil {
		_ = r.p.Close()
	}
	self, err := os.Executable()
	if err != nil {
		r.t.Fatal(err)
	}
	r.p = index.New(index.Options{Program: self, Dir: r.index(), Home: r.db.HomeID()})
	r.t.Cleanup(func() { _ = r.p.Close() })
	r.s = search.New(search.Deps{Store: store, Index: r.p, Now: func() time.Time {
		return time.Unix(0, r.at.Add(r.now.Load()))
	}})
}

// say stores one finished chain of a session, which it makes when it is new.
func (r *rig) say(user core.UserID, session, chain, question string, answers ...string) {
	r.t.Helper()
	ctx, sid := r.t.Context(), core.SessionID(session)
	in := core.Intake{
		Chain:   core.Chain{ID: core.ChainID(chain), Session: sid, User: user, Lane: "session:" + session},
		Message: core.Message{Role: core.RoleUser, Type: core.TypeText, Text: question, Created: time.Unix(1000, 0)},
	}
	if _, err := r.db.Session(ctx, sid); err != nil {
		in.Session = &core.Session{ID: sid, User: user, Title: "about " + session, Hidden: strings.HasPrefix(session, "hidden")}
	}
	c, _, err := r.db.Accept(ctx, in)
	if err != nil {
		r.t.Fatal(err)
	}
	if _, ok, err := r.db.Claim(ctx, c.Lane, "me", time.Unix(1000, 0)); err != nil || !ok {
		r.t.Fatal(ok, err)
	}
	p := core.Progress{Chain: c.ID, Owner: "me", Step: &core.Step{N: 1}}
	for i, a := range answers {
		p.Messages = append(p.Messages, core.Message{
			N: uint32(i + 1), Role: core.RoleAssistant, Type: core.TypeText, Text: a, Created: time.Unix(1001, 0),
		})
	}
	if err := r.db.Finish(ctx, core.Ending{Progress: p, Stop: core.EndTurn, Done: time.Unix(1001, 0)}); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) search(user core.UserID, text string) core.Hits {
	r.t.Helper()
	q, err := search.Parse(text, time.Now(), time.UTC)
	if err != nil {
		r.t.Fatal(err)
	}
	h, err := r.s.Search(r.t.Context(), user, q.Query, 100, "")
	if err != nil {
		r.t.Fatalf("search for %q: %v", text, err)
	}
	return h
}

// finds holds that the messages found are exactly these.
func (r *rig) finds(text string, want ...core.MessageID) {
	r.t.Helper()
	var got []core.MessageID
	for _, h := range r.search(core.Owner, text).Items {
		got = append(got, h.Message)
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		r.t.Errorf("%s finds %v, want %v", text, got, want)
	}
}

func TestOnlyTheCallersOwn(t *testing.T) {
	r := newRig(t)
	r.say(core.Owner, "s1", "c1", "Wo sind die Häuser?", "by the harbour")
	r.say(core.Owner, "hidden1", "c2", "a harbour again", "yes")
	r.say(2, "s2", "c3", "another's harbour", "harbour harbour")
	r.finds("harbour", "c1.1", "c2.0")
	if h := r.search(2, "harbour"); len(h.Items) != 2 || h.Items[0].Session != "s2" || h.Total != 2 {
		t.Errorf("the other user finds %+v", h)
	}
	h := r.search(core.Owner, "Haus").Items
	if len(h) != 1 || h[0].Title != "about s1" || len(h[0].Matches) != 1 {
		t.Fatalf("found %+v", h)
	}
	if m := h[0].Matches[0]; h[0].Snippet[m[0]:m[1]] != "Häuser" {
		t.Errorf("marked is %q", h[0].Snippet[m[0]:m[1]])
	}
}

// noAck is a store whose daemon is killed after the index has a change on the disk and before the store knows.
type noAck struct{ *bolt.DB }

func (noAck) Ack(context.Context, uint64) error { return errors.New("killed") }

func TestKilledBetweenIndexAndStore(t *testing.T) {
	r := newRig(t)
	r.say(core.Owner, "s1", "c1", "first mango", "pear")
	r.finds("mango", "c1.0")
	r.say(core.Owner, "s1", "c2", "second mango", "pear")
	r.restart(noAck{r.db})
	q := core.Query{Terms: []core.Term{{Text: "mango"}}}
	if _, err := r.s.Search(t.Context(), core.Owner, q, 10, ""); err == nil {
		t.Fatal("the acknowledgement did not fail")
	}
	if cs, err := r.db.Changes(t.Context(), 0, 10); err != nil || len(cs) == 0 {
		t.Fatalf("nothing waits any more: %v", err)
	}
	r.restart(r.db)
	r.finds("mango", "c1.0", "c2.0")
	if n := r.search(core.Owner, "mango").Total; n != 2 {
		t.Errorf("the index has %d", n)
	}
}

// TestProgramKilled: the program is started again, and what it had acknowledged is there.
func TestProgramKilled(t *testing.T) {
	r := newRig(t)
	r.say(core.Owner, "s1", "c1", "first mango", "pear")
	r.finds("mango", "c1.0")
	for i := range 3 {
		killIndex(t, r.index())
		id := "d" + strconv.Itoa(i)
		r.say(core.Owner, "s1", id, "nothing", "nothing")
		r.finds("mango", "c1.0")
	}
	r.finds("nothing", "d0.0", "d0.1", "d1.0", "d1.1", "d2.0", "d2.1")
}

// killIndex kills the program that has a folder open, without warning.
func killIndex(t *testing.T, dir string) {
	t.Helper()
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil || len(lines) == 0 {
		t.Skip("this system does not list its processes")
	}
	for _, l := range lines {
		args, err := os.ReadFile(l)
		if err != nil || !strings.Contains(string(args), "\x00"+dir+"\x00") {
			continue
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(l)))
		p, err := os.FindProcess(pid)
		if err == nil {
			err = p.Kill()
		}
		if err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Fatal("no program runs")
}

// TestSwappedHomes: each home has the other's index folder, stopped and running; neither finds what is not its own.
func TestSwappedHomes(t *testing.T) {
	for _, running := range []bool{false, true} {
		t.Run(fmt.Sprintf("running %v", running), func(t *testing.T) {
			a, b := newRig(t), newRig(t)
			a.say(core.Owner, "s1", "a1", "mango of a", "x")
			b.say(core.Owner, "s1", "b1", "mango of b", "x")
			a.finds("mango", "a1.0")
			b.finds("mango", "b1.0")
			if !running {
				_, _ = a.p.Close(), b.p.Close()
			}
			aside := filepath.Join(t.TempDir(), "aside")
			for _, mv := range [][2]string{{a.index(), aside}, {b.index(), a.index()}, {aside, b.index()}} {
				if err := os.Rename(mv[0], mv[1]); err != nil {
					t.Fatal(err)
				}
			}
			a.finds("mango", "a1.0")
			b.finds("mango", "b1.0")
			for _, r := range []*rig{a, b} {
				if h := r.search(core.Owner, "mango"); h.Total != 1 || !h.Complete {
					t.Errorf("the index has %+v", h)
				}
			}
		})
	}
}

// TestErased: what is deleted or erased is found no more, and comes back when it is undeleted.
func TestErased(t *testing.T) {
	r := newRig(t)
	r.say(core.Owner, "s1", "c1", "mango one", "mango two")
	r.say(core.Owner, "hidden1", "c2", "mango three", "x")
	r.finds("mango", "c1.0", "c1.1", "c2.0")
	for _, gone := range []bool{true, false} {
		if _, err := r.db.HideMessage(t.Context(), core.Owner, "c1.1", gone); err != nil {
			t.Fatal(err)
		}
		if n := r.search(core.Owner, "mango").Total; gone != (n == 2) {
			t.Errorf("deleted is %v, the index has %d", gone, n)
		}
	}
	for _, id := range []core.SessionID{"hidden1", "s1"} {
		if _, err := r.db.DeleteSession(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	if h := r.search(core.Owner, "mango"); h.Total != 0 || len(h.Items) != 0 {
		t.Errorf("of the erased is left %+v", h)
	}
	// The search was first: still it is the erasure that the background has to see, also after a restart.
	r.restart(r.db)
	r.search(core.Owner, "mango")
	if cs, err := r.db.Changes(t.Context(), 0, 10); err != nil || len(cs) == 0 || !cs[len(cs)-1].Erased() {
		t.Errorf("the feed has %+v, %v", cs, err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- r.s.Serve(ctx) }()
	for {
		if cs, err := r.db.Changes(ctx, 0, 10); err != nil || len(cs) == 0 {
			break
		}
		select {
		case <-t.Context().Done():
			t.Fatal("the files are not merged")
		case <-time.After(10 * time.Millisecond):
		}
	}
	stop()
	<-done
}

// TestRebuildSaysHowFar: when there is no time to wait for the whole of it, a search answers from what is there.
func TestRebuildSaysHowFar(t *testing.T) {
	r := newRig(t)
	r.say(core.Owner, "s1", "c1", "mango", slices.Repeat([]string{"mango"}, 599)...)
	r.now.Store(int64(700 * time.Millisecond)) // each look at the clock: there is time for one step
	h := r.search(core.Owner, "mango")
	if h.Complete || h.Messages != 600 || h.Indexed == 0 || h.Indexed >= 600 {
		t.Errorf("the first answer: complete %v, %d of %d", h.Complete, h.Indexed, h.Messages)
	}
	if _, err := r.db.DeleteSession(t.Context(), "s1"); err != nil { // while it is built
		t.Fatal(err)
	}
	r.say(core.Owner, "s2", "new", "mango", "x")
	for range 10 {
		if h = r.search(core.Owner, "mango"); h.Complete {
			break
		}
	}
	if !h.Complete || len(h.Items) != 1 || h.Total != 1 || h.Items[0].Message != "new.0" {
		t.Errorf("at the end: %+v", h)
	}
}

// TestHostileQueries: whatever is asked, there is an answer, and the index is as it was. How soon is bounded by the index itself
// (it gives up), and measured in the benchmarks.
func TestHostileQueries(t *testing.T) {
	r := newRig(t)
	r.say(core.Owner, "s1", "c1", "mango (a+)+$ "+strings.Repeat("a", 5000), strings.Repeat("ab ", 20_000))
	r.finds("mango", "c1.0")
	for _, text := range []string{
		"(a+)+$", `/(a|aa)+$/`, "a.*.*.*.*b", "aa* ab* mang*", strings.Repeat("ab* ", 40), strings.Repeat("-ab ", 39) + "mango",
		`"` + strings.Repeat("ab ", 600) + `"`, strings.Repeat("x", search.MaxQuery), "\u202e\u0000mango", "text:mango", "+mango^1e9 ~2", `"\"`, "[ab TO zz]",
		"user:2 mango", strings.Repeat("ä", 900) + "*", "after:0001-01-01 before:9999-12-31",
	} {
		q, err := search.Parse(text, time.Now(), time.UTC)
		if err != nil {
			if core.CodeOf(err) != core.BadRequest {
				t.Errorf("%.30q: %v", text, err)
			}
			continue
		}
		if _, err = r.s.Search(t.Context(), core.Owner, q.Query, 200, ""); err != nil && core.CodeOf(err) != core.BadRequest {
			t.Errorf("%.30q: %v", text, err)
		}
	}
	for _, cursor := range []core.Cursor{"x", "-1", "99999999999999999999", "10001"} {
		if _, err := r.s.Search(t.Context(), core.Owner, core.Query{Terms: []core.Term{{Text: "a"}}}, 1, cursor); core.CodeOf(err) != core.BadRequest {
			t.Errorf("cursor %s: %v", cursor, err)
		}
	}
	r.finds("mango", "c1.0")
}
