package storetest

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"jarvis/core"
)

// ArchiveStore is session.Archiver, session.Marker, session.Maker and session.Reader with what they are told by.
type ArchiveStore interface {
	Chats
	Chains(ctx context.Context, s core.SessionID, p core.Page) ([]core.Chain, core.Cursor, error)
	Sessions(ctx context.Context, user core.UserID, hidden bool, p core.Page) ([]core.Session, core.Cursor, error)
	DeleteSession(ctx context.Context, id core.SessionID) ([]core.ChainID, error)

	Archive(ctx context.Context, user core.UserID, s core.SessionID, pick core.ArchivePick, id core.ArchiveID, at time.Time) (core.Archive, error)
	RestoreArchive(ctx context.Context, user core.UserID, id core.ArchiveID) (core.Archive, error)
	ArchiveByID(ctx context.Context, user core.UserID, id core.ArchiveID) (core.Archive, error)
	Archives(ctx context.Context, s core.SessionID, p core.Page) ([]core.Archive, core.Cursor, error)
	ArchiveMessages(ctx context.Context, a core.Archive, p core.Page) ([]core.Message, core.Cursor, error)

	MarkMessage(ctx context.Context, user core.UserID, id core.MessageID, marked bool, most int) (core.Message, error)
	Marked(ctx context.Context, s core.SessionID, p core.Page) ([]core.Message, core.Cursor, error)
	Message(ctx context.Context, user core.UserID, id core.MessageID) (core.Message, error)

	CreateSession(ctx context.Context, s core.Session) error

	News(ctx context.Context, s core.SessionID, after core.Cursor) ([]core.Message, core.Cursor, bool, error)
	FindAttachment(ctx context.Context, user core.UserID, d core.Digest) (core.Attachment, error)
}

// RunArchive tests archives, marks, new sessions and news.
func RunArchive(t *testing.T, open func(t *testing.T) ArchiveStore) {
	for name, test := range map[string]func(fixture, ArchiveStore){
		"pick":       archivePick,
		"layers":     archiveLayers,
		"refused":    archiveRefused,
		"others":     archiveOthers,
		"race":       archiveRace,
		"erased":     archiveErased,
		"summary":    archiveSummary,
		"mark":       mark,
		"create":     create,
		"news":       news,
		"attachment": attachment,
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t)
			test(fixture{t, s}, s)
		})
	}
}

// said makes n ended chains of session 1, "ask i" and "answer i", of which a neighbour's lie between.
func said(f fixture, n int) {
	for i := 1; i <= n; i++ {
		f.accept(f.ask(1, i))
		f.claim(1, "a")
		if err := f.s.Finish(f.ctx(), f.ending(i, "a", clock(i), message(i, 1, fmt.Sprintf("answer %d", i)))); err != nil {
			f.t.Fatal(err)
		}
		f.accept(askOf(bob, 2, 1000+i))
	}
}

// talk is what chains say.
func talk(chains ...int) []string {
	var out []string
	for _, i := range chains {
		out = append(out, fmt.Sprintf("ask %d", i), fmt.Sprintf("answer %d", i))
	}
	return out
}

// wantTalk holds what is live, paged both ways.
func (f fixture) wantTalk(s ArchiveStore, chains ...int) {
	f.t.Helper()
	want := talk(chains...)
	for _, limit := range []int{1, 3, 100} {
		for _, back := range []bool{false, true} {
			var got []string
			for p := (core.Page{Limit: limit, Backward: back}); ; {
				ms, next, err := s.History(f.ctx(), sessionID(1), p)
				if err != nil {
					f.t.Fatal(err)
				}
				if back {
					got = append(textsOf(ms), got...)
				} else {
					got = append(got, textsOf(ms)...)
				}
				if p.After = next; next == "" {
					break
				}
			}
			if !slices.Equal(got, want) {
				f.t.Errorf("limit %d, backward %v: %q, want %q", limit, back, got, want)
			}
		}
	}
	cs, _, err := s.Chains(f.ctx(), sessionID(1), core.Page{})
	if err != nil || len(cs) != len(chains) {
		f.t.Errorf("%d chains, %v; want %d", len(cs), err, len(chains))
	}
}

func archiveID(n int) core.ArchiveID { return core.ArchiveID(fmt.Sprintf("archive-%d", n)) }

func (f fixture) archive(s ArchiveStore, n int, pick core.ArchivePick) core.Archive {
	f.t.Helper()
	a, err := s.Archive(f.ctx(), alice, sessionID(1), pick, archiveID(n), clock(100))
	if err != nil {
		f.t.Fatalf("archive: %v", err)
	}
	return a
}

func (f fixture) inArchive(s ArchiveStore, a core.Archive) []string {
	f.t.Helper()
	var got []string
	for p := (core.Page{Limit: 2}); ; {
		ms, next, err := s.ArchiveMessages(f.ctx(), a, p)
		if err != nil {
			f.t.Fatal(err)
		}
		got = append(got, textsOf(ms)...)
		if p.After = next; next == "" {
			return got
		}
	}
}

