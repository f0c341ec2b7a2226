package storetest

import (
	"context"
	"fmt"
	"io"
	"slices"
	"testing"

	"jarvis/core"
)

// Copies is session.Copies.
type Copies interface {
	StartImport(ctx context.Context, id core.SessionID) error
	ImportSome(ctx context.Context, id core.SessionID, part core.Copied) error
	FinishImport(ctx context.Context, s core.Session) (core.Session, error)
	DropImport(ctx context.Context, id core.SessionID) error
	Summaries(ctx context.Context, id core.SessionID, p core.Page) ([]core.Summary, core.Cursor, error)
}

// CopyStore is a store that sessions can be written to whole.
type CopyStore interface {
	Chats
	Sessions
	Copies
}

// RunCopies tests the writing of whole sessions. open opens what lies in dir.
func RunCopies(t *testing.T, open func(t *testing.T, dir string) CopyStore) {
	for name, f := range map[string]func(fixture, CopyStore){
		"whole": copyWhole, "invisible": copyInvisible, "drop": copyDrop, "ids": copyIDs, "summaries": copySummaries, "blobs": copyBlobs,
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, t.TempDir())
			f(fixture{t, s}, s)
		})
	}
	t.Run("crash", func(t *testing.T) { copyCrash(t, open) })
}

// part is chain n, ended, with two messages.
func part(n int) core.Copied {
	c := core.Chain{
		ID: chainID(n), User: alice, Stop: core.EndTurn, State: core.Running, Owner: "x", Lane: "session:other", Pos: 7,
		Origin: core.Origin{Kind: "cli", Key: "k"}, Usage: core.Usage{In: 5}, Created: clock(n), Last: 3,
	}
	ask := message(n, 0, fmt.Sprintf("ask %d", n))
	return core.Copied{Chains: []core.Chain{c}, Messages: []core.Message{ask, message(n, 1, fmt.Sprintf("answer %d", n))}}
}

func (f fixture) written(s CopyStore, session int, chains ...int) core.Session {
	f.t.Helper()
	if err := s.StartImport(f.ctx(), sessionID(session)); err != nil {
		f.t.Fatal(err)
	}
	for _, n := range chains {
		if err := s.ImportSome(f.ctx(), sessionID(session), part(n)); err != nil {
			f.t.Fatal(err)
		}
	}
	got, err := s.FinishImport(f.ctx(), copyOf(session))
	if err != nil {
		f.t.Fatal(err)
	}
	return got
}

func copyOf(session int) core.Session {
	return core.Session{ID: sessionID(session), User: alice, Title: "copy", Created: clock(1), Modified: clock(90)}
}

func copyWhole(f fixture, s CopyStore) {
	f.accept(f.ask(1, 1))
	got := f.written(s, 2, 11, 12)
	if got.Title != "copy" || !got.Created.Equal(clock(1)) || !got.Modified.Equal(clock(90)) {
		f.t.Errorf("session is %+v", got)
	}
	wantSessions(f, s, alice, false, 2, 1)
	wantSessions(f, s, bob, true)
	if ids, err := s.FindSessions(f.ctx(), alice, core.Short(string(sessionID(2))), 5); err != nil || !slices.Contains(ids, sessionID(2)) {
		f.t.Errorf("found %v, %v", ids, err)
	}
	if got := f.texts(2, core.Page{}); !slices.Equal(got, []string{"ask 11", "answer 11", "ask 12", "answer 12"}) {
		f.t.Errorf("history is %q", got)
	}
	cs, _, err := s.Chains(f.ctx(), sessionID(2), core.Page{})
	if err != nil || len(cs) != 2 || cs[0].ID != chainID(11) || cs[0].Pos >= cs[1].Pos {
		f.t.Fatalf("chains are %+v, %v", cs, err)
	}
	for _, c := range cs {
		if c.State != core.Ended || c.Owner != "" || c.Lane != lane(2) || c.Session != sessionID(2) || c.Origin.Key != "" || c.Usage.In != 5 {
			f.t.Errorf("chain is %+v", c)
		}
	}
	// The session goes on like any other, and its lane is free.
	next := f.accept(f.ask(2, 3))
	if next.Pos <= cs[1].Pos || !f.tryClaim(2, "a") {
		f.t.Errorf("the next chain is %+v", next)
	}
	if err := s.ImportSome(f.ctx(), sessionID(2), part(13)); core.CodeOf(err) != core.Conflict {
		f.t.Errorf("written to after its end: %v", err)
	}
	if err := s.DropImport(f.ctx(), sessionID(2)); core.CodeOf(err) != core.Conflict {
		f.t.Errorf("dropped after its end: %v", err)
	}
	if err := s.DropImport(f.ctx(), sessionID(1)); core.CodeOf(err) != core.Conflict {
		f.t.Errorf("a conversation is dropped: %v", err)
	}
}

