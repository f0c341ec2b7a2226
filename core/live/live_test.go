package live

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"jarvis/core"
)

const session = core.SessionID("018f0000-0000-7000-8000-0000000000aa")

// world is a store and its journals: chain n is told as n+2 events, the last of which is terminal.
type world struct {
	mu     sync.Mutex
	gone   bool
	chains []core.Chain
	bad    map[core.ChainID]error // after its first two events
	s      *Service
}

func chainID(n int) core.ChainID {
	return core.ChainID(fmt.Sprintf("018f0000-0000-7000-8000-%012x", n))
}

func newWorld(chains int) *world {
	w := &world{bad: map[core.ChainID]error{}}
	w.s = New(Deps{Store: w, Events: w.events, Now: time.Now})
	for range chains {
		w.add(core.Ended)
	}
	return w
}

func (w *world) add(state core.ChainState) core.ChainID {
	w.mu.Lock()
	n := len(w.chains) + 1
	id := chainID(n)
	w.chains = append(w.chains, core.Chain{ID: id, Session: session, User: core.Owner, Pos: uint64(3 * n), State: state})
	w.mu.Unlock()
	w.s.Changed(session)
	return id
}

func (w *world) erase() {
	w.mu.Lock()
	w.gone = true
	w.mu.Unlock()
	w.s.Changed(session)
}

func (w *world) Session(_ context.Context, id core.SessionID) (core.Session, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.gone || id != session {
		return core.Session{}, core.E(core.NotFound, "no session", "", nil)
	}
	return core.Session{ID: id, User: core.Owner}, nil
}

func (w *world) Chain(_ context.Context, id core.ChainID) (core.Chain, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.chains {
		if c.ID == id {
			return c, nil
		}
	}
	return core.Chain{}, core.E(core.NotFound, "no chain", "", nil)
}

func (w *world) Chains(context.Context, core.SessionID, core.Page) ([]core.Chain, core.Cursor, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.chains), "", nil
}

func (w *world) ChainsAfter(_ context.Context, _ core.SessionID, pos uint64, n int) ([]core.Chain, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.gone {
		return nil, nil
	}
	var out []core.Chain
	for _, c := range w.chains {
		if c.Pos > pos && len(out) < min(n, 2) {
			out = append(out, c)
		}
	}
	return out, nil
}

func (w *world) told(c core.Chain) []core.Event {
	n := int(c.Pos/3) + 2
	var out []core.Event
	for i := 1; i <= n; i++ {
		e := core.Event{Type: core.EventText, Seq: uint64(i), Chain: c.ID, Session: session, Text: fmt.Sprint(i)}
		if i == n {
			e.Type = core.EventDone
		}
		out = append(out, e)
	}
	return out
}

func (w *world) events(ctx context.Context, _ core.UserID, id core.ChainID, after uint64) iter.Seq2[core.Event, error] {
	return func(yield func(core.Event, error) bool) {
		c, _ := w.Chain(ctx, id)
		for _, e := range w.told(c) {
			w.mu.Lock()
			bad := w.bad[id]
			w.mu.Unlock()
			if bad != nil && e.Seq > 2 {
				yield(core.Event{}, bad)
				return
			}
			if e.Seq > after && !yield(e, nil) {
				return
			}
		}
	}
}

// read gives the places of at most n events after a place; it stops where there is nothing more for now.
func (w *world) read(t *testing.T, after string, n int) []string {
	t.Helper()
	var out []string
	for e, err := range w.s.Events(t.Context(), core.Owner, session, after) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Type == "" || len(out) == n {
			break
		}
		out = append(out, PlaceOf(e))
	}
	return out
}

const all = 1 << 30

func TestEveryPlaceGivesTheRest(t *testing.T) {
	w := newWorld(7)
	whole := w.read(t, "", all)
	if len(whole) != 3+4+5+6+7+8+9 {
		t.Fatalf("the whole stream has %d events", len(whole))
	}
	for i, at := range whole {
		if got := w.read(t, at, all); !slices.Equal(got, whole[i+1:]) {
			t.Errorf("after %s:\n got %q\nwant %q", at, got, whole[i+1:])
		}
	}
	// A reader may also say the number of a chain's last event, or that it has seen nothing of a chain.
	if got := w.read(t, string(chainID(7))+":9", all); len(got) != 0 {
		t.Errorf("behind the last number: %q", got)
	}
	if got := w.read(t, string(chainID(7))+":0", all); !slices.Equal(got, whole[len(whole)-9:]) {
		t.Errorf("before the last chain: %q", got)
	}
}

