package transcript

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"testing"
	"time"

	"jarvis/core"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 123456789, time.UTC)

const png = "\x89PNG\r\n\x1a\n and so on"

// uuid makes the id of the tests' chain or session n.
func uuid(n int) string { return fmt.Sprintf("0199a0de-0000-7000-8000-%012x", n) }

func digestOf(s string) core.Digest {
	sum := sha256.Sum256([]byte(s))
	return core.Digest(hex.EncodeToString(sum[:]))
}

// talk is a conversation with one of everything; texts become further answers.
func talk(texts ...string) Source {
	c := core.Chain{
		ID: core.ChainID(uuid(1)), Session: core.SessionID(uuid(9)), Origin: core.Origin{Kind: "cli"}, Responder: core.RespondNone,
		OnDisconnect: core.Continue, System: "be <brief>", Model: "acme/large", Stop: core.EndTurn, Usage: core.Usage{In: 10, Out: 2},
		Params: core.Params{Cwd: "/tmp", Tools: []string{}}, Iterations: 2, Created: noon, Started: noon, Done: noon.Add(time.Second),
	}
	m := func(n uint32, role, typ, text string) core.Message {
		return core.Message{
			ID: core.MessageID(fmt.Sprintf("%s.%d", c.ID, n)), Chain: c.ID, N: n, Role: role, Type: typ, Text: text, Created: noon,
		}
	}
	ask := m(0, core.RoleUser, core.TypeText, "What is <b>this</b>?")
	ask.Context = "<jarvis-context>today</jarvis-context>"
	ask.Attachments = []core.Attachment{{Name: "a.png", MediaType: "image/png", Size: int64(len(png)), Digest: digestOf(png)}}
	use := m(2, core.RoleAssistant, core.TypeToolUse, "")
	use.Tool, use.Call, use.Input = "calculate", "c-1", json.RawMessage(`{"expression":"1<2"}`)
	res := m(3, core.RoleUser, core.TypeToolResult, "``` 1\x1b[31m")
	res.Tool, res.Call, res.IsError = "calculate", "c-1", true
	out := m(4, core.RoleAssistant, core.TypeText, "It is **this**.")
	out.Marked, out.Partial = true, true
	gone := m(5, core.RoleAssistant, core.TypeText, "a secret")
	gone.Deleted = true
	entries := []Entry{{Chain: &c}}
	ms := []core.Message{ask, m(1, core.RoleAssistant, core.TypeReasoning, "hm"), use, res, out, gone}
	for i, text := range texts {
		ms = append(ms, m(uint32(6+i), core.RoleAssistant, core.TypeText, text))
	}
	for _, msg := range ms {
		entries = append(entries, Entry{Message: &msg})
	}
	c2 := c
	c2.ID = core.ChainID(uuid(2))
	last := core.Message{ID: core.MessageID(uuid(2) + ".0"), Chain: c2.ID, Role: core.RoleUser, Type: core.TypeText, Text: "again", Attachments: ask.Attachments, Created: noon}
	sum := core.Summary{First: c.ID, Last: c.ID, Chain: c2.ID, Chains: 1, Text: "about this", Model: "acme/large", Before: 9, After: 3, Created: noon}
	entries = append(entries, Entry{Chain: &c2}, Entry{Message: &last}, Entry{Summary: &sum},
		Entry{Archive: &core.CopiedArchive{Archive: core.Archive{Title: "old", Created: noon}, Ranges: []core.ChainRange{{First: c.ID, Last: c.ID}}}})
	return Source{
		Session: core.Session{ID: core.SessionID(uuid(9)), Title: "A <talk>", Created: noon, Modified: noon, Hidden: true, Cwd: "/home"},
		Entries: all(entries),
		Blob: func(d core.Digest) (io.ReadCloser, error) {
			if d != digestOf(png) {
				return nil, core.E(core.NotFound, "there is no such attachment", "", nil)
			}
			return io.NopCloser(strings.NewReader(png)), nil
		},
	}
}

func all(entries []Entry) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		for _, e := range entries {
			if !yield(e, nil) {
				return
			}
		}
	}
}

