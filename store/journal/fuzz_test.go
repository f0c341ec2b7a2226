package journal

import (
	"bytes"
	"encoding/json"
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

// FuzzEnd looks for the end of a file of any bytes: what precedes it reads as events without a gap, to the last one named.
func FuzzEnd(f *testing.F) {
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
		const maxLine = 1 << 20
		end, err := findEnd(bytes.NewReader(file), int64(len(file)), maxLine)
		if err != nil || end.size > int64(len(file)) || (end.size > 0 && file[end.size-1] != '\n') {
			t.Fatalf("end is %+v, %v", end, err)
		}
		r := &lines{f: bytes.NewReader(file), max: maxLine}
		seq, sealed := uint64(0), false
		for {
			line, err := r.next(end.size)
			if err != nil {
				t.Fatal(err)
			}
			if line == nil {
				break
			}
			h, err := parseHead(line)
			if err != nil {
				t.Fatal(err)
			}
			if h.seq == 0 {
				continue
			}
			e, err := parse(line, h)
			if err != nil || e.Seq != seq+1 || sealed {
				t.Fatalf("event %d follows %d, sealed %v, %v", e.Seq, seq, sealed, err)
			}
			seq, sealed = e.Seq, e.Type.Terminal()
		}
		if seq != end.last || sealed != end.sealed || r.off != end.size {
			t.Errorf("read up to %d, sealed %v, byte %d; the end is %+v", seq, sealed, r.off, end)
		}
	})
}
