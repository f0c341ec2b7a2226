package session_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"jarvis/core"
	"jarvis/core/session"
	"jarvis/core/transcript"
	"jarvis/store/blob"
	"jarvis/store/bolt"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func uuid(n int) string { return fmt.Sprintf("0199a0de-0000-7000-8000-%012x", n) }

// rig is the service over a real store.
type rig struct {
	*session.Service
	t     testing.TB
	db    *bolt.DB
	blobs *blob.Store
	ids   int
}

func newRig(t testing.TB) *rig {
	t.Helper()
	dir := t.TempDir()
	db, err := bolt.Open(t.Context(), bolt.Options{Path: filepath.Join(dir, "jarvis.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	blobs, err := blob.Open(filepath.Join(dir, "blobs"), blob.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, db: db, blobs: blobs, ids: 1000}
	r.Service = session.New(session.Deps{
		Store: db, Editor: db, Archiver: db, Copies: db, Blobs: blobs, Now: func() time.Time { return noon.Add(time.Hour) },
		NewID: func() string { r.ids++; return uuid(r.ids) },
	})
	return r
}

// talk puts chains of two messages into session 1.
func (r *rig) talk(chains int) core.SessionID {
	r.t.Helper()
	id := core.SessionID(uuid(1))
	for n := range chains {
		r.turn(id, 100+n, nil)
	}
	return id
}

func (r *rig) turn(id core.SessionID, n int, files []core.Attachment) {
	r.t.Helper()
	ctx := context.Background()
	c := core.Chain{
		ID: core.ChainID(uuid(n)), Session: id, User: core.Owner, Origin: core.Origin{Kind: "cli", Key: fmt.Sprint(n), Source: "s"},
		Responder: core.RespondNone, OnDisconnect: core.Continue, Created: noon,
	}
	ask := core.Message{ID: core.MessageID(uuid(n) + ".0"), Chain: c.ID, Role: core.RoleUser, Type: core.TypeText, Text: fmt.Sprintf("ask %d", n), Attachments: files, Created: noon}
	in := core.Intake{Chain: c, Message: ask, Owner: "a", Session: &core.Session{ID: id, User: core.Owner, Title: "Talk", Hidden: true, Cwd: "/x", Created: noon, Modified: noon}}
	if _, _, err := r.db.Accept(ctx, in); err != nil {
		r.t.Fatal(err)
	}
	p := core.Progress{Chain: c.ID, Owner: "a", Step: &core.Step{N: 1, Model: "m", Usage: core.Usage{In: 10, Out: 1}, Done: noon}}
	p.Messages = []core.Message{
		{Chain: c.ID, N: 1, Role: core.RoleAssistant, Type: core.TypeReasoning, Text: "hm", Opaque: &core.Opaque{Provider: "p", Data: json.RawMessage(`1`)}, Created: noon},
		{Chain: c.ID, N: 2, Role: core.RoleAssistant, Type: core.TypeText, Text: fmt.Sprintf("answer %d", n), Created: noon},
	}
	if err := r.db.Finish(ctx, core.Ending{Progress: p, Stop: core.EndTurn, Model: "m", System: "sys", Done: noon, Last: 9}); err != nil {
		r.t.Fatal(err)
	}
}

// shown is everything of a session as bytes.
func (r *rig) shown(id core.SessionID) string {
	r.t.Helper()
	ctx := context.Background()
	var b strings.Builder
	enc := json.NewEncoder(&b)
	s, err := r.Get(ctx, core.Owner, id)
	if err != nil {
		r.t.Fatal(err)
	}
	var all []any
	all = append(all, s)
	for p := (core.Page{Limit: 1000}); ; {
		ms, next, err := r.Messages(ctx, id, p)
		if err != nil {
			r.t.Fatal(err)
		}
		all = append(all, ms)
		if p.After = next; next == "" {
			break
		}
	}
	for p := (core.Page{Limit: 1000}); ; {
		cs, next, err := r.Chains(ctx, id, p)
		if err != nil {
			r.t.Fatal(err)
		}
		all = append(all, cs)
		if p.After = next; next == "" {
			break
		}
	}
	if err := enc.Encode(all); err != nil {
		r.t.Fatal(err)
	}
	return b.String()
}

func (r *rig) texts(id core.SessionID) string {
	r.t.Helper()
	ms, _, err := r.Messages(context.Background(), id, core.Page{Limit: 1000})
	if err != nil {
		r.t.Fatal(err)
	}
	var out []string
	for _, m := range ms {
		if m.Type == core.TypeText {
			out = append(out, m.Text)
		}
	}
	return strings.Join(out, ", ")
}

func (r *rig) export(id core.SessionID, e session.Exporting) string {
	r.t.Helper()
	var b bytes.Buffer
	if err := r.Export(context.Background(), core.Owner, id, e, &b); err != nil {
		r.t.Fatal(err)
	}
	return b.String()
}

func (r *rig) used() string {
	r.t.Helper()
	rows, err := r.db.Usage(context.Background(), core.UsageQuery{User: core.Owner, By: core.BySession})
	if err != nil {
		r.t.Fatal(err)
	}
	return fmt.Sprint(rows)
}

var limits = transcript.Limits{Attachment: 1 << 20}

func TestFork(t *testing.T) {
	r := newRig(t)
	id := r.talk(3)
	before, used := r.shown(id), r.used()
	for _, c := range []struct {
		at, title string
		want      string
	}{
		{"", "", "ask 100, answer 100, ask 101, answer 101, ask 102, answer 102"},
		{uuid(101), "Other", "ask 100, answer 100, ask 101, answer 101"},
		{strings.ToUpper(uuid(101)[30:]), "", "ask 100, answer 100, ask 101, answer 101"},
		{uuid(101) + ".0", "", "ask 100, answer 100, ask 101"},
		{uuid(100) + ".2", "", "ask 100, answer 100"},
	} {
		s, err := r.Fork(t.Context(), core.Owner, id, session.Forking{At: c.at, Title: c.title})
		if err != nil {
			t.Fatalf("%q: %v", c.at, err)
		}
		if got := r.texts(s.ID); got != c.want {
			t.Errorf("%q: %s", c.at, got)
		}
		if c.title == "" {
			c.title = "Talk (fork)"
		}
		if s.Title != c.title || s.Hidden || s.Cwd != "" || s.ID == id || s.User != core.Owner {
			t.Errorf("%q: %+v", c.at, s)
		}
		chains, _, err := r.Chains(t.Context(), s.ID, core.Page{})
		if err != nil {
			t.Fatal(err)
		}
		for _, ch := range chains {
			if ch.State != core.Ended || ch.Origin.Key != "" || ch.Last != 3 || ch.System != "sys" {
				t.Errorf("chain is %+v", ch)
			}
		}
		if last := chains[len(chains)-1]; (last.Stop == core.Stopped) != strings.HasSuffix(c.at, ".0") {
			t.Errorf("%q: its last chain ended by %s", c.at, last.Stop)
		}
		ms, _, err := r.Messages(t.Context(), s.ID, core.Page{})
		if err != nil || len(ms) > 1 && ms[1].Opaque == nil {
			t.Errorf("a provider's own data is lost: %+v, %v", ms, err)
		}
	}
	if after := r.shown(id); after != before {
		t.Errorf("the original is another:\n%s\n%s", before, after)
	}
	if now := r.used(); now != used {
		t.Errorf("usage was counted again: %s, %s", used, now)
	}
}

func TestForkRefuses(t *testing.T) {
	r := newRig(t)
	id := r.talk(2)
	for name, c := range map[string]struct {
		user core.UserID
		f    session.Forking
		code core.Code
	}{
		"another's":  {7, session.Forking{}, core.NotFound},
		"no chain":   {core.Owner, session.Forking{At: "ffffff"}, core.NotFound},
		"several":    {core.Owner, session.Forking{At: uuid(100)[:12]}, core.BadRequest},
		"no id":      {core.Owner, session.Forking{At: "../x"}, core.BadRequest},
		"no message": {core.Owner, session.Forking{At: uuid(100) + ".9"}, core.NotFound},
		"no number":  {core.Owner, session.Forking{At: uuid(100) + ".-1"}, core.BadRequest},
		"long":       {core.Owner, session.Forking{At: strings.Repeat("a", 1<<20)}, core.BadRequest},
		"title":      {core.Owner, session.Forking{Title: "a\nb"}, core.BadRequest},
	} {
		if _, err := r.Fork(t.Context(), c.user, id, c.f); core.CodeOf(err) != c.code {
			t.Errorf("%s: %v", name, err)
		}
	}
	all, _, err := r.List(t.Context(), core.Owner, true, core.Page{})
	if err != nil || len(all) != 1 {
		t.Errorf("something is left: %+v, %v", all, err)
	}
}

// TestForkOpen: what is being answered is not copied, and cannot be a copy's end.
func TestForkOpen(t *testing.T) {
	r := newRig(t)
	id := r.talk(2)
	c := core.Chain{ID: core.ChainID(uuid(200)), Session: id, User: core.Owner, Created: noon}
	m := core.Message{ID: core.MessageID(uuid(200) + ".0"), Chain: c.ID, Role: core.RoleUser, Type: core.TypeText, Text: "open"}
	if _, _, err := r.db.Accept(t.Context(), core.Intake{Chain: c, Message: m, Owner: "a"}); err != nil {
		t.Fatal(err)
	}
	s, err := r.Fork(t.Context(), core.Owner, id, session.Forking{})
	if err != nil || strings.Contains(r.texts(s.ID), "open") {
		t.Errorf("%s, %v", r.texts(s.ID), err)
	}
	if strings.Contains(r.export(id, session.Exporting{}), "open") {
		t.Error("it is exported")
	}
	if _, err := r.Fork(t.Context(), core.Owner, id, session.Forking{At: uuid(200)}); core.CodeOf(err) != core.Conflict {
		t.Errorf("ends with it: %v", err)
	}
}

// normal takes out of an export what every import gives anew.
func normal(t *testing.T, file string, r *rig, id core.SessionID) string {
	t.Helper()
	s, err := r.Get(t.Context(), core.Owner, id)
	if err != nil {
		t.Fatal(err)
	}
	cs, _, err := r.Chains(t.Context(), id, core.Page{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	modified, err := json.Marshal(s.Modified)
	if err != nil {
		t.Fatal(err)
	}
	old := []string{string(id), "SESSION", `"modified":` + string(modified), `"modified":NOW`}
	for i, c := range cs {
		old = append(old, string(c.ID), fmt.Sprint("CHAIN", i))
	}
	file = strings.NewReplacer(old...).Replace(file)
	return file[:strings.Index(file, `"sha256"`)]
}

func TestExportImport(t *testing.T) {
	r := newRig(t)
	id := r.talk(2)
	d, n, err := r.blobs.Put(t.Context(), strings.NewReader("some text, ä"))
	if err != nil {
		t.Fatal(err)
	}
	r.turn(id, 102, []core.Attachment{{Name: "a.txt", MediaType: "text/plain", Size: n, Digest: d}})
	if _, err := r.HideMessage(t.Context(), core.Owner, core.MessageID(uuid(101)+".2"), true); err != nil {
		t.Fatal(err)
	}
	first := r.export(id, session.Exporting{Format: session.JSON})
	used := r.used()
	made, err := r.Import(t.Context(), core.Owner, strings.NewReader(first), limits)
	if err != nil || made.Chains != 3 || made.Messages != 9 || made.Attachments != 1 || made.Missing != 0 {
		t.Fatalf("%+v, %v", made, err)
	}
	second := r.export(made.Session.ID, session.Exporting{Format: session.JSON})
	if a, b := normal(t, first, r, id), normal(t, second, r, made.Session.ID); a != b {
		t.Errorf("differs:\n%s\n%s", a, b)
	}
	if now := r.used(); now != used {
		t.Errorf("usage was counted again: %s, %s", used, now)
	}
	// The original goes; the copy's attachment stays.
	if err := r.Delete(t.Context(), core.Owner, id); err != nil {
		t.Fatal(err)
	}
	if yes, err := r.db.BlobReferenced(t.Context(), d); err != nil || !yes {
		t.Errorf("the attachment is nobody's: %v, %v", yes, err)
	}
	if third := r.export(made.Session.ID, session.Exporting{Format: session.JSON}); third != second {
		t.Error("the copy changed with the original")
	}
	small, err := r.Import(t.Context(), core.Owner, strings.NewReader(r.export(made.Session.ID, session.Exporting{Format: session.JSON, NoAttachments: true})), limits)
	if err != nil || small.Missing != 1 || small.Attachments != 0 {
		t.Errorf("without attachments: %+v, %v", small, err)
	}
}

// TestImportLeavesNothing: whatever is wrong, and wherever in the file.
func TestImportLeavesNothing(t *testing.T) {
	r := newRig(t)
	id := r.long(1, 300) // more than one step
	good := r.export(id, session.Exporting{Format: session.JSON})
	lied := strings.Replace(good, `"text":"answer 299"`, `"text":"answer 000"`, 1)
	for name, file := range map[string]io.Reader{
		"changed at the end": strings.NewReader(lied),
		"cut off":            strings.NewReader(good[:len(good)-300]),
		"broken connection":  io.MultiReader(strings.NewReader(good[:len(good)-300]), broken{}),
	} {
		if lied == good {
			t.Fatal("nothing was changed")
		}
		if _, err := r.Import(t.Context(), core.Owner, file, limits); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
	all, _, err := r.List(t.Context(), core.Owner, true, core.Page{})
	if err != nil || len(all) != 1 {
		t.Errorf("sessions are %+v, %v", all, err)
	}
	for n := 1001; n <= r.ids; n += 7 {
		if _, err := r.db.Chain(t.Context(), core.ChainID(uuid(n))); core.CodeOf(err) != core.NotFound {
			t.Fatalf("chain %d is left: %v", n, err)
		}
		if ms, _, err := r.db.History(t.Context(), core.SessionID(uuid(n)), core.Page{}); err != nil || len(ms) != 0 {
			t.Fatalf("messages of %d are left: %v", n, err)
		}
	}
	if orphans, err := r.db.Orphans(t.Context(), 10); err != nil || len(orphans) != 0 {
		t.Errorf("notes are left: %v, %v", orphans, err)
	}
	if _, err := r.Import(t.Context(), core.Owner, strings.NewReader(good), limits); err != nil {
		t.Errorf("the good file: %v", err)
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("it broke") }

// TestImportType: an attachment is what its content is.
func TestImportType(t *testing.T) {
	for _, c := range []struct {
		content, said string
		ok            bool
	}{
		{"text", "text/plain", true},
		{"text", "image/png", false},
		{"\x89PNG\r\n\x1a\n", "image/png", true},
		{"GIF89a", "image/png", false},
		{"\x00\x01", "text/plain", false},
		{strings.Repeat("ä", 100_000), "text/plain", true},
		{strings.Repeat("a", 100_000) + "\xff", "text/plain", false},
		{"%PDF-1.7\n\xff", "application/pdf", true},
		{"text \xc3", "text/plain", false},
	} {
		r := newRig(t)
		d, n, err := r.blobs.Put(t.Context(), strings.NewReader(c.content))
		if err != nil {
			t.Fatal(err)
		}
		r.turn(core.SessionID(uuid(1)), 100, []core.Attachment{{Name: "a", MediaType: c.said, Size: n, Digest: d}})
		_, err = r.Import(t.Context(), core.Owner, strings.NewReader(r.export(core.SessionID(uuid(1)), session.Exporting{Format: session.JSON})), limits)
		if (err == nil) != c.ok {
			t.Errorf("%.20q as %s: %v", c.content, c.said, err)
		}
	}
}

func TestExportRefuses(t *testing.T) {
	r := newRig(t)
	id := r.talk(1)
	if err := r.Export(t.Context(), 7, id, session.Exporting{}, io.Discard); core.CodeOf(err) != core.NotFound {
		t.Errorf("another user: %v", err)
	}
	if err := r.Export(t.Context(), core.Owner, id, session.Exporting{Format: "pdf"}, io.Discard); core.CodeOf(err) != core.BadRequest {
		t.Errorf("another format: %v", err)
	}
	gone := &eraser{r: r, id: id}
	if err := r.Export(t.Context(), core.Owner, r.long(2, 300), session.Exporting{Format: session.JSON}, gone); err == nil {
		t.Error("a session that was erased meanwhile counts as whole")
	}
}

// long writes a session of many chains of two messages, without a transaction for each.
func (r *rig) long(session, chains int) core.SessionID {
	r.t.Helper()
	ctx := context.Background()
	id := core.SessionID(uuid(session))
	if err := r.db.StartImport(ctx, id); err != nil {
		r.t.Fatal(err)
	}
	for n := 0; n < chains; {
		var part core.Copied
		for range min(chains-n, 1000) {
			c := core.Chain{
				ID: core.ChainID(uuid(1_000_000*session + n)), User: core.Owner, Stop: core.EndTurn, Responder: core.RespondNone,
				OnDisconnect: core.Continue, System: "sys", Created: noon, Done: noon,
			}
			part.Chains = append(part.Chains, c)
			part.Messages = append(part.Messages,
				core.Message{Chain: c.ID, Role: core.RoleUser, Type: core.TypeText, Text: fmt.Sprintf("ask %d", n), Created: noon},
				core.Message{Chain: c.ID, N: 1, Role: core.RoleAssistant, Type: core.TypeText, Text: fmt.Sprintf("answer %d", n), Created: noon})
			n++
		}
		if err := r.db.ImportSome(ctx, id, part); err != nil {
			r.t.Fatal(err)
		}
	}
	if _, err := r.db.FinishImport(ctx, core.Session{ID: id, User: core.Owner, Title: "Long", Created: noon, Modified: noon}); err != nil {
		r.t.Fatal(err)
	}
	return id
}

// eraser erases the session at the first byte of its export.
type eraser struct {
	r    *rig
	id   core.SessionID
	done bool
}

func (e *eraser) Write(p []byte) (int, error) {
	if !e.done {
		e.done = true
		if err := e.r.Delete(context.Background(), core.Owner, core.SessionID(uuid(2))); err != nil {
			e.r.t.Error(err)
		}
	}
	return len(p), nil
}

// TestForkLong: a copy is made in bounded steps, whatever the session's length.
func TestForkLong(t *testing.T) {
	r := newRig(t)
	id := r.long(1, 2000)
	before := r.export(id, session.Exporting{})
	s, err := r.Fork(t.Context(), core.Owner, id, session.Forking{At: uuid(1_000_000 + 1998)})
	if err != nil {
		t.Fatal(err)
	}
	ms, _, err := r.Messages(t.Context(), s.ID, core.Page{Limit: 1, Backward: true})
	if err != nil || len(ms) != 1 || ms[0].Text != "answer 1998" {
		t.Errorf("ends with %+v, %v", ms, err)
	}
	if r.export(id, session.Exporting{}) != before {
		t.Error("the original is another")
	}
}

// TestCopyArchives: what was archived is archived in the copy too, and comes back there alone.
func TestCopyArchives(t *testing.T) {
	r := newRig(t)
	id := r.talk(5)
	for i, keep := range []int{3, 1} {
		if _, err := r.db.Archive(t.Context(), core.Owner, id, core.ArchivePick{Keep: keep}, core.ArchiveID(uuid(90+i)), noon); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := r.db.RestoreArchive(t.Context(), core.Owner, core.ArchiveID(uuid(90))); err != nil {
		t.Fatal(err)
	}
	before := r.texts(id)
	if before != "ask 100, answer 100, ask 101, answer 101, ask 104, answer 104" {
		t.Fatal(before)
	}
	if md := r.export(id, session.Exporting{}); strings.Contains(md, "ask 102") || !strings.Contains(md, "ask 101") {
		t.Error("people read what they have put away")
	}
	fork, err := r.Fork(t.Context(), core.Owner, id, session.Forking{})
	if err != nil {
		t.Fatal(err)
	}
	made, err := r.Import(t.Context(), core.Owner, strings.NewReader(r.export(id, session.Exporting{Format: session.JSON})), limits)
	if err != nil || made.Archives != 1 {
		t.Fatalf("%+v, %v", made, err)
	}
	for _, c := range []core.SessionID{fork.ID, made.Session.ID} {
		if got := r.texts(c); got != before {
			t.Errorf("in view: %s", got)
		}
		as, _, err := r.db.Archives(t.Context(), c, core.Page{})
		if err != nil || len(as) != 1 || as[0].Chains != 2 || as[0].Title != "ask 102" {
			t.Fatalf("archives: %+v, %v", as, err)
		}
		if _, err := r.db.RestoreArchive(t.Context(), core.Owner, as[0].ID); err != nil {
			t.Fatal(err)
		}
		if got := r.texts(c); !strings.Contains(got, "ask 102, answer 102, ask 103") {
			t.Errorf("restored: %s", got)
		}
	}
	if got := r.texts(id); got != before {
		t.Errorf("the original has %s", got)
	}
	cut, err := r.Fork(t.Context(), core.Owner, id, session.Forking{At: uuid(102)})
	if err != nil {
		t.Fatal(err)
	}
	if as, _, err := r.db.Archives(t.Context(), cut.ID, core.Page{}); err != nil || len(as) != 1 || as[0].Chains != 1 {
		t.Errorf("cut: %+v, %v", as, err)
	}
}
