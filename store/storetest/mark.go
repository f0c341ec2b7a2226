package storetest

import (
	"slices"

	"jarvis/core"
)

func mark(f fixture, s ArchiveStore) {
	said(f, 3)
	id := func(chain int, n string) core.MessageID {
		return core.MessageID(chainID(chain)) + core.MessageID("."+n)
	}
	for _, m := range []core.MessageID{id(2, "1"), id(1, "0"), id(2, "1")} {
		if got, err := s.MarkMessage(f.ctx(), alice, m, true, 2); err != nil || !got.Marked {
			f.t.Errorf("mark %s: %+v, %v", m, got, err)
		}
	}
	marked := func(want ...string) {
		f.t.Helper()
		ms, _, err := s.Marked(f.ctx(), sessionID(1), core.Page{})
		if err != nil || !slices.Equal(textsOf(ms), want) {
			f.t.Errorf("marked are %q, %v; want %q", textsOf(ms), err, want)
		}
	}
	marked("ask 1", "answer 2")
	_, err := s.MarkMessage(f.ctx(), alice, id(3, "0"), true, 2)
	wantCode(f.t, "one too many", err, core.RateLimited)
	f.archive(s, 1, core.ArchivePick{Keep: 2})
	marked("ask 1", "answer 2")
	if got, err := s.MarkMessage(f.ctx(), alice, id(1, "0"), false, 2); err != nil || got.Marked {
		f.t.Errorf("unmark: %+v, %v", got, err)
	}
	marked("answer 2")
	ms, _, err := s.History(f.ctx(), sessionID(1), core.Page{})
	if err != nil || !ms[1].Marked {
		f.t.Errorf("history is %+v, %v", ms, err)
	}
	for _, m := range []core.MessageID{"", ".", "x.1", id(1, "9"), id(1, ""), id(1, "-1"), id(1, "01"), id(1, "4294967296"), id(1, "0.0")} {
		_, err := s.MarkMessage(f.ctx(), alice, m, true, 9)
		wantCode(f.t, "mark "+string(m), err, core.NotFound)
	}
	f.accept(f.ask(1, 4))
	_, err = s.MarkMessage(f.ctx(), alice, id(4, "0"), true, 9)
	wantCode(f.t, "of an open chain", err, core.Conflict)
	f.claim(1, "a")
	call := message(4, 1, "")
	call.Type = core.TypeToolUse
	if err := s.Finish(f.ctx(), f.ending(4, "a", clock(4), call)); err != nil {
		f.t.Fatal(err)
	}
	_, err = s.MarkMessage(f.ctx(), alice, id(4, "1"), true, 9)
	wantCode(f.t, "a tool call", err, core.BadRequest)
}

// create: a session that has no title is named by its first message, once.
func create(f fixture, s ArchiveStore) {
	made := core.Session{ID: sessionID(1), User: alice, Model: "m", Context: "about", Created: clock(1), Modified: clock(1)}
	if err := s.CreateSession(f.ctx(), made); err != nil {
		f.t.Fatal(err)
	}
	wantCode(f.t, "created twice", s.CreateSession(f.ctx(), made), core.Conflict)
	wantCode(f.t, "without an id", s.CreateSession(f.ctx(), core.Session{User: alice}), core.BadRequest)
	ss, _, err := s.Sessions(f.ctx(), alice, false, core.Page{})
	if err != nil || len(ss) != 1 || ss[0].Context != "about" {
		f.t.Errorf("sessions are %+v, %v", ss, err)
	}
	for n, title := range []string{"first", "second"} {
		in := f.ask(1, n+1)
		in.Session, in.Title = nil, title
		f.accept(in)
	}
	if got, err := s.Session(f.ctx(), sessionID(1)); err != nil || got.Title != "first" || got.Model != "m" {
		f.t.Errorf("session is %+v, %v", got, err)
	}
}

// news: a reader who remembers one position sees every message once, in order, whatever waits or runs.
func news(f fixture, s ArchiveStore) {
	if err := s.CreateSession(f.ctx(), core.Session{ID: sessionID(1), User: alice, Created: clock(1)}); err != nil {
		f.t.Fatal(err)
	}
	var at core.Cursor
	want := func(running bool, texts ...string) {
		f.t.Helper()
		ms, next, open, err := s.News(f.ctx(), sessionID(1), at)
		if err != nil || open != running || !slices.Equal(textsOf(ms), texts) || next == "" {
			f.t.Errorf("news are %q, %q, %v, %v; want %v, %q", textsOf(ms), next, open, err, running, texts)
		}
		at = next
	}
	want(false) // the present position
	f.accept(f.ask(1, 1))
	f.claim(1, "a")
	f.accept(f.ask(1, 2))
	want(true, "ask 1")
	want(true)
	if err := s.Append(f.ctx(), f.progress(1, 1, "a", message(1, 1, "hm"))); err != nil {
		f.t.Fatal(err)
	}
	want(true, "hm")
	if err := s.Finish(f.ctx(), f.ending(1, "a", clock(1), message(1, 2, "done"))); err != nil {
		f.t.Fatal(err)
	}
	want(true, "done", "ask 2")
	f.claim(1, "a")
	f.finish(2, "a")
	want(false)
	at = ""
	want(false)
	f.accept(f.ask(1, 3))
	want(true, "ask 3")
	_, _, _, err := s.News(f.ctx(), sessionID(1), "%%%")
	wantCode(f.t, "a position that is none", err, core.BadRequest)
}

// attachment: knowing a digest is no right to read.
func attachment(f fixture, s ArchiveStore) {
	in := f.ask(1, 1)
	in.Message.Attachments = []core.Attachment{{Name: "a", Digest: "d1", Size: 1}, {Name: "b", Digest: "d2", Size: 2}}
	f.accept(in)
	if a, err := s.FindAttachment(f.ctx(), alice, "d2"); err != nil || a.Name != "b" {
		f.t.Errorf("attachment is %+v, %v", a, err)
	}
	for user, d := range map[core.UserID]core.Digest{alice: "d3", bob: "d2"} {
		_, err := s.FindAttachment(f.ctx(), user, d)
		wantCode(f.t, "an unknown one", err, core.NotFound)
	}
}
