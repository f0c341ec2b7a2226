package chat

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"jarvis/core"
	"jarvis/core/llm"
)

func TestAskRefusesBadInput(t *testing.T) {
	d := deps(&model{ref: "fake/one"}, NewMemory(), echo("echo"))
	d.ValidateJSON = func(schema, _ []byte) ([]byte, error) {
		if !json.Valid(schema) || schema[0] != '{' {
			return nil, errors.New("not an object\nat line 1")
		}
		return nil, nil
	}
	d.Settings = func() Settings { return Settings{Prompt: 100} }
	s := New(d)
	id := newID()
	for _, tc := range []struct {
		name string
		ask  core.Ask
		code core.Code
		say  string
	}{
		{"empty", core.Ask{Text: " \n\t"}, core.BadRequest, "the message is empty"},
		{"too long", core.Ask{Text: strings.Repeat("x", 101)}, core.TooLarge, "101 bytes, the limit is 100"},
		{"UTF-8", core.Ask{Text: "a\xff"}, core.BadRequest, "the message is not valid UTF-8"},
		{"NUL", core.Ask{Text: "a\x00b"}, core.BadRequest, "the message contains a NUL byte"},
		{"chain id", core.Ask{Text: "a", Chain: "x"}, core.BadRequest, "the chain id must be a UUID"},
		{"upper case", core.Ask{Text: "a", Chain: core.ChainID(strings.ToUpper("00000000-0000-7000-8000-00000000000a"))}, core.BadRequest, "UUID"},
		{"session id", core.Ask{Text: "a", Session: "../x"}, core.BadRequest, "the session id must be a UUID"},
		{"no such session", core.Ask{Text: "a", Session: core.SessionID(id)}, core.NotFound, ""},
		{"agent", core.Ask{Text: "a", Agent: "anna"}, core.Unsupported, "agents"},
		{"on_disconnect", core.Ask{Text: "a", OnDisconnect: "explode"}, core.BadRequest, "on_disconnect"},
		{"responder", core.Ask{Text: "a", Responder: "root"}, core.BadRequest, "responder"},
		{"origin", core.Ask{Text: "a", Origin: core.Origin{Kind: "a b\n"}}, core.BadRequest, "origin"},
		{"timeout", core.Ask{Text: "a", Params: core.Params{TimeoutMS: -1}}, core.BadRequest, "timeout"},
		{"tool", core.Ask{Text: "a", Params: core.Params{Tools: []string{"echo", "rm"}}}, core.BadRequest, `there is no tool "rm"`},
		{"system", core.Ask{Text: "a", Params: core.Params{System: "\xff"}}, core.BadRequest, "the system prompt is not valid UTF-8"},
		{"schema", core.Ask{Text: "a", Params: core.Params{Schema: json.RawMessage(`nope`)}}, core.BadRequest, "the schema is not a JSON schema: not an object at line 1"},
		{"schema size", core.Ask{Text: "a", Params: core.Params{Schema: make(json.RawMessage, 1<<20+1)}}, core.TooLarge, "256 KiB"},
		{"attachment", core.Ask{Text: "a", Attachments: []core.Attachment{{Name: "x"}}}, core.BadRequest, "attachment"},
		{"attachments", core.Ask{Text: "a", Attachments: make([]core.Attachment, 101)}, core.TooLarge, "100"},
		{"private and stored", core.Ask{Text: "a", Private: true, Session: core.SessionID(id)}, core.BadRequest, "private"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tc.ask.User = core.Owner
			_, err := s.Ask(t.Context(), tc.ask)
			if core.CodeOf(err) != tc.code || !strings.Contains(err.Error(), tc.say) || strings.ContainsAny(err.Error(), "\n\x00") {
				t.Errorf("%v (%s)", err, core.CodeOf(err))
			}
		})
	}
	if len(s.runs) != 0 {
		t.Errorf("%d refused chains are still held", len(s.runs))
	}
}

func TestALaneIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &model{ref: "fake/one", play: []script{hangs()}}
		w := newWorld(t, deps(m, NewMemory())).serve()
		defer w.close()
		c := w.ask(core.Ask{Text: "first"})
		synctest.Wait()
		for range maxQueued {
			w.ask(core.Ask{Text: "more", Session: c.Session})
		}
		time.Sleep(time.Minute)
		if _, err := w.s.Ask(t.Context(), core.Ask{User: core.Owner, Text: "one too many", Session: c.Session}); core.CodeOf(err) != core.RateLimited {
			t.Errorf("the lane takes everything: %v", err)
		}
		if l := w.s.Running(); l.Running != 1 || l.Queued != maxQueued || l.QueueAge != time.Minute {
			t.Errorf("load %+v", l)
		}
	})
}

