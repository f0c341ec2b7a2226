package engine

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"jarvis/core"
	"jarvis/store/index"
)

func day(n int) time.Time { return time.Date(2026, 3, n, 12, 0, 0, 0, time.UTC) }

func doc(id, text string, change ...func(*index.Doc)) index.Doc {
	d := index.Doc{ID: core.MessageID(id), User: 1, Session: "s1", Role: core.RoleUser, Type: core.TypeText, Text: text, Created: day(1)}
	for _, c := range change {
		c(&d)
	}
	return d
}

func openT(t *testing.T, dir string) *Engine {
	t.Helper()
	e, err := Open(dir, "home")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return e
}

func put(t *testing.T, e *Engine, docs ...index.Doc) {
	t.Helper()
	st := e.state
	st.Seq++
	if stale, err := e.Apply(&index.Batch{Puts: docs, State: st}); err != nil || stale {
		t.Fatal(stale, err)
	}
}

func find(t *testing.T, e *Engine, q core.Query) []string {
	t.Helper()
	q.User, q.Limit = max(q.User, 1), 50
	hits, total, err := e.Search(&q)
	if err != nil {
		t.Fatal(err)
	}
	if int(total) != len(hits) {
		t.Errorf("%d hits of %d", len(hits), total)
	}
	var ids []string
	for _, h := range hits {
		ids = append(ids, string(h.ID))
	}
	return ids
}

func TestSearch(t *testing.T) {
	e := openT(t, filepath.Join(t.TempDir(), "i"))
	put(t, e,
		doc("houses", "Die Häuser am Meer waren groß."),
		doc("running", "She was running late, to be or not to be."),
		doc("strasse", "Wir gehen über die Straße nach Café Zürich.", func(d *index.Doc) { d.Created = day(2) }),
		doc("answer", "the invoice is 4,711 euros", func(d *index.Doc) { d.Role, d.Agent, d.Session = core.RoleAssistant, "books", "s2" }),
		doc("result", "invoice not found", func(d *index.Doc) { d.Type, d.Marked, d.Created = core.TypeToolResult, true, day(3) }),
		doc("cjk", "東京は日本の首都です"),
		doc("foreign", "invoice of somebody else", func(d *index.Doc) { d.User = 2 }),
		doc("symbols", "x := map[string]int{} // foo_bar.baz"),
	)
	one := func(text string) core.Query { return core.Query{Terms: []core.Term{{Text: text}}} }
	for name, c := range map[string]struct {
		q    core.Query
		want string
	}{
		"German plural":       {one("Haus"), "houses"},
		"umlaut":              {one("hauser"), "houses"},
		"English form":        {one("runs"), "running"},
		"case":                {one("MEER"), "houses"},
		"sharp s":             {one("strasse"), "strasse"},
		"accent":              {one("cafe"), "strasse"},
		"phrase":              {core.Query{Terms: []core.Term{{Text: "to be or not", Phrase: true}}}, "running"},
		"phrase, other order": {core.Query{Terms: []core.Term{{Text: "not or be", Phrase: true}}}, ""},
		"prefix":              {core.Query{Terms: []core.Term{{Text: "invo", Prefix: true}}}, "answer result"},
		"two words":           {core.Query{Terms: []core.Term{{Text: "invoice"}, {Text: "euro"}}}, "answer"},
		"without":             {core.Query{Terms: []core.Term{{Text: "invoice"}, {Text: "found", Not: true}}}, "answer"},
		"number":              {one("4,711"), "answer"},
		"two in one":          {one("foo_bar.baz"), "symbols"},
		"CJK":                 {one("東京"), "cjk"},
		"role":                {core.Query{Roles: []string{core.RoleAssistant}}, "answer"},
		"agent":               {core.Query{Agents: []core.AgentID{"books"}}, "answer"},
		"session":             {core.Query{Session: "s2"}, "answer"},
		"type":                {core.Query{Types: []string{core.TypeToolResult}}, "result"},
		"marked":              {core.Query{Marked: true}, "result"},
		"after":               {core.Query{After: day(2)}, "result strasse"},
		"before":              {core.Query{After: day(2), Before: day(3)}, "strasse"},
		"another user's":      {core.Query{User: 2, Terms: []core.Term{{Text: "invoice"}}}, "foreign"},
		"nothing":             {one("absent"), ""},
	} {
		got := find(t, e, c.q)
		if len(c.q.Terms) > 0 {
			slices.Sort(got)
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s: %q, want %q", name, s, c.want)
		}
	}
	if _, _, err := e.Search(&core.Query{User: 1, Terms: []core.Term{{Text: "…"}}}); err == nil {
		t.Error("a query without a word is answered")
	}
}

func TestMatches(t *testing.T) {
	e := openT(t, filepath.Join(t.TempDir(), "i"))
	text := "Das Haus, die Häuser und das Hausboot"
	put(t, e, doc("a", text))
	hits, _, err := e.Search(&core.Query{User: 1, Limit: 1, Terms: []core.Term{{Text: "Häuser"}}})
	if err != nil || len(hits) != 1 {
		t.Fatal(hits, err)
	}
	var found []string
	for _, m := range hits[0].Matches {
		found = append(found, text[m[0]:m[1]])
	}
	if s := strings.Join(found, " "); s != "Haus Häuser" {
		t.Errorf("found %s", s)
	}
}