func exported(t testing.TB, s Source) string {
	t.Helper()
	var b bytes.Buffer
	if err := JSON(&b, s); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// memory is a sink that keeps what comes.
type memory struct {
	entries []Entry
	blobs   map[core.Digest]string
}

func (m *memory) Chain(c core.Chain) error {
	m.entries = append(m.entries, Entry{Chain: &c})
	return nil
}

func (m *memory) Message(msg core.Message) error {
	m.entries = append(m.entries, Entry{Message: &msg})
	return nil
}

func (m *memory) Summary(s core.Summary) error {
	m.entries = append(m.entries, Entry{Summary: &s})
	return nil
}

func (m *memory) Archive(a core.CopiedArchive) error {
	m.entries = append(m.entries, Entry{Archive: &a})
	return nil
}

func (m *memory) Blob(r io.Reader) (core.Digest, int64, error) {
	b, err := io.ReadAll(r)
	if err != nil {
		return "", 0, err
	}
	m.blobs[digestOf(string(b))] = string(b)
	return digestOf(string(b)), int64(len(b)), nil
}

func (m *memory) open(d core.Digest) (io.ReadCloser, error) {
	b, ok := m.blobs[d]
	if !ok {
		return nil, core.E(core.NotFound, "there is no such attachment", "", nil)
	}
	return io.NopCloser(strings.NewReader(b)), nil
}

func read(file string) (core.Session, *memory, Report, error) {
	m := &memory{blobs: map[core.Digest]string{}}
	s, rep, err := Read(strings.NewReader(file), Limits{Attachment: 1 << 20}, m)
	return s, m, rep, err
}

func TestRoundTrip(t *testing.T) {
	big := strings.Repeat("0123456789", 3*chunk/10)
	for name, s := range map[string]Source{
		"everything": talk("more"),
		"empty":      {Session: core.Session{ID: core.SessionID(uuid(9)), Created: noon, Modified: noon}, Entries: all(nil)},
		"odd texts":  talk("\x00 \x1b \u2028 \u202e <>&\\ \"", "", "\n", strings.Repeat("x", 1<<20)),
	} {
		first := exported(t, s)
		if !json.Valid([]byte(first)) {
			t.Fatalf("%s: no JSON", name)
		}
		sess, m, _, err := read(first)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		again := Source{Session: sess, Entries: all(m.entries)}
		if s.Blob != nil {
			again.Blob = m.open
		}
		if second := exported(t, again); first != second {
			t.Errorf("%s: differs:\n%.2000s\n%.2000s", name, first, second)
		}
	}
	s := talk()
	s.Blob = func(core.Digest) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(big)), nil }
	if _, m, _, err := read(strings.ReplaceAll(exported(t, s), string(digestOf(png)), string(digestOf(png)))); err == nil || len(m.blobs) != 1 {
		t.Errorf("an attachment with another content: %v", err)
	}
}

func TestWithoutAttachments(t *testing.T) {
	s := talk()
	s.Blob = nil
	_, m, rep, err := read(exported(t, s))
	if err != nil || rep.Missing != 2 || rep.Attachments != 0 || len(m.blobs) != 0 {
		t.Errorf("left out: %+v, %v", rep, err)
	}
	s = talk()
	s.Blob = func(core.Digest) (io.ReadCloser, error) {
		return nil, core.E(core.StoreDamaged, "a stored attachment is damaged", "", nil)
	}
	file := exported(t, s)
	if !strings.Contains(file, `"missing":true`) {
		t.Errorf("nothing says that it is lost: %s", file)
	}
	if _, _, rep, err = read(file); err != nil || rep.Missing != 2 {
		t.Errorf("lost: %+v, %v", rep, err)
	}
}

// resealed gives a file whose entries were changed its digest and counts, as somebody who lies would.
func resealed(t testing.TB, file string) string {
	t.Helper()
	var f struct {
		Format      string            `json:"format"`
		Version     int               `json:"version"`
		Attachments bool              `json:"attachments"`
		Session     json.RawMessage   `json:"session"`
		Entries     []json.RawMessage `json:"entries"`
		End         json.RawMessage   `json:"end"`
	}
	if err := json.Unmarshal([]byte(file), &f); err != nil {
		t.Fatalf("%v in %s", err, file)
	}
	h := sha256.New()
	var end tail
	sum := func(raw []byte) {
		var b bytes.Buffer
		if err := json.Compact(&b, raw); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(h, "%s\n", b.Bytes())
	}
	sum(f.Session)
	for _, e := range f.Entries {
		sum(e)
		switch s := string(e); {
		case strings.HasPrefix(s, `{"chain"`):
			end.Chains++
		case strings.HasPrefix(s, `{"message"`):
			end.Messages++
		case strings.HasPrefix(s, `{"summary"`):
			end.Summaries++
		case strings.HasPrefix(s, `{"archive"`):
			end.Archives++
		case strings.HasPrefix(s, `{"attachment"`):
			end.Attachments++
		}
	}
	end.SHA256 = core.Digest(hex.EncodeToString(h.Sum(nil)))
	i := strings.LastIndex(file, `"end":`)
	b, err := json.Marshal(end)
	if err != nil {
		t.Fatal(err)
	}
	return file[:i] + `"end":` + string(b) + "}\n"
}