func copyInvisible(f fixture, s CopyStore) {
	if err := s.StartImport(f.ctx(), sessionID(2)); err != nil {
		f.t.Fatal(err)
	}
	if err := s.ImportSome(f.ctx(), sessionID(2), part(11)); err != nil {
		f.t.Fatal(err)
	}
	wantSessions(f, s, alice, true)
	if _, err := s.Session(f.ctx(), sessionID(2)); core.CodeOf(err) != core.NotFound {
		f.t.Errorf("seen: %v", err)
	}
	if ids, err := s.FindSessions(f.ctx(), alice, core.Short(string(sessionID(2))), 5); err != nil || len(ids) != 0 {
		f.t.Errorf("found %v, %v", ids, err)
	}
	if _, _, err := s.Accept(f.ctx(), f.ask(2, 3)); core.CodeOf(err) != core.Conflict {
		f.t.Errorf("a message to it: %v", err)
	}
	for c, err := range s.Unfinished(f.ctx(), "a") {
		f.t.Errorf("open: %+v, %v", c, err)
	}
}

func copyDrop(f fixture, s CopyStore) {
	if err := s.StartImport(f.ctx(), sessionID(2)); err != nil {
		f.t.Fatal(err)
	}
	if err := s.ImportSome(f.ctx(), sessionID(2), part(11)); err != nil {
		f.t.Fatal(err)
	}
	if err := s.DropImport(f.ctx(), sessionID(2)); err != nil {
		f.t.Fatal(err)
	}
	if _, err := s.Chain(f.ctx(), chainID(11)); core.CodeOf(err) != core.NotFound {
		f.t.Errorf("its chain is there: %v", err)
	}
	if got := f.texts(2, core.Page{}); len(got) != 0 {
		f.t.Errorf("history is %q", got)
	}
	if _, err := s.FinishImport(f.ctx(), copyOf(2)); core.CodeOf(err) != core.Conflict {
		f.t.Errorf("finished after all: %v", err)
	}
	f.written(s, 2, 11)
}

func copyIDs(f fixture, s CopyStore) {
	f.accept(f.ask(1, 1))
	if err := s.StartImport(f.ctx(), sessionID(1)); core.CodeOf(err) != core.Conflict {
		f.t.Errorf("an id that is taken: %v", err)
	}
	if err := s.StartImport(f.ctx(), "x"); core.CodeOf(err) != core.BadRequest {
		f.t.Errorf("an id that is none: %v", err)
	}
	if err := s.ImportSome(f.ctx(), sessionID(3), part(11)); core.CodeOf(err) != core.Conflict {
		f.t.Errorf("never begun: %v", err)
	}
	if err := s.StartImport(f.ctx(), sessionID(2)); err != nil {
		f.t.Fatal(err)
	}
	if err := s.StartImport(f.ctx(), sessionID(2)); core.CodeOf(err) != core.Conflict {
		f.t.Errorf("begun twice: %v", err)
	}
	if err := s.ImportSome(f.ctx(), sessionID(2), part(1)); core.CodeOf(err) != core.Conflict {
		f.t.Errorf("another's chain: %v", err)
	}
	only := core.Copied{Messages: []core.Message{message(1, 5, "into another's chain")}}
	if err := s.ImportSome(f.ctx(), sessionID(2), only); core.CodeOf(err) != core.NotFound {
		f.t.Errorf("a message of another's chain: %v", err)
	}
	if got := f.texts(1, core.Page{}); !slices.Equal(got, []string{"ask 1"}) {
		f.t.Errorf("the other session has %q", got)
	}
}