func TestCutAnywhere(t *testing.T) {
	w := newWorld(9)
	whole := w.read(t, "", all)
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // a test that can be repeated
		var got []string
		for at := ""; len(got) < len(whole); {
			part := w.read(t, at, 1+r.IntN(7))
			if got = append(got, part...); len(part) == 0 {
				break
			}
			at = got[len(got)-1]
		}
		if !slices.Equal(got, whole) {
			t.Fatalf("seed %d: %q", seed, got)
		}
	}
}

func TestScreensSeeWhatStarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(1)
		const screens = 8
		got := make([][]string, screens)
		over := make([]error, screens)
		var wg sync.WaitGroup
		for i := range screens {
			wg.Go(func() {
				for e, err := range w.s.Events(t.Context(), core.Owner, session, "") {
					if over[i] = err; err != nil {
						return
					}
					if e.Type != "" {
						got[i] = append(got[i], PlaceOf(e))
					}
				}
			})
		}
		synctest.Wait()
		for range 5 {
			w.add(core.Ended)
		}
		synctest.Wait()
		want := w.read(t, "", all)
		w.erase() // ends every stream
		wg.Wait()
		for i := range screens {
			if over[i] != nil || !slices.Equal(got[i], want) {
				t.Errorf("screen %d: %v %q", i, over[i], got[i])
			}
		}
		if len(w.s.topics) != 0 {
			t.Errorf("%d sessions are still waited for", len(w.s.topics))
		}
	})
}

func TestFromWhatIsOpen(t *testing.T) {
	w := newWorld(3)
	if got := w.read(t, End, all); len(got) != 0 {
		t.Errorf("nothing is open: %q", got)
	}
	open := w.add(core.Running)
	w.add(core.Queued)
	if got := w.read(t, End, all); len(got) != 6+7 || got[0] != string(open)+":1" {
		t.Errorf("from the running one on: %q", got)
	}
}

func TestDamagedChainDoesNotHideTheNext(t *testing.T) {
	w := newWorld(3)
	w.bad[chainID(2)] = core.E(core.StoreDamaged, "the journal is damaged", "jarvis session list", nil)
	whole := w.read(t, "", all)
	if len(whole) != 3+3+5 || whole[5] != string(chainID(2)) {
		t.Fatalf("%q", whole)
	}
	for i, at := range whole {
		if got := w.read(t, at, all); !slices.Equal(got, whole[i+1:]) {
			t.Errorf("after %s: %q", at, got)
		}
	}
	// While the chain is open its journal may be read later: the stream is cut.
	open := w.add(core.Running)
	w.bad[open] = errors.New("busy")
	for _, err := range w.s.Events(t.Context(), core.Owner, session, string(chainID(3))) {
		if err != nil {
			return
		}
	}
	t.Error("no error")
}

func TestWhatIsRefused(t *testing.T) {
	w := newWorld(1)
	for _, c := range []struct {
		user  core.UserID
		id    core.SessionID
		after string
		want  core.Code
	}{
		{core.Owner + 1, session, "", core.NotFound},
		{core.Owner, "018f0000-0000-7000-8000-0000000000bb", "", core.NotFound},
		{core.Owner, session, "7", core.BadRequest},
		{core.Owner, session, "end ", core.BadRequest},
		{core.Owner, session, string(chainID(9)), core.BadRequest},
		{core.Owner, session, string(chainID(1)) + ":-1", core.BadRequest},
		{core.Owner, session, string(chainID(1)) + ":", core.BadRequest},
		{core.Owner, session, string(chainID(1)) + ":99999999999999999999", core.BadRequest},
	} {
		for _, err := range w.s.Events(t.Context(), c.user, c.id, c.after) {
			if core.CodeOf(err) != c.want {
				t.Errorf("%+v: %v", c, err)
			}
			break
		}
	}
}