func TestBadFiles(t *testing.T) {
	good := exported(t, talk())
	if _, _, _, err := read(resealed(t, good)); err != nil {
		t.Fatalf("resealing: %v", err)
	}
	swap := func(old, now string) string {
		if !strings.Contains(good, old) {
			t.Fatalf("the file has no %s", old)
		}
		return strings.Replace(good, old, now, 1)
	}
	lines := strings.Split(good, "\n")
	without := func(n int) string {
		return strings.Join(append(append([]string{}, lines[:n]...), lines[n+1:]...), "\n")
	}
	id := func(n int) string { return `"id":"` + uuid(n) }
	for name, c := range map[string]struct {
		file string
		code core.Code
		say  string
	}{
		"empty":              {"", core.BadRequest, "cut off"},
		"no JSON":            {"hello", core.BadRequest, "no JSON"},
		"another JSON":       {`{"items":[]}`, core.BadRequest, "no exported session"},
		"an array":           {`[]`, core.BadRequest, "no exported session"},
		"another format":     {swap(`"jarvis-session"`, `"tar"`), core.BadRequest, "no exported session"},
		"newer":              {swap(`"version":1`, `"version":2`), core.Unsupported, "newer"},
		"version 0":          {swap(`"version":1`, `"version":0`), core.BadRequest, "version"},
		"version -1":         {swap(`"version":1`, `"version":-1`), core.BadRequest, "version"},
		"cut off":            {good[:len(good)/2], core.BadRequest, ""},
		"without an end":     {good[:strings.LastIndex(good, `,"end"`)], core.BadRequest, "cut off"},
		"goes on":            {good + "x", core.BadRequest, "goes on"},
		"twice":              {good + good, core.BadRequest, "goes on"},
		"changed":            {swap("It is **this**", "It is **that**"), core.BadRequest, "digest"},
		"title changed":      {swap("A <talk>", "Another"), core.BadRequest, "digest"},
		"a line less":        {without(len(lines) - 5), core.BadRequest, ""},
		"not UTF-8":          {swap("It is", "It \xff"), core.BadRequest, "UTF-8"},
		"no session id":      {swap(`"session":{"id":"`+uuid(9), `"session":{"id":"x`), core.BadRequest, "id"},
		"title of lines":     {swap("A <talk>", `A\nB`), core.BadRequest, "title"},
		"long title":         {swap("A <talk>", strings.Repeat("x", 500)), core.BadRequest, "title"},
		"chain id no UUID":   {swap(`{"chain":{`+id(1), `{"chain":{"id":"../x`), core.BadRequest, "id"},
		"chain twice":        {swap(`{"chain":{`+id(2), `{"chain":{`+id(1)), core.BadRequest, "earlier chain"},
		"chain order":        {swap(`"pos":2`, `"pos":1`), core.BadRequest, "place"},
		"chain far away":     {swap(`"pos":1`, `"pos":18446744073709551615`), core.BadRequest, "place"},
		"open chain":         {swap(`"stop":"end_turn"`, `"stop":""`), core.BadRequest, "reason"},
		"another's chain":    {swap(`"chain":"`+uuid(1), `"chain":"`+uuid(2)), core.BadRequest, "does not follow"},
		"no such chain":      {swap(`"chain":"`+uuid(1), `"chain":"`+uuid(7)), core.BadRequest, "does not follow"},
		"message id":         {swap(id(1)+".1", id(1)+".2"), core.BadRequest, "not its own"},
		"message twice":      {swap(id(1)+`.1","chain":"`+uuid(1)+`","n":1`, id(1)+`.0","chain":"`+uuid(1)+`","n":0`), core.BadRequest, "place"},
		"role":               {swap(`"role":"assistant"`, `"role":"root"`), core.BadRequest, "role"},
		"type":               {swap(`"type":"reasoning"`, `"type":"script"`), core.BadRequest, "type"},
		"unknown field":      {swap(`"role":"assistant"`, `"role":"assistant","opaque":{}`), core.BadRequest, "not what it should be"},
		"user":               {swap(`"responder"`, `"user":7,"responder"`), core.BadRequest, "not what it should be"},
		"number":             {swap(`"n":1`, `"n":-1`), core.BadRequest, "not what it should be"},
		"usage below 0":      {swap(`"in":10`, `"in":-10`), core.BadRequest, "below 0"},
		"result of no call":  {swap(`"call":"c-1","is_error"`, `"call":"c-2","is_error"`), core.BadRequest, "no call"},
		"input no object":    {swap(`{"expression":"1<2"}`, `[1]`), core.BadRequest, "input"},
		"deep input":         {swap(`{"expression":"1<2"}`, strings.Repeat(`{"a":`, 2000)+"1"+strings.Repeat("}", 2000)), core.BadRequest, "deep"},
		"very deep input":    {swap(`{"expression":"1<2"}`, strings.Repeat(`[`, 20000)+strings.Repeat("]", 20000)), core.BadRequest, ""},
		"no such blob":       {without(3), core.BadRequest, ""},
		"blob digest":        {swap(`{"attachment":{"digest":"`+string(digestOf(png)), `{"attachment":{"digest":"`+string(digestOf("x"))), core.BadRequest, "another"},
		"blob path":          {swap(`{"attachment":{"digest":"`+string(digestOf(png)), `{"attachment":{"digest":"../../etc/passwd`), core.BadRequest, ""},
		"blob size":          {swap(fmt.Sprintf(`"size":%d}`, len(png)), `"size":3}`), core.BadRequest, "data"},
		"blob too large":     {swap(fmt.Sprintf(`"size":%d}`, len(png)), `"size":99999999}`), core.TooLarge, "larger"},
		"blob below 0":       {swap(fmt.Sprintf(`"size":%d}`, len(png)), `"size":-1}`), core.BadRequest, ""},
		"attachments lie":    {swap(`"attachments":true`, `"attachments":false`), core.BadRequest, "none"},
		"attachment path":    {swap(`"name":"a.png"`, `"name":"../a.png"`), core.BadRequest, "attachment"},
		"attachment type":    {swap(`"media_type":"image/png"`, `"media_type":"text/html"`), core.BadRequest, "attachment"},
		"summary of nothing": {swap(`"first":"`+uuid(1), `"first":"`+uuid(5)), core.BadRequest, "not there"},
		"summary backwards":  {swap(`"first":"`+uuid(1), `"first":"`+uuid(2)), core.BadRequest, "not there"},
		"archive of nothing": {swap(`"ranges":[{"first":"`+uuid(1), `"ranges":[{"first":"`+uuid(5)), core.BadRequest, "not there"},
		"archived twice":     {swap(`"ranges":[{`, `"ranges":[{"first":"`+uuid(1)+`","last":"`+uuid(2)+`"},{`), core.BadRequest, "already"},
		"empty archive":      {swap(`"ranges":[{"first":"`+uuid(1)+`","last":"`+uuid(1)+`"}]`, `"ranges":[]`), core.BadRequest, "none"},
		"two in one":         {swap(`{"chain":{`+id(2), `{"data":"AAAA","chain":{`+id(2)), core.BadRequest, "one chain"},
		"null entry":         {swap("\n{\"chain\":{"+id(2), "\nnull,{\"chain\":{"+id(2)), core.BadRequest, "one chain"},
		"year 99999":         {swap(`"created":"2026`, `"created":"99999`), core.BadRequest, ""},
	} {
		file := c.file
		if json.Valid([]byte(file)) && strings.HasPrefix(file, `{"format"`) && c.say != "digest" && !strings.Contains(name, "blob") && name != "a line less" {
			file = resealed(t, file)
		}
		_, _, _, err := read(file)
		if core.CodeOf(err) != c.code || err != nil && !strings.Contains(err.Error(), c.say) {
			t.Errorf("%s: %q (%v)", name, core.CodeOf(err), err)
		}
	}
}

