package journal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
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