func archivePick(f fixture, s ArchiveStore) {
	said(f, 6)
	a := f.archive(s, 1, core.ArchivePick{Keep: 4})
	f.wantTalk(s, 3, 4, 5, 6)
	if a.Chains != 2 || a.Title != "ask 1" || a.Session != sessionID(1) || !a.Created.Equal(clock(100)) {
		f.t.Errorf("archive is %+v", a)
	}
	a = f.archive(s, 2, core.ArchivePick{Before: clock(5)})
	f.wantTalk(s, 5, 6)
	if got := f.inArchive(s, a); !slices.Equal(got, talk(3, 4)) {
		f.t.Errorf("archive has %q", got)
	}
	f.archive(s, 3, core.ArchivePick{})
	f.wantTalk(s)
	ms, _, err := s.History(f.ctx(), sessionID(1), core.Page{View: core.ViewAll})
	if err != nil || !slices.Equal(textsOf(ms), talk(1, 2, 3, 4, 5, 6)) {
		f.t.Errorf("everything is %q, %v", textsOf(ms), err)
	}
	as, next, err := s.Archives(f.ctx(), sessionID(1), core.Page{Limit: 2})
	if err != nil || len(as) != 2 || as[0].ID != archiveID(1) || next == "" {
		f.t.Errorf("archives are %+v, %q, %v", as, next, err)
	}
	c, err := s.Chain(f.ctx(), chainID(3))
	if err != nil {
		f.t.Fatal(err)
	}
	ms, _, err = s.History(f.ctx(), sessionID(1), core.Page{View: core.ViewAll, From: c.Pos, Through: c.Pos, Backward: true})
	if err != nil || !slices.Equal(textsOf(ms), talk(3)) {
		f.t.Errorf("one chain is %q, %v", textsOf(ms), err)
	}
}

func archiveLayers(f fixture, s ArchiveStore) {
	said(f, 6)
	f.archive(s, 1, core.ArchivePick{Keep: 4})
	f.archive(s, 2, core.ArchivePick{Keep: 2})
	if _, err := s.RestoreArchive(f.ctx(), alice, archiveID(1)); err != nil {
		f.t.Fatal(err)
	}
	f.wantTalk(s, 1, 2, 5, 6)
	a := f.archive(s, 3, core.ArchivePick{Keep: 1}) // on both sides of the second
	f.wantTalk(s, 6)
	if got := f.inArchive(s, a); !slices.Equal(got, talk(1, 2, 5)) || a.Chains != 3 {
		f.t.Errorf("archive has %q, %d chains", got, a.Chains)
	}
	if _, err := s.RestoreArchive(f.ctx(), alice, archiveID(2)); err != nil {
		f.t.Fatal(err)
	}
	f.wantTalk(s, 3, 4, 6)
	if _, err := s.RestoreArchive(f.ctx(), alice, archiveID(3)); err != nil {
		f.t.Fatal(err)
	}
	f.wantTalk(s, 1, 2, 3, 4, 5, 6)
	_, err := s.RestoreArchive(f.ctx(), alice, archiveID(3))
	wantCode(f.t, "restored twice", err, core.NotFound)
	if as, _, err := s.Archives(f.ctx(), sessionID(1), core.Page{}); err != nil || len(as) != 0 {
		f.t.Errorf("archives are %+v, %v", as, err)
	}
}

func archiveRefused(f fixture, s ArchiveStore) {
	said(f, 2)
	try := func(what string, pick core.ArchivePick) {
		f.t.Helper()
		_, err := s.Archive(f.ctx(), alice, sessionID(1), pick, archiveID(9), clock(9))
		wantCode(f.t, what, err, core.Conflict)
	}
	try("keeps all", core.ArchivePick{Keep: 2})
	try("older than all", core.ArchivePick{Before: clock(1)})
	f.accept(f.ask(1, 3))
	try("a queued chain", core.ArchivePick{})
	f.claim(1, "a")
	try("a running chain", core.ArchivePick{Keep: 1})
	f.finish(3, "a")
	f.archive(s, 1, core.ArchivePick{})
	try("an empty session", core.ArchivePick{})
	f.accept(f.ask(1, 4))
	_, err := s.RestoreArchive(f.ctx(), alice, archiveID(1))
	wantCode(f.t, "restored while a chain is open", err, core.Conflict)
}