// endless is a file that begins well and never ends.
type endless struct {
	head string
	n    int64
}

func (e *endless) Read(p []byte) (int, error) {
	if e.head != "" {
		n := copy(p, e.head)
		e.head = e.head[n:]
		return n, nil
	}
	for i := range p {
		p[i] = 'a'
	}
	e.n += int64(len(p))
	return len(p), nil
}

func TestEndless(t *testing.T) {
	good := exported(t, talk())
	for name, head := range map[string]string{
		"text":  good[:strings.Index(good, "What is")],
		"title": good[:strings.Index(good, "A <talk>")],
		"name":  `{"`,
		"end":   good,
	} {
		e := &endless{head: head}
		_, _, err := Read(e, Limits{}, &memory{blobs: map[core.Digest]string{}})
		if err == nil || e.n > 2*maxEntry {
			t.Errorf("%s: %v after %d MiB", name, err, e.n>>20)
		}
	}
}

func FuzzRead(f *testing.F) {
	good := exported(f, talk("x"))
	f.Add(good)
	f.Add(strings.Replace(good, "reasoning", "text", 1))
	f.Fuzz(func(t *testing.T, file string) {
		s, m, rep, err := read(file)
		if err != nil {
			var want *core.Error
			if !asError(err, &want) {
				t.Errorf("no sentence: %v", err)
			}
			return
		}
		n := 0
		for _, e := range m.entries {
			if e.Message != nil {
				n++
			}
		}
		if !core.ValidUUID(string(s.ID)) || rep.Messages != n {
			t.Errorf("taken: %+v, %+v", s, rep)
		}
	})
}

func asError(err error, to **core.Error) bool { return errors.As(err, to) }
