package journal

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"jarvis/core"
)

// FuzzParse: what the fast way reads, the decoder reads too, and both say the same.
func FuzzParse(f *testing.F) {
	for _, e := range []core.Event{
		text("plain"), text("ä \"q\" \\ \n"), text(""), done(),
		{Type: core.EventToolUse, Chain: "c", Agent: "a", Worker: "w", Via: "worker", Time: march, Data: json.RawMessage(`{"input":{"a":[1,"}"]}}`)},
	} {
		e.Seq = 7
		b, err := e.AppendJSON(nil)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add([]byte(`{"type":"text","seq":1,"chain":"","session":"","time":"2026-01-01T00:00:00Z","text":"` + "\x00" + `"}`))
	f.Add([]byte(`{"type":"text","seq":1,"chain":"","session":"","time":"2026-01-01T00:00:00Z",}`))
	f.Add([]byte(`{"type":"text","seq":1,"chain":"\`))
	f.Fuzz(func(t *testing.T, line []byte) {
		h, err := parseHead(line)
		if err != nil || h.seq == 0 {
			return
		}
		fast, ok := parseFast(line, h)
		if !ok {
			_, _ = parse(line, h)
			return
		}
		var slow core.Event
		if err := json.Unmarshal(line, &slow); err != nil {
			t.Fatalf("%q was read, but is %v", line, err)
		}
		// A field that comes twice or late is not written by us; then the decoder may say something else.
		if again, err := fast.AppendJSON(nil); err != nil || !bytes.Equal(again, line) {
			return
		}
		var a, b map[string]any
		if len(fast.Data) > 0 && (json.Unmarshal(fast.Data, &a) != nil) {
			t.Fatalf("data of %q is %q", line, fast.Data)
		}
		if len(slow.Data) > 0 && json.Unmarshal(slow.Data, &b) != nil {
			t.Fatalf("data of %q is %q", line, slow.Data)
		}
		for _, k := range []string{"type", "seq", "chain", "session", "agent", "time", "worker", "via", "text"} {
			if _, twice := a[k]; twice {
				return
			}
		}
		if fast.Text != slow.Text || fast.Chain != slow.Chain || fast.Session != slow.Session || fast.Agent != slow.Agent ||
			fast.Worker != slow.Worker || fast.Via != slow.Via || !fast.Time.Equal(slow.Time) || !reflect.DeepEqual(a, b) {
			t.Errorf("%q: fast %+v, slow %+v", line, fast, slow)
		}
	})
}

// FuzzJournal opens a file of any bytes: what comes out is numbered without a gap, and the chain can be closed.
func FuzzJournal(f *testing.F) {
	e := text("a")
	e.Seq = 1
	line, err := e.AppendJSON(nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(append(line, '\n'))
	f.Add(append(append([]byte{}, line...), "\n{\"record\":\"x\",\"data\":1}\n\x00\x00"...))
	f.Add([]byte("{\"type\":\"done\",\"seq\":1,}\n"))
	f.Fuzz(func(t *testing.T, file []byte) {
		root := t.TempDir()
		dir := filepath.Join(root, "2026-03")
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, string(id(1))+suffix), file, 0o600); err != nil {
			t.Fatal(err)
		}
		d := openT(t, root, Options{MaxLine: 1 << 20})
		l := logT(t, d, id(1))
		if !l.Sealed() {
			appendT(t, l, done())
		}
		seq := uint64(0)
		for e, err := range d.Read(t.Context(), id(1), 0) {
			if err != nil {
				t.Fatal(err)
			}
			if e.Seq <= seq {
				t.Fatalf("event %d follows %d", e.Seq, seq)
			}
			seq = e.Seq
		}
		if seq != l.Last() {
			t.Errorf("read up to %d of %d", seq, l.Last())
		}
	})
}