func archiveOthers(f fixture, s ArchiveStore) {
	said(f, 1)
	a := f.archive(s, 1, core.ArchivePick{})
	_, err := s.Archive(f.ctx(), bob, sessionID(1), core.ArchivePick{}, archiveID(2), clock(1))
	wantCode(f.t, "another's session", err, core.NotFound)
	for _, id := range []core.ArchiveID{a.ID, "", "\x00", core.ArchiveID(make([]byte, 40_000))} {
		_, err = s.ArchiveByID(f.ctx(), bob, id)
		wantCode(f.t, "another's archive", err, core.NotFound)
		_, err = s.RestoreArchive(f.ctx(), bob, id)
		wantCode(f.t, "another's archive restored", err, core.NotFound)
	}
	m := core.MessageID(chainID(1)) + ".1"
	_, err = s.MarkMessage(f.ctx(), bob, m, true, 10)
	wantCode(f.t, "another's message marked", err, core.NotFound)
	_, err = s.Message(f.ctx(), bob, m)
	wantCode(f.t, "another's message", err, core.NotFound)
}

// archiveRace has two screens archive and restore at once: nothing is in two archives, and everything comes back.
func archiveRace(f fixture, s ArchiveStore) {
	said(f, 8)
	var wg sync.WaitGroup
	var mu sync.Mutex
	in := map[string]int{}
	for n := range 6 {
		wg.Go(func() {
			a, err := s.Archive(f.ctx(), alice, sessionID(1), core.ArchivePick{Keep: 6 - n}, archiveID(n), clock(1))
			if err != nil {
				if core.CodeOf(err) != core.Conflict {
					f.t.Errorf("archive: %v", err)
				}
				return
			}
			ms, _, err := s.ArchiveMessages(f.ctx(), a, core.Page{})
			if err != nil {
				f.t.Errorf("messages: %v", err)
			}
			mu.Lock()
			defer mu.Unlock()
			for _, text := range textsOf(ms) {
				in[text]++
			}
		})
	}
	wg.Wait()
	for text, n := range in {
		if n != 1 {
			f.t.Errorf("%q is in %d archives", text, n)
		}
	}
	f.wantTalk(s, 8)
	as, _, err := s.Archives(f.ctx(), sessionID(1), core.Page{})
	if err != nil {
		f.t.Fatal(err)
	}
	for _, a := range as {
		wg.Go(func() {
			if _, err := s.RestoreArchive(f.ctx(), alice, a.ID); err != nil {
				f.t.Errorf("restore: %v", err)
			}
		})
	}
	wg.Wait()
	f.wantTalk(s, 1, 2, 3, 4, 5, 6, 7, 8)
}

func archiveErased(f fixture, s ArchiveStore) {
	said(f, 2)
	if _, err := s.MarkMessage(f.ctx(), alice, core.MessageID(chainID(1))+".1", true, 10); err != nil {
		f.t.Fatal(err)
	}
	f.archive(s, 1, core.ArchivePick{})
	if _, err := s.DeleteSession(f.ctx(), sessionID(1)); err != nil {
		f.t.Fatal(err)
	}
	_, err := s.ArchiveByID(f.ctx(), alice, archiveID(1))
	wantCode(f.t, "archive of an erased session", err, core.NotFound)
	f.accept(f.ask(1, 3)) // the same id again begins anew
	if got := f.texts(1, core.Page{}); len(got) != 1 {
		f.t.Errorf("history is %q", got)
	}
	if ms, _, err := s.Marked(f.ctx(), sessionID(1), core.Page{}); err != nil || len(ms) != 0 {
		f.t.Errorf("marked are %v, %v", ms, err)
	}
	if as, _, err := s.Archives(f.ctx(), sessionID(1), core.Page{}); err != nil || len(as) != 0 {
		f.t.Errorf("archives are %v, %v", as, err)
	}
}

// archiveSummary: no summary goes on telling what is archived, nor hides what comes back.
func archiveSummary(f fixture, s ArchiveStore) {
	said(f, 3)
	at := func(n int) uint64 {
		c, err := s.Chain(f.ctx(), chainID(n))
		if err != nil {
			f.t.Fatal(err)
		}
		return c.Pos
	}
	sum := func(chain int, from, to uint64) {
		f.t.Helper()
		f.accept(f.ask(1, chain))
		f.claim(1, "a")
		p := f.progress(chain, 1, "a")
		p.Summary = &core.Summary{From: from, To: to, Text: "sum"}
		if err := s.Append(f.ctx(), p); err != nil {
			f.t.Fatal(err)
		}
		f.finish(chain, "a")
	}
	has := func() bool {
		_, ok, err := s.Summary(f.ctx(), sessionID(1))
		if err != nil {
			f.t.Fatal(err)
		}
		return ok
	}
	sum(4, at(1), at(2))
	if !has() {
		f.t.Fatal("there is no summary")
	}
	f.archive(s, 1, core.ArchivePick{Keep: 3})
	if has() {
		f.t.Error("the summary tells what is archived")
	}
	sum(5, at(2), at(3))
	if _, err := s.RestoreArchive(f.ctx(), alice, archiveID(1)); err != nil {
		f.t.Fatal(err)
	}
	if has() {
		f.t.Error("the summary stands for chains in front of which others have come back")
	}
}
