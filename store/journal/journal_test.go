package journal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"jarvis/core"
)

func id(n int) core.ChainID {
	return core.ChainID(fmt.Sprintf("019cc2b0-0000-7000-8000-%012x", n)) // in March 2026
}

var march = time.Date(2026, 3, 6, 12, 0, 0, 0, time.UTC)

func openT(t testing.TB, root string, o Options) *Dir {
	t.Helper()
	if o.Now == nil {
		o.Now = func() time.Time { return march }
	}
	d, err := Open(root, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

func logT(t testing.TB, d *Dir, id core.ChainID) *Log {
	t.Helper()
	l, err := d.Log(id)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func text(s string) core.Event {
	return core.Event{Type: core.EventText, Session: "s", Time: march, Text: s}
}

func done() core.Event {
	return core.Event{Type: core.EventDone, Session: "s", Time: march}.With(core.DoneData{StopReason: core.EndTurn})
}

func appendT(t testing.TB, l *Log, evs ...core.Event) {
	t.Helper()
	for _, e := range evs {
		if _, err := l.Append(e); err != nil {
			t.Fatal(err)
		}
	}
}

// read reads a sealed journal, or what is there until ctx ends.
func read(ctx context.Context, d *Dir, id core.ChainID, after uint64) (evs []core.Event, err error) {
	for e, err := range d.Read(ctx, id, after) {
		if err != nil {
			return evs, err
		}
		evs = append(evs, e)
	}
	return evs, nil
}

// now reads what is there now.
func now(t *testing.T, d *Dir, id core.ChainID, after, last uint64) []core.Event {
	t.Helper()
	var evs []core.Event
	if after >= last {
		return nil
	}
	for e, err := range d.Read(t.Context(), id, after) {
		if err != nil {
			t.Fatal(err)
		}
		evs = append(evs, e)
		if e.Seq >= last {
			break
		}
	}
	return evs
}

func textOf(evs []core.Event) string {
	var b strings.Builder
	for _, e := range evs {
		b.WriteString(e.Text)
	}
	return b.String()
}

func path(d *Dir, id core.ChainID) string { return filepath.Join(d.root, "2026-03", string(id)+suffix) }

func TestAppendAndRead(t *testing.T) {
	d := openT(t, t.TempDir(), Options{})
	l := logT(t, d, id(1))
	if l.Last() != 0 || l.Sealed() {
		t.Errorf("a new journal has %d events, sealed %v", l.Last(), l.Sealed())
	}
	start := core.Event{Type: core.EventStart, Session: "s", Time: march}.With(core.StartData{Model: "m"})
	start.Data = json.RawMessage("{\n  \"model\": \"m\"\n}")
	for i, e := range []core.Event{start, text("a\nb"), text("c"), text("bad \xff\xfe utf-8 \x00"), done()} {
		if i == 2 {
			if err := l.Record("request", map[string]any{"body": "x\ny"}); err != nil {
				t.Fatal(err)
			}
		}
		if seq, err := l.Append(e); err != nil || seq != uint64(i+1) {
			t.Fatalf("append %d: %d, %v", i, seq, err)
		}
	}
	if !l.Sealed() || l.Last() != 5 {
		t.Errorf("sealed %v, last %d", l.Sealed(), l.Last())
	}
	_, err := l.Append(text("late"))
	if core.CodeOf(err) != core.Conflict || core.CodeOf(l.Record("late", 1)) != core.Conflict {
		t.Errorf("append after the end: %v", err)
	}
	for _, after := range []uint64{0, 1, 2, 4} {
		evs, err := read(t.Context(), d, id(1), after)
		if err != nil || evs[0].Seq <= after || evs[len(evs)-1].Type != core.EventDone {
			t.Errorf("after %d: %+v, %v", after, evs, err)
		}
	}
	if evs, err := read(t.Context(), d, id(1), 5); err != nil || len(evs) != 0 {
		t.Errorf("after the last: %v, %v", evs, err)
	}
	evs, err := read(t.Context(), d, id(1), 0)
	if err != nil || len(evs) != 3 {
		t.Fatalf("read %+v, %v", evs, err)
	}
	if evs[1].Text != "a\nbcbad \ufffd\ufffd utf-8 \x00" || evs[1].Seq != 4 || evs[1].Chain != id(1) || !evs[1].Time.Equal(march) {
		t.Errorf("joined text is %+v", evs[1])
	}
	b, err := os.ReadFile(path(d, id(1)))
	if err != nil || bytes.Count(b, []byte("\n")) != 6 {
		t.Errorf("file is %q, %v", b, err)
	}
	if info, err := os.Stat(path(d, id(1))); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("file is %v, %v", info, err)
	}
}

func TestDataThatIsNoJSON(t *testing.T) {
	d := openT(t, t.TempDir(), Options{})
	l := logT(t, d, id(1))
	for _, data := range []string{"{", "[1]", "1", "{}}", "{\"a\":1}\n{\"b\":2}"} {
		if _, err := l.Append(core.Event{Type: core.EventUsage, Data: json.RawMessage(data)}); err == nil {
			t.Errorf("%q was written", data)
		}
	}
	appendT(t, l, done())
	if evs, err := read(t.Context(), d, id(1), 0); err != nil || len(evs) != 1 {
		t.Errorf("read %v, %v", evs, err)
	}
}

func TestOpenTwice(t *testing.T) {
	d := openT(t, t.TempDir(), Options{})
	l := logT(t, d, id(1))
	if _, err := d.Log(id(1)); core.CodeOf(err) != core.Conflict {
		t.Errorf("second writer: %v", err)
	}
	appendT(t, l, text("a"))
	if err := errors.Join(l.Close(), l.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Append(text("x")); err == nil {
		t.Error("appended to a closed log")
	}
	l = logT(t, d, id(1))
	appendT(t, l, text("b"), done())
	if evs, err := read(t.Context(), d, id(1), 0); err != nil || textOf(evs) != "ab" {
		t.Errorf("read %v, %v", evs, err)
	}
	if len(d.streams) != 1 {
		t.Errorf("%d streams are held", len(d.streams))
	}
	if err := l.Close(); err != nil || len(d.streams) != 0 {
		t.Errorf("%d streams are held after the last one left", len(d.streams))
	}
}

func TestHostileIDs(t *testing.T) {
	root := t.TempDir()
	d := openT(t, filepath.Join(root, "runs"), Options{})
	for _, bad := range []core.ChainID{
		"", "..", "../../etc/passwd", "a/b", core.ChainID(strings.ToUpper(string(id(0xabc)))), id(1) + "/", id(1)[:35] + "\x00",
	} {
		if _, err := d.Log(bad); core.CodeOf(err) != core.NotFound {
			t.Errorf("Log(%q): %v", bad, err)
		}
		if _, err := read(t.Context(), d, bad, 0); core.CodeOf(err) != core.NotFound {
			t.Errorf("Read(%q): %v", bad, err)
		}
		if err := d.Remove(t.Context(), bad); err != nil {
			t.Errorf("Remove(%q): %v", bad, err)
		}
	}
	if _, err := read(t.Context(), d, id(9), 0); core.CodeOf(err) != core.NotFound {
		t.Errorf("no journal: %v", err)
	}
	var files []string
	_ = filepath.WalkDir(root, func(p string, e os.DirEntry, _ error) error {
		if !e.IsDir() {
			files = append(files, p)
		}
		return nil
	})
	if len(files) != 1 || filepath.Base(files[0]) != "open.log" {
		t.Errorf("files are %q", files)
	}
}

// TestAnyClock: the month of a file is the daemon's, whatever the id's clock says, and it is found from every month.
func TestAnyClock(t *testing.T) {
	root := t.TempDir()
	ids := []core.ChainID{
		"00000000-0000-7000-8000-000000000001", // 1970
		"ffffffff-ffff-7fff-bfff-ffffffffffff", // 10889
		"f47ac10b-58cc-4372-a567-0e02b2c3d479", // version 4: no clock at all
		id(1),
	}
	d := openT(t, root, Options{Now: func() time.Time { return march.AddDate(0, -2, 0) }})
	for _, id := range ids {
		l := logT(t, d, id)
		appendT(t, l, text("a"))
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(root, "2026-01", string(id)+suffix)); err != nil {
			t.Error(err)
		}
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	d = openT(t, root, Options{})
	for _, id := range ids {
		l := logT(t, d, id)
		appendT(t, l, text("b"), done())
		if evs, err := read(t.Context(), d, id, 0); err != nil || textOf(evs) != "ab" {
			t.Errorf("%s: %v, %v", id, evs, err)
		}
	}
}

func TestLarge(t *testing.T) {
	d := openT(t, t.TempDir(), Options{MaxLine: 12 << 20})
	l := logT(t, d, id(1))
	big := strings.Repeat("0123456789", 1<<20)
	appendT(t, l, text("a"), text(big))
	if _, err := l.Append(text(strings.Repeat("x", 13<<20))); core.CodeOf(err) != core.TooLarge {
		t.Errorf("beyond the bound: %v", err)
	}
	appendT(t, l, text("b"), done())
	evs, err := read(t.Context(), d, id(1), 0)
	if err != nil || textOf(evs) != "a"+big+"b" {
		t.Errorf("read %d bytes, %v", len(textOf(evs)), err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if l = logT(t, d, id(1)); l.Last() != 4 || !l.Sealed() {
		t.Errorf("opened again: last %d, sealed %v", l.Last(), l.Sealed())
	}
}

// TestFollow has eight readers, early, late and resuming, of a chain that is being written: each has every word, in order.
func TestFollow(t *testing.T) {
	d := openT(t, t.TempDir(), Options{})
	l := logT(t, d, id(1))
	const n = 3000
	var want strings.Builder
	for i := range n {
		fmt.Fprintf(&want, "%d ", i)
	}
	var wg sync.WaitGroup
	for r := range 8 {
		wg.Go(func() {
			var got strings.Builder
			last := uint64(0)
			for ended := false; !ended; {
				stop := 200 * (r + 1)
				for e, err := range d.Read(t.Context(), id(1), last) {
					if err != nil {
						t.Errorf("reader %d: %v", r, err)
						return
					}
					if e.Seq <= last {
						t.Errorf("reader %d: %d follows %d", r, e.Seq, last)
					}
					last = e.Seq
					got.WriteString(e.Text)
					ended = e.Type.Terminal()
					if stop--; stop == 0 && r%2 == 0 {
						break // a lost connection: it resumes behind what it has
					}
				}
			}
			if got.String() != want.String() {
				t.Errorf("reader %d has %d bytes of %d", r, got.Len(), want.Len())
			}
		})
	}
	for i := range n {
		appendT(t, l, text(fmt.Sprintf("%d ", i)))
		if i%100 == 0 {
			if err := l.Record("clock", i); err != nil {
				t.Error(err)
			}
		}
	}
	appendT(t, l, done())
	wg.Wait()
}

// TestSlowReader: a reader that does not come back for more holds up neither the writer nor another reader.
func TestSlowReader(t *testing.T) {
	d := openT(t, t.TempDir(), Options{})
	l := logT(t, d, id(1))
	appendT(t, l, text("a"))
	stuck, release := make(chan struct{}), make(chan struct{})
	var slow strings.Builder
	var wg sync.WaitGroup
	wg.Go(func() {
		for e, err := range d.Read(t.Context(), id(1), 0) {
			if err != nil {
				t.Error(err)
			}
			if slow.Len() == 0 {
				close(stuck)
				<-release
			}
			slow.WriteString(e.Text)
		}
	})
	<-stuck
	for range 2000 {
		appendT(t, l, text(strings.Repeat("x", 100)))
	}
	appendT(t, l, done())
	evs, err := read(t.Context(), d, id(1), 0)
	if err != nil || len(textOf(evs)) != 200_001 {
		t.Errorf("the other reader has %d bytes, %v", len(textOf(evs)), err)
	}
	close(release)
	wg.Wait()
	if slow.Len() != 200_001 {
		t.Errorf("the slow reader has %d bytes", slow.Len())
	}
}

func TestReadEndsWithContext(t *testing.T) {
	d := openT(t, t.TempDir(), Options{})
	l := logT(t, d, id(1))
	appendT(t, l, text("a"))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var got []core.Event
	var last error
	for e, err := range d.Read(ctx, id(1), 0) {
		if last = err; err == nil {
			got = append(got, e)
			cancel()
		}
	}
	if len(got) != 1 || !errors.Is(last, context.Canceled) {
		t.Errorf("read %v, %v", got, last)
	}
	if len(d.streams) != 1 || d.streams[id(1)].readers != 0 || len(d.streams[id(1)].tail) != 0 {
		t.Errorf("the reader left something behind: %+v", d.streams[id(1)])
	}
}

// TestReadBeforeOpen: after a restart a client may come back before recovery has opened the journal.
func TestReadBeforeOpen(t *testing.T) {
	root := t.TempDir()
	d := openT(t, root, Options{})
	l := logT(t, d, id(1))
	appendT(t, l, text("a"))
	if err := errors.Join(l.Close(), d.Close()); err != nil {
		t.Fatal(err)
	}
	half(t, path(d, id(1)), `{"type":"text","seq":2,"te`)

	d = openT(t, root, Options{})
	first := make(chan struct{})
	var got []core.Event
	var wg sync.WaitGroup
	wg.Go(func() {
		for e, err := range d.Read(t.Context(), id(1), 0) {
			if err != nil {
				t.Error(err)
				return
			}
			if got = append(got, e); len(got) == 1 {
				close(first)
			}
		}
	})
	<-first
	l = logT(t, d, id(1))
	if l.Last() != 1 {
		t.Errorf("last is %d", l.Last())
	}
	appendT(t, l, text("bb"), done())
	wg.Wait()
	if textOf(got) != "abb" || got[len(got)-1].Seq != 3 {
		t.Errorf("read %+v", got)
	}
}

func half(t *testing.T, path, s string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteString(s)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestEnds opens journals as crashes, power cuts and bad disks leave them.
func TestEnds(t *testing.T) {
	line := func(e core.Event, seq uint64) string {
		e.Seq, e.Chain = seq, id(1)
		b, err := e.AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		return string(b) + "\n"
	}
	a, b, c, end := line(text("a"), 1), line(text("b"), 2), line(text("c"), 3), line(done(), 4)
	record := `{"record":"request","data":{"seq":9,"type":"done"}}` + "\n"
	for name, tc := range map[string]struct {
		file    string
		last    uint64
		sealed  bool
		damaged bool
	}{
		"empty":               {"", 0, false, false},
		"whole":               {a + b, 2, false, false},
		"sealed":              {a + b + c + end, 4, true, false},
		"half line":           {a + b + c[:20], 2, false, false},
		"half line of done":   {a + b + c + end[:len(end)-1], 3, false, false},
		"only half a line":    {a[:3], 0, false, false},
		"records":             {record + a + record, 1, false, false},
		"half record":         {a + record[:12], 1, false, false},
		"zeros at the end":    {a + strings.Repeat("\x00", 4096), 1, false, false},
		"zeros and a line":    {a + strings.Repeat("\x00", 100) + "\n" + b, 1, false, true},
		"garbage in between":  {a + "garbage\n" + b, 1, false, true},
		"gap":                 {a + c, 1, false, true},
		"doubled":             {a + b + b, 2, false, true},
		"cut in between":      {a + b[:30] + "\n" + c, 1, false, true},
		"seq only":            {a + `{"type":"text","seq":2,` + "\n", 1, false, true},
		"behind the end":      {a + b + c + end + a, 4, true, true},
		"half behind the end": {a + b + c + end + a[:9], 4, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			d := openT(t, t.TempDir(), Options{})
			if err := os.MkdirAll(filepath.Dir(path(d, id(1))), 0o700); err != nil {
				t.Fatal(err)
			}
			d.months = []string{"2026-03"}
			if err := os.WriteFile(path(d, id(1)), []byte(tc.file), 0o600); err != nil {
				t.Fatal(err)
			}
			l := logT(t, d, id(1))
			if l.Last() != tc.last || l.Sealed() != tc.sealed {
				t.Errorf("last %d, sealed %v", l.Last(), l.Sealed())
			}
			if _, err := os.Stat(path(d, id(1)) + damagedSuffix); (err == nil) != tc.damaged {
				t.Errorf("rest put aside: %v", err)
			}
			if !tc.sealed {
				appendT(t, l, text("z"), done())
			}
			evs, err := read(t.Context(), d, id(1), 0)
			if err != nil || evs[len(evs)-1].Type != core.EventDone {
				t.Errorf("read %+v, %v", evs, err)
			}
			if got, want := textOf(evs), "abc"[:min(3, tc.last)]; got != want+"z" && (!tc.sealed || got != want) {
				t.Errorf("text is %q", got)
			}
		})
	}
}

// TestReadDamaged: a reader has everything before the damage, then the error with its place.
func TestReadDamaged(t *testing.T) {
	root := t.TempDir()
	d := openT(t, root, Options{})
	l := logT(t, d, id(1))
	appendT(t, l, text("a"), text("b"), text("c"), done())
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path(d, id(1)))
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(b, []byte(`"text":"b"`))
	copy(b[at-60:], bytes.Repeat([]byte{0}, 60))
	if err := os.WriteFile(path(d, id(1)), b, 0o600); err != nil {
		t.Fatal(err)
	}
	evs, err := read(t.Context(), d, id(1), 0)
	first := bytes.IndexByte(b, '\n') + 1
	if textOf(evs) != "a" || core.CodeOf(err) != core.StoreDamaged || !strings.Contains(err.Error(), fmt.Sprint("byte ", first)) {
		t.Errorf("read %q, %v", textOf(evs), err)
	}
}

func TestRemove(t *testing.T) {
	d := openT(t, t.TempDir(), Options{})
	for n := 1; n <= 3; n++ {
		l := logT(t, d, id(n))
		appendT(t, l, text("a"), done())
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Remove(t.Context(), id(1), id(3), id(9)); err != nil {
		t.Fatal(err)
	}
	for n, gone := range map[int]bool{1: true, 2: false, 3: true} {
		if _, err := read(t.Context(), d, id(n), 0); (core.CodeOf(err) == core.NotFound) != gone {
			t.Errorf("journal %d: %v", n, err)
		}
	}
}

// TestRemoveWhileWritten: a session may be erased between a chain's end in the store and its terminal event.
func TestRemoveWhileWritten(t *testing.T) {
	d := openT(t, t.TempDir(), Options{})
	l := logT(t, d, id(1))
	appendT(t, l, text("a"))
	if err := d.Remove(t.Context(), id(1)); err != nil {
		t.Fatal(err)
	}
	appendT(t, l, done())
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := read(t.Context(), d, id(1), 0); core.CodeOf(err) != core.NotFound {
		t.Errorf("read a removed journal: %v", err)
	}
	if len(d.streams) != 0 {
		t.Errorf("%d streams are held", len(d.streams))
	}
}

func TestUnsealed(t *testing.T) {
	root := t.TempDir()
	d := openT(t, root, Options{})
	for n := 1; n <= 4; n++ {
		appendT(t, logT(t, d, id(n)), text("a"))
	}
	appendT(t, logT(t, d, id(5)), done())
	unsealed := func(d *Dir) (ids []core.ChainID) {
		for id, err := range d.Unsealed(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, id)
		}
		return ids
	}
	if got := unsealed(d); len(got) != 0 {
		t.Errorf("journals being written are %v", got)
	}
	// The process dies: nothing is closed. The last line of the list is half, as a crash may leave it.
	half(t, filepath.Join(root, "open.log"), "+"+string(id(6))[:20])
	d = openT(t, root, Options{})
	if got := unsealed(d); !slices.Equal(got, []core.ChainID{id(1), id(2), id(3), id(4)}) {
		t.Errorf("unsealed are %v", got)
	}
	appendT(t, logT(t, d, id(1)), done())
	if err := os.Remove(path(d, id(2))); err != nil {
		t.Fatal(err)
	}
	if err := d.Remove(t.Context(), id(3)); err != nil {
		t.Fatal(err)
	}
	if got := unsealed(d); !slices.Equal(got, []core.ChainID{id(4)}) {
		t.Errorf("unsealed are %v", got)
	}
	if got := unsealed(openT(t, root, Options{})); !slices.Equal(got, []core.ChainID{id(4)}) {
		t.Errorf("after another start: %v", got)
	}
}

func TestLedgerCompacts(t *testing.T) {
	l, err := openLedger(filepath.Join(t.TempDir(), "open.log"))
	if err != nil {
		t.Fatal(err)
	}
	if err := l.opened(id(0)); err != nil {
		t.Fatal(err)
	}
	for n := 1; n < compactAt; n++ {
		if err := errors.Join(l.opened(id(n)), l.sealed(id(n))); err != nil {
			t.Fatal(err)
		}
	}
	info, err := os.Stat(l.path)
	if err != nil || info.Size() > int64(compactAt+2)*38 {
		t.Errorf("the list has %d bytes, %v", info.Size(), err)
	}
	if err := l.close(); err != nil {
		t.Fatal(err)
	}
	if l, err = openLedger(l.path); err != nil || !slices.Equal(l.ids(), []core.ChainID{id(0)}) {
		t.Errorf("open are %v, %v", l.ids(), err)
	}
}

func TestSweep(t *testing.T) {
	root := t.TempDir()
	old := openT(t, root, Options{Now: func() time.Time { return march.AddDate(0, -1, 0) }})
	write := func(d *Dir, n int, seal bool, age time.Duration) {
		l := logT(t, d, id(n))
		appendT(t, l, text(strings.Repeat("x", 10_000)))
		if seal {
			appendT(t, l, done())
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		p, err := d.find(id(n))
		if err == nil {
			err = os.Chtimes(p, march.Add(-age), march.Add(-age))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	write(old, 1, true, 20*time.Hour)
	write(old, 2, true, 21*time.Hour) // the oldest, but kept
	write(old, 3, false, 22*time.Hour)
	write(old, 4, false, 40*24*time.Hour) // of nobody
	d := openT(t, root, Options{})
	for n := 5; n <= 8; n++ {
		write(d, n, true, time.Duration(10-n)*time.Hour)
	}
	if n, freed, err := d.Sweep(t.Context(), 0, nil); n != 0 || freed != 0 || err != nil {
		t.Errorf("below the limit: %d, %d, %v", n, freed, err)
	}
	n, freed, err := d.Sweep(t.Context(), 45_000, func(c core.ChainID) bool { return c == id(2) })
	if err != nil || n != 4 || freed < 40_000 {
		t.Errorf("swept %d, %d bytes, %v", n, freed, err)
	}
	for n, want := range map[int]bool{1: false, 2: true, 3: true, 4: false, 5: false, 6: false, 7: true, 8: true} {
		if p, err := d.find(id(n)); err != nil || (p != "") != want {
			t.Errorf("journal %d: %q, %v", n, p, err)
		}
	}
}

// TestSyncPace: what was written is synced once within a second, however much it was, and the terminal event at once.
func TestSyncPace(t *testing.T) {
	var timers []func()
	d := openT(t, t.TempDir(), Options{After: func(after time.Duration, f func()) func() bool {
		if after != time.Second {
			t.Errorf("syncs after %v", after)
		}
		timers = append(timers, f)
		return func() bool { return true }
	}})
	l := logT(t, d, id(1))
	for range 10 {
		appendT(t, l, text("a"))
	}
	if len(timers) != 1 || !l.s.dirty {
		t.Errorf("%d timers, dirty %v", len(timers), l.s.dirty)
	}
	timers[0]()
	if l.s.dirty {
		t.Error("not synced")
	}
	appendT(t, l, text("b"))
	if len(timers) != 2 {
		t.Errorf("%d timers", len(timers))
	}
	appendT(t, l, done())
	if l.s.dirty {
		t.Error("the terminal event is not synced")
	}
	timers[1]()
}
