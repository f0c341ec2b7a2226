package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"jarvis/core"
)

// store is a Store over a few sessions.
type store struct {
	mu     sync.Mutex // guards the rest
	all    map[core.SessionID]core.Session
	open   map[core.SessionID]bool
	broken bool

	orphans []core.ChainID // erased, and their journals perhaps not
}

func (s *store) Session(_ context.Context, id core.SessionID) (core.Session, error) {
	if v, ok := s.all[id]; ok {
		return v, nil
	}
	return core.Session{}, core.E(core.NotFound, "there is no such session", "", nil)
}

func (s *store) Sessions(_ context.Context, user core.UserID, hidden bool, _ core.Page) ([]core.Session, core.Cursor, error) {
	var out []core.Session
	for _, v := range s.all {
		if v.User == user && (hidden || !v.Hidden) {
			out = append(out, v)
		}
	}
	return out, "", nil
}

func (s *store) FindSessions(_ context.Context, user core.UserID, typed string, n int) ([]core.SessionID, error) {
	var out []core.SessionID
	for id, v := range s.all {
		if v.User == user && core.MatchID(string(id), typed) && len(out) < n {
			out = append(out, id)
		}
	}
	slices.Sort(out)
	return out, nil
}

func (s *store) LastAsk(_ context.Context, user core.UserID, cwd string) (core.Session, error) {
	var last core.Session
	for _, v := range s.all {
		if v.User == user && v.Hidden && (cwd == "" || v.Cwd == cwd) && v.Modified.After(last.Modified) {
			last = v
		}
	}
	if last.ID == "" {
		return last, core.E(core.NotFound, "there is no session to continue", "", nil)
	}
	return last, nil
}

func (s *store) History(context.Context, core.SessionID, core.Page) ([]core.Message, core.Cursor, error) {
	return []core.Message{{Text: "m"}}, "", nil
}

func (s *store) Chains(context.Context, core.SessionID, core.Page) ([]core.Chain, core.Cursor, error) {
	return []core.Chain{{ID: "c"}}, "", nil
}

func (s *store) DeleteSession(_ context.Context, id core.SessionID) ([]core.ChainID, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken {
		return nil, errors.New("disk")
	}
	if s.open[id] {
		return nil, core.E(core.Conflict, "a chain of the session runs", "", nil)
	}
	delete(s.all, id)
	s.orphans = append(s.orphans, core.ChainID("chain of "+id))
	return []core.ChainID{core.ChainID("chain of " + id)}, nil
}

func (s *store) Orphans(_ context.Context, n int) ([]core.ChainID, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.orphans[:min(n, len(s.orphans))]), nil
}

func (s *store) Forget(_ context.Context, ids ...core.ChainID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.orphans = slices.DeleteFunc(s.orphans, func(id core.ChainID) bool { return slices.Contains(ids, id) })
	return nil
}

func (s *store) Expired(_ context.Context, before time.Time, n int) ([]core.SessionID, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []core.SessionID
	for id, v := range s.all {
		if v.Hidden && v.Modified.Before(before) && len(out) < n {
			out = append(out, id)
		}
	}
	slices.Sort(out)
	return out, nil
}

func id(n int) core.SessionID {
	return core.SessionID(fmt.Sprintf("01900000-0000-7000-8000-0000000%05x", n))
}

func made(sessions ...core.Session) (*Service, *store, *[]core.ChainID) {
	st := &store{all: map[core.SessionID]core.Session{}, open: map[core.SessionID]bool{}}
	for _, s := range sessions {
		st.all[s.ID] = s
	}
	removed := &[]core.ChainID{}
	return New(Deps{
		Store: st, Now: time.Now,
		After: func(d time.Duration, f func()) func() bool { return time.AfterFunc(d, f).Stop },
		Journals: func(_ context.Context, ids ...core.ChainID) error {
			*removed = append(*removed, ids...)
			return nil
		},
	}), st, removed
}

func TestFind(t *testing.T) {
	s, _, _ := made(
		core.Session{ID: id(0x11111), User: 1, Title: "one"}, core.Session{ID: id(0x21111), User: 1, Title: strings.Repeat("long ", 20)},
		core.Session{ID: id(0x33333), User: 2, Title: "hers"},
	)
	for _, tc := range []struct {
		typed string
		want  core.SessionID
		code  core.Code
	}{
		{string(id(0x11111)), id(0x11111), ""},
		{" " + strings.ToUpper(string(id(0x11111))) + "\n", id(0x11111), ""},
		{"011111", id(0x11111), ""},
		{"1111", "", core.BadRequest},
		{"0190000000007000800000000001", id(0x11111), ""},
		{"333333", "", core.NotFound},
		{"033333", "", core.NotFound},
		{string(id(0x33333)), "", core.NotFound},
		{"what?", "", core.BadRequest},
		{"", "", core.BadRequest},
	} {
		got, err := s.Find(t.Context(), 1, tc.typed)
		if got.ID != tc.want || core.CodeOf(err) != tc.code {
			t.Errorf("%q: %s %v", tc.typed, got.ID, err)
		}
	}
	_, err := s.Find(t.Context(), 1, "1111")
	if msg := fmt.Sprint(err); !strings.Contains(msg, string(id(0x11111))+" (one)") || !strings.Contains(msg, string(id(0x21111))) || strings.Contains(msg, "hers") {
		t.Errorf("the candidates: %s", msg)
	}
}