func TestTitle(t *testing.T) {
	for in, want := range map[string]string{
		"hello":                              "hello",
		"\n\n  first \t line\r\nsecond":      "first line",
		"a\x1b[31mred\x07":                   "a [31mred",
		strings.Repeat("ä", 61):              strings.Repeat("ä", 60),
		strings.Repeat("x", 59) + " yz":      strings.Repeat("x", 59),
		"":                                   "notes.txt",
		strings.Repeat("한", 20) + "\nsecond": strings.Repeat("한", 20),
	} {
		got := title(core.Ask{Text: in, Attachments: []core.Attachment{{Name: "notes.txt"}}})
		if got != want {
			t.Errorf("%q gives %q, want %q", in, got, want)
		}
	}
}

func FuzzTitle(f *testing.F) {
	for _, s := range []string{"", "a\nb", "\u202e\u00a0x", strings.Repeat("é", 100), "\x00\x1b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !utf8.ValidString(s) {
			t.Skip()
		}
		got := title(core.Ask{Text: s})
		if !utf8.ValidString(got) || utf8.RuneCountInString(got) > titleRunes || strings.ContainsAny(got, "\n\r\x00\x1b") {
			t.Errorf("%q gives %q", s, got)
		}
	})
}

// blobs keeps attachments for a test.
type blobs map[core.Digest]string

func (b blobs) Put(context.Context, io.Reader) (core.Digest, int64, error) {
	return "", 0, errors.New("not in this test")
}

func (b blobs) Get(_ context.Context, d core.Digest) (io.ReadCloser, error) {
	s, ok := b[d]
	if !ok {
		return nil, core.E(core.NotFound, "there is no such file", "", nil)
	}
	return io.NopCloser(strings.NewReader(s)), nil
}

func TestAttachments(t *testing.T) {
	files := map[string]core.Attachment{
		"image": {Name: "a.png", MediaType: "image/png", Size: 3, Digest: "d1"},
		"pdf":   {Name: "b.pdf", MediaType: "application/pdf", Size: 3, Digest: "d2"},
		"text":  {Name: "c.txt", MediaType: "text/plain; charset=utf-8", Size: 5, Digest: "d3"},
		"code":  {Name: "d.go", MediaType: "application/octet-stream", Size: 5, Digest: "d3"},
		"zip":   {Name: "e.zip", MediaType: "application/zip", Size: 5, Digest: "d4"},
		"lost":  {Name: "f.txt", MediaType: "text/plain", Size: 5, Digest: "d9"},
	}
	all := llm.Info{Window: 1000_000, Images: true, PDF: true}
	for _, tc := range []struct {
		file string
		info llm.Info
		want string // type and text of the part, or the error's code and sentence
	}{
		{"image", all, "blob image/png a.png d1"},
		{"image", llm.Info{}, "blob image/png a.png d1"},                                             // an unknown model decides itself
		{"image", llm.Info{Window: 8192, Tools: true, MaybeImages: true}, "blob image/png a.png d1"}, // only its window is known
		{"pdf", llm.Info{Window: 8192, Tools: true, MaybePDF: true}, "blob application/pdf b.pdf d2"},
		{"image", llm.Info{Window: 8192}, "unsupported fake/one does not take images, so a.png was not sent"},
		{"pdf", all, "blob application/pdf b.pdf d2"},
		{"pdf", llm.Info{Window: 8192, Images: true}, "unsupported fake/one does not take PDF files, so b.pdf was not sent"},
		{"text", llm.Info{Window: 8192}, "text File c.txt:\n\nhello"},
		{"code", llm.Info{Window: 8192}, "text File d.go:\n\nhello"},
		{"zip", all, "unsupported fake/one does not take files of type application/zip, so e.zip was not sent"},
		{"lost", all, "not_found there is no such file"},
	} {
		synctest.Test(t, func(t *testing.T) {
			m := &model{ref: "fake/one", info: tc.info, play: []script{answers("seen"), answers("again")}}
			d := deps(m, NewMemory())
			d.Blobs = blobs{"d1": "png", "d2": "pdf", "d3": "hello", "d4": "PK\x03\x04\x00"}
			w := newWorld(t, d).serve()
			defer w.close()
			c := w.ask(core.Ask{Text: "what is this?", Attachments: []core.Attachment{files[tc.file]}})
			es := w.events(c.ID, 0)
			if len(m.requests()) == 0 {
				e := errorOf(t, es)
				if got := string(e.Code) + " " + e.Message; got != tc.want {
					t.Errorf("%s: %s", tc.file, got)
				}
				return
			}
			parts := m.requests()[0].Messages[0].Parts
			p := parts[0]
			got := p.Type + " " + p.Text
			if p.Type == llm.PartBlob {
				got = strings.Join([]string{p.Type, p.MediaType, p.Name, string(p.Blob)}, " ")
			}
			if got != tc.want || len(parts) != 2 || parts[1].Text != "what is this?" {
				t.Errorf("%s: %q in %+v", tc.file, got, parts)
			}
			w.events(w.ask(core.Ask{Text: "and now?", Session: c.Session}).ID, 0)
			old := m.requests()[1].Messages[0].Parts[0]
			if old.Type != llm.PartText || !strings.Contains(old.Text, "[attachment of an earlier message: "+files[tc.file].Name) {
				t.Errorf("%s: later it is %+v", tc.file, old)
			}
		})
	}
}

func TestPrivateChainsLeaveNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &model{ref: "fake/one", play: []script{answers("secret"), answers("more"), hangs(text("x"))}}
		st := NewMemory()
		w := newWorld(t, deps(m, st)).serve()
		defer w.close()
		c := w.ask(core.Ask{Text: "hush", Private: true})
		if es := w.events(c.ID, 0); es[len(es)-1].Text != "secret" {
			t.Errorf("events %s", kinds(es))
		}
		d := w.ask(core.Ask{Text: "go on", Session: c.Session})
		w.events(d.ID, 0)
		if ms := m.requests()[1].Messages; len(ms) != 3 || ms[1].Parts[0].Text != "secret" {
			t.Errorf("the second request: %+v", ms)
		}
		if len(st.chains) != 0 || len(st.sessions) != 0 || len(st.log.logs) != 0 {
			t.Errorf("the store has %d chains, %d sessions, %d journals", len(st.chains), len(st.sessions), len(st.log.logs))
		}
		if again := w.events(c.ID, 0); again[len(again)-1].Text != "secret" {
			t.Errorf("reading it again: %s", kinds(again))
		}
		stopped := w.ask(core.Ask{Text: "third", Private: true})
		synctest.Wait()
		if err := w.s.StopSession(t.Context(), core.Owner, stopped.Session); err != nil {
			t.Error(err)
		}
		if dn := doneOf(t, w.events(stopped.ID, 0)); dn.StopReason != core.Stopped {
			t.Errorf("done %+v", dn)
		}
		time.Sleep(privateKept + time.Minute)
		if _, err := w.s.Chain(t.Context(), core.Owner, c.ID); core.CodeOf(err) != core.NotFound {
			t.Errorf("it is not forgotten: %v", err)
		}
		p := w.s.private
		if len(p.chains)+len(p.sessions)+len(p.log.logs)+len(w.s.runs) != 0 {
			t.Errorf("left behind: %d chains, %d sessions, %d journals, %d runs", len(p.chains), len(p.sessions), len(p.log.logs), len(w.s.runs))
		}
	})
}

func TestPrivateAttachmentsStayInMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := NewFiles(blobs{"disk": "on disk"}, time.Now)
		m := &model{ref: "fake/one", play: []script{answers("seen")}}
		d := deps(m, NewMemory())
		d.Blobs = f
		w := newWorld(t, d).serve()
		defer w.close()
		put := func(s string) core.Attachment {
			d, n, err := f.PutPrivate(t.Context(), strings.NewReader(s))
			if err != nil || n != int64(len(s)) {
				t.Fatal(n, err)
			}
			return core.Attachment{Name: s, MediaType: "text/plain", Size: n, Digest: d}
		}
		used, lost := put("secret"), put("never asked")
		c := w.ask(core.Ask{Text: "what is it?", Private: true, Attachments: []core.Attachment{used}})
		w.events(c.ID, 0)
		if got := m.requests()[0].Messages[0].Parts[0].Text; got != "File secret:\n\nsecret" {
			t.Errorf("the model got %q", got)
		}
		get := func(d core.Digest) string {
			rc, err := f.Get(t.Context(), d)
			if err != nil {
				return string(core.CodeOf(err))
			}
			b, _ := io.ReadAll(rc)
			return string(b)
		}
		if get(used.Digest) != "secret" || get(lost.Digest) != "never asked" || get("disk") != "on disk" || get("other") != "not_found" {
			t.Errorf("%q %q %q", get(used.Digest), get(lost.Digest), get("disk"))
		}
		time.Sleep(privateKept + time.Minute)
		f.hold(nil, 0)
		if len(f.mem) != 0 || f.total != 0 {
			t.Errorf("%d attachments with %d bytes are kept", len(f.mem), f.total)
		}
		if _, _, err := f.Put(t.Context(), strings.NewReader("x")); err == nil {
			t.Error("a stored request's attachment did not go to disk")
		}
	})
}