func copySummaries(f fixture, s CopyStore) {
	if err := s.StartImport(f.ctx(), sessionID(2)); err != nil {
		f.t.Fatal(err)
	}
	for n := 11; n < 15; n++ {
		if err := s.ImportSome(f.ctx(), sessionID(2), part(n)); err != nil {
			f.t.Fatal(err)
		}
	}
	sum := func(first, last int) core.Copied {
		return core.Copied{Summaries: []core.Summary{{First: chainID(first), Last: chainID(last), Text: fmt.Sprint(last), Prev: 99}}}
	}
	for last := 11; last < 13; last++ {
		if err := s.ImportSome(f.ctx(), sessionID(2), sum(11, last)); err != nil {
			f.t.Fatal(err)
		}
	}
	for name, bad := range map[string]core.Copied{"again": sum(11, 12), "back": sum(13, 12), "of nothing": sum(11, 77)} {
		if err := s.ImportSome(f.ctx(), sessionID(2), bad); err == nil {
			f.t.Errorf("%s: taken", name)
		}
	}
	if _, err := s.FinishImport(f.ctx(), copyOf(2)); err != nil {
		f.t.Fatal(err)
	}
	cs, _, err := s.Chains(f.ctx(), sessionID(2), core.Page{})
	if err != nil {
		f.t.Fatal(err)
	}
	got, next, err := s.Summaries(f.ctx(), sessionID(2), core.Page{Limit: 1})
	if err != nil || len(got) != 1 || next == "" || got[0].Prev != 0 || got[0].To != cs[0].Pos {
		f.t.Errorf("first: %+v, %q, %v", got, next, err)
	}
	got, next, err = s.Summaries(f.ctx(), sessionID(2), core.Page{After: next})
	if err != nil || len(got) != 1 || next != "" || got[0].From != cs[0].Pos || got[0].To != cs[1].Pos || got[0].Prev != cs[0].Pos {
		f.t.Errorf("second: %+v, %q, %v", got, next, err)
	}
}

// copyBlobs: an attachment lives as long as one of the sessions that name it.
func copyBlobs(f fixture, s CopyStore) {
	refs, ok := s.(interface {
		BlobReferenced(ctx context.Context, d core.Digest) (bool, error)
	})
	if !ok {
		f.t.Skip("the store says nothing of blobs")
	}
	named := func() bool {
		yes, err := refs.BlobReferenced(f.ctx(), "aa")
		if err != nil {
			f.t.Fatal(err)
		}
		return yes
	}
	for i, session := range []int{2, 3} {
		if err := s.StartImport(f.ctx(), sessionID(session)); err != nil {
			f.t.Fatal(err)
		}
		p := part(11 + i)
		p.Messages[0].Attachments = []core.Attachment{{Name: "a", Digest: "aa"}}
		if err := s.ImportSome(f.ctx(), sessionID(session), p); err != nil {
			f.t.Fatal(err)
		}
		if _, err := s.FinishImport(f.ctx(), copyOf(session)); err != nil {
			f.t.Fatal(err)
		}
	}
	for i, session := range []int{2, 3} {
		if _, err := s.DeleteSession(f.ctx(), sessionID(session)); err != nil {
			f.t.Fatal(err)
		}
		if named() != (i == 0) {
			f.t.Errorf("after %d erasures: named is %v", i+1, named())
		}
	}
}

// copyCrash: what was being written when a store closed is gone when it opens again.
func copyCrash(t *testing.T, open func(t *testing.T, dir string) CopyStore) {
	dir := t.TempDir()
	s := open(t, dir)
	f := fixture{t, s}
	f.accept(f.ask(1, 1))
	if err := s.StartImport(f.ctx(), sessionID(2)); err != nil {
		t.Fatal(err)
	}
	for n := 11; n < 20; n++ {
		if err := s.ImportSome(f.ctx(), sessionID(2), part(n)); err != nil {
			t.Fatal(err)
		}
	}
	c, ok := s.(io.Closer)
	if !ok {
		t.Skip("the store cannot be closed")
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, dir)
	f = fixture{t, s}
	wantSessions(f, s, alice, true, 1)
	if got := f.texts(2, core.Page{}); len(got) != 0 {
		t.Errorf("history is %q", got)
	}
	if _, err := s.Chain(f.ctx(), chainID(11)); core.CodeOf(err) != core.NotFound {
		t.Errorf("a chain is left: %v", err)
	}
	f.written(s, 2, 11)
}