func TestLastAsk(t *testing.T) {
	now := time.Now()
	s, _, _ := made(
		core.Session{ID: id(1), User: 1, Hidden: true, Cwd: "/a", Modified: now.Add(-time.Hour)},
		core.Session{ID: id(2), User: 1, Hidden: true, Cwd: "/b", Modified: now},
		core.Session{ID: id(3), User: 1, Cwd: "/a", Modified: now},
	)
	for cwd, want := range map[string]core.SessionID{"/a": id(1), "/b": id(2), "/else": id(2), "": id(2)} {
		got, err := s.LastAsk(t.Context(), 1, cwd)
		if err != nil || got.ID != want {
			t.Errorf("%q: %s %v", cwd, got.ID, err)
		}
	}
	if _, err := s.LastAsk(t.Context(), 2, "/a"); core.CodeOf(err) != core.NotFound {
		t.Errorf("another user: %v", err)
	}
}

func TestDelete(t *testing.T) {
	s, st, removed := made(core.Session{ID: id(1), User: 1}, core.Session{ID: id(2), User: 1})
	st.open[id(2)] = true
	if err := s.Delete(t.Context(), 2, id(1)); core.CodeOf(err) != core.NotFound {
		t.Errorf("another user: %v", err)
	}
	if err := s.Delete(t.Context(), 1, id(2)); core.CodeOf(err) != core.Conflict {
		t.Errorf("an open one: %v", err)
	}
	if err := s.Delete(t.Context(), 1, id(1)); err != nil || len(*removed) != 1 || len(st.all) != 1 {
		t.Errorf("%v, journals %v", err, *removed)
	}
}

// TestJournalsThatACrashLeftGo: the text of an erased session must not stay in them.
func TestJournalsThatACrashLeftGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, st, removed := made()
		for i := range 250 {
			st.orphans = append(st.orphans, core.ChainID(fmt.Sprint("c", i)))
		}
		remove, failed := s.d.Journals, false
		s.d.Journals = func(ctx context.Context, ids ...core.ChainID) error {
			if !failed {
				failed = true
				return errors.New("disk")
			}
			return remove(ctx, ids...)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- s.Serve(ctx) }()
		time.Sleep(time.Minute)
		st.mu.Lock()
		if len(st.orphans) != 250 {
			t.Errorf("%d are forgotten whose journals are there", 250-len(st.orphans))
		}
		st.mu.Unlock()
		time.Sleep(sweepEvery)
		cancel()
		<-done
		if len(*removed) != 250 || len(st.orphans) != 0 {
			t.Errorf("%d journals removed, %d noted", len(*removed), len(st.orphans))
		}
	})
}

func TestHiddenSessionsExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now := time.Now()
		var all []core.Session
		for i := range 250 {
			all = append(all, core.Session{ID: id(i), User: 1, Hidden: true, Modified: now})
		}
		all = append(all,
			core.Session{ID: id(1000), User: 1, Modified: now},
			core.Session{ID: id(1001), User: 1, Hidden: true, Modified: now},
			core.Session{ID: id(1002), User: 1, Hidden: true, Modified: now.Add(10 * 24 * time.Hour)},
		)
		s, st, removed := made(all...)
		st.open[id(1001)] = true
		told := make(chan int, 10)
		s.d.Expired = func(_ context.Context, n int, _ error) { told <- n }
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- s.Serve(ctx) }()
		// locked waits and then looks at the store.
		locked := func(wait time.Duration, look func()) {
			time.Sleep(wait)
			st.mu.Lock()
			defer st.mu.Unlock()
			look()
		}
		locked(30*24*time.Hour-time.Minute, func() {
			if len(st.all) != len(all) {
				t.Errorf("%d sessions went too early", len(all)-len(st.all))
			}
		})
		locked(2*time.Hour, func() {
			if len(st.all) != 3 {
				t.Errorf("%d sessions left", len(st.all))
			}
			st.open = nil
			st.broken = true
		})
		locked(2*time.Hour, func() { st.broken = false })
		locked(2*time.Hour, func() {
			if a, b := <-told, <-told; a != 250 || b != 1 || len(told) > 0 {
				t.Errorf("told of %d and %d", a, b)
			}
			if len(st.all) != 2 {
				t.Errorf("%d sessions left after the chain ended and the disk came back", len(st.all))
			}
		})
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if len(*removed) != 251 {
			t.Errorf("%d journals removed", len(*removed))
		}
	})
}