func TestPagesAndOrder(t *testing.T) {
	e := openT(t, filepath.Join(t.TempDir(), "i"))
	var docs []index.Doc
	for i := range 30 {
		docs = append(docs, doc(string(rune('a'+i)), "mango", func(d *index.Doc) { d.Created = day(i + 1) }))
	}
	put(t, e, docs...)
	hits, total, err := e.Search(&core.Query{User: 1, Limit: 10, From: 10, Terms: []core.Term{{Text: "mango"}}})
	if err != nil || total != 30 || len(hits) != 10 || hits[0].ID != core.MessageID(rune('a'+19)) {
		t.Errorf("second page: %d of %d, %v, %v", len(hits), total, hits, err)
	}
}

func TestWhatGoesIsGone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "i")
	e := openT(t, dir)
	put(t, e, doc("a", "xylophone one"), doc("b", "xylophone two"), doc("c", "quintessence", func(d *index.Doc) { d.Session = "s2" }))
	st := e.state
	if stale, err := e.Apply(&index.Batch{Dels: []core.MessageID{"a"}, Sessions: []core.SessionID{"s2"}, State: st}); stale || err != nil {
		t.Fatal(stale, err)
	}
	if got := find(t, e, core.Query{Terms: []core.Term{{Text: "xylophone"}}}); len(got) != 1 || got[0] != "b" {
		t.Errorf("left %v", got)
	}
	if got := find(t, e, core.Query{Terms: []core.Term{{Text: "quintessence"}}}); got != nil {
		t.Errorf("left %v", got)
	}
	if err := e.Merge(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	e = openT(t, dir) // what was merged away is removed when it is opened at the latest
	if err := e.Merge(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(p)
		if bytes.Contains(b, []byte("uintessence")) {
			t.Errorf("%s still has the word of an erased session", filepath.Base(p))
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestAgain(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "i")
	e := openT(t, dir)
	put(t, e, doc("a", "mango"))
	put(t, e, doc("a", "pear")) // told twice
	epoch := e.state.Epoch
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	e = openT(t, dir)
	if e.state.Seq != 2 || e.state.Epoch != epoch {
		t.Errorf("state is %+v", e.state)
	}
	if got := find(t, e, core.Query{Terms: []core.Term{{Text: "mango"}}}); got != nil {
		t.Errorf("what was replaced is found: %v", got)
	}
	if stale, err := e.Apply(&index.Batch{State: index.State{Epoch: "another"}}); !stale || err != nil {
		t.Errorf("a batch for another index: %v, %v", stale, err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	other, err := Open(dir, "other home")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if other.state.Epoch == epoch || other.state.Begun {
		t.Errorf("another home takes it over: %+v", other.state)
	}
}

// TestDamage: whatever lies there, opening it gives an index that works.
func TestDamage(t *testing.T) {
	for name, spoil := range map[string]func(string) error{
		"no manifest": func(dir string) error { return os.Remove(filepath.Join(dir, index.ManifestName)) },
		"bad manifest": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, index.ManifestName), []byte("{"), 0o600)
		},
		"no bleve": func(dir string) error { return os.RemoveAll(filepath.Join(dir, bleveName)) },
		"no store": func(dir string) error { return os.RemoveAll(filepath.Join(dir, bleveName, "store")) },
		"a file": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, bleveName, "index_meta.json"), nil, 0o600)
		},
		"cut root": func(dir string) error { return os.Truncate(filepath.Join(dir, bleveName, "store", "root.bolt"), 100) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "i")
			e := openT(t, dir)
			put(t, e, doc("a", "mango"))
			if err := e.Close(); err != nil {
				t.Fatal(err)
			}
			if err := spoil(dir); err != nil {
				t.Fatal(err)
			}
			e = openT(t, dir)
			put(t, e, doc("b", "mango"))
			if got := find(t, e, core.Query{Terms: []core.Term{{Text: "mango"}}}); !slices.Contains(got, "b") {
				t.Errorf("found %v", got)
			}
		})
	}
}

func FuzzForms(f *testing.F) {
	for _, s := range []string{"Häuser", "running", "ß", "\xff", strings.Repeat("ä", 200), "東京"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, w := range forms([]byte(s)) {
			if len(w) > 8*maxWord {
				t.Errorf("%q gives %q", s, w)
			}
		}
	})
}

// TestAMergeThatWasCutOffSaysSo: what is still on the disk must not be taken for gone.
func TestAMergeThatWasCutOffSaysSo(t *testing.T) {
	e := openT(t, filepath.Join(t.TempDir(), "i"))
	put(t, e, doc("a", "mango"))
	put(t, e, doc("b", "pear"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := e.Merge(ctx); err == nil {
		t.Error("a merge that was cut off is told as done")
	}
}
