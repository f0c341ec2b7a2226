package daemon

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"jarvis/core"
	"jarvis/daemon/config"
	"jarvis/daemon/home"
	"jarvis/store"
)

// plan is a schedule over a home of its own, whose clock and disk the test moves.
type plan struct {
	*schedule
	clock time.Time
	every string
	keep  int
	made  int
	full  error
	fail  error
	bytes []byte // what is written instead of a backup
	told  []core.Audit
}

func newPlan(t *testing.T) *plan {
	t.Helper()
	h, err := home.Find(func(name string) string {
		return map[string]string{"JARVIS_HOME": filepath.Join(t.TempDir(), "home")}[name]
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Ensure(); err != nil {
		t.Fatal(err)
	}
	p := &plan{clock: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), every: "24h", keep: 3}
	p.schedule = &schedule{
		home: h, log: openLogs(h, nil), now: func() time.Time { return p.clock },
		conf:   func() config.Backup { return config.Backup{Every: p.every, Keep: p.keep} },
		room:   func() error { return p.full },
		record: func(_ context.Context, a core.Audit) { p.told = append(p.told, a) },
		create: func(ctx context.Context, w io.Writer) error {
			p.made++
			if p.fail != nil {
				_, _ = w.Write([]byte("half"))
				return p.fail
			}
			if p.bytes != nil {
				_, err := w.Write(p.bytes)
				return err
			}
			return store.Create(ctx, w, &store.Manifest{}, func(func(store.Source, error) bool) {})
		},
	}
	t.Cleanup(func() { _ = p.log.Close() })
	return p
}

// after moves the clock, looks, and says which files there are.
func (p *plan) after(t *testing.T, d time.Duration) []string {
	t.Helper()
	p.clock = p.clock.Add(d)
	p.look(t.Context())
	entries, err := os.ReadDir(p.home.Backups())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestScheduleMakesWhatIsDueAndKeepsTheNewest(t *testing.T) {
	p := newPlan(t)
	others := []string{"jarvis-20260101T000000.000Z.tar", "mine.tar", "scheduled-2026.tar", "scheduled-20250101T000000.000Z.tar.bak"}
	for _, name := range others {
		if err := os.WriteFile(filepath.Join(p.home.Backups(), name), nil, 0o600); err != nil {
			if err := os.MkdirAll(p.home.Backups(), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(p.home.Backups(), name), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	outside := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(outside, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	link := "scheduled-20240101T000000.000Z.tar"
	if err := os.Symlink(outside, filepath.Join(p.home.Backups(), link)); err != nil {
		t.Skip("no links here")
	}
	others = append(others, link)
	for i, step := range []struct {
		after time.Duration
		made  int // in all
		kept  int
	}{
		{0, 1, 1},                 // none yet: at once
		{time.Minute, 1, 1},       // not due
		{23 * time.Hour, 1, 1},    // still not
		{59 * time.Minute, 2, 2},  // to the minute
		{240 * time.Hour, 3, 3},   // after a long sleep one, not ten
		{24 * time.Hour, 4, 3},    // the oldest goes
		{-100 * time.Hour, 5, 3},  // the clock went back: those ahead do not count
		{100*time.Hour - 1, 5, 3}, // and forth again
		{25 * time.Hour, 6, 3},    //
		{365 * 24 * time.Hour, 7, 3},
	} {
		names := p.after(t, step.after)
		if p.made != step.made || len(names) != step.kept+len(others) {
			t.Fatalf("step %d: made %d, files %q", i, p.made, names)
		}
		for _, name := range others {
			if !slices.Contains(names, name) {
				t.Fatalf("step %d: %s is gone", i, name)
			}
		}
		if p.problem() != "" {
			t.Fatal(p.problem())
		}
	}
	p.every = ""
	if p.after(t, 1000*time.Hour); p.made != 7 {
		t.Error("made one though none are wanted")
	}
	p.every, p.keep = "24h", 1
	if names := p.after(t, time.Hour); p.made != 8 || len(names) != 1+len(others) {
		t.Errorf("keep 1: %q", names)
	}
}

func TestScheduleFailsAloudAndTriesAgain(t *testing.T) {
	p := newPlan(t)
	good := p.after(t, 0)
	for _, c := range []struct {
		name  string
		spoil func()
		says  string
	}{
		{"no room", func() { p.full = core.E(core.Internal, "no room", "df -h", nil) }, "no room"},
		{"cut off", func() { p.fail = errors.New("boom") }, "cannot be written"},
		{"unreadable", func() { p.bytes = []byte("rubbish") }, "cannot be read again"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p.keep = 1
			c.spoil()
			if names := p.after(t, 25*time.Hour); !slices.Equal(names, good) {
				t.Fatalf("a failure left or took files: %q", names)
			}
			if !strings.Contains(p.problem(), c.says) {
				t.Fatalf("status says %q", p.problem())
			}
			p.full, p.fail, p.bytes = nil, nil, nil
			made := p.made
			if p.after(t, scheduleRetry-time.Second); p.made != made {
				t.Fatal("tried again at once")
			}
			if good = p.after(t, time.Second); len(good) != 1 || p.problem() != "" {
				t.Fatalf("after the next try: %q, %s", good, p.problem())
			}
		})
	}
	p.fail = core.E(core.Conflict, "another", "", nil)
	if p.after(t, 25*time.Hour); p.problem() != "" {
		t.Error("somebody else's backup is no failure")
	}
	p.fail = nil
	if names := p.after(t, time.Minute); len(names) != 1 || names[0] == good[0] {
		t.Errorf("%q", names)
	}
}

// A backup that nobody asked for is written into the audit file like one that somebody did, and its failure too.
func TestScheduledBackupIsWrittenDown(t *testing.T) {
	p := newPlan(t)
	p.look(t.Context())
	p.clock, p.fail = p.clock.Add(25*time.Hour), errors.New("broken")
	p.look(t.Context())
	var got []string
	for _, a := range p.told {
		if !strings.HasPrefix(a.Target, "scheduled-2026") || a.Action != "backup.create" {
			t.Errorf("%+v", a)
		}
		got = append(got, map[bool]string{true: "made", false: "failed"}[a.OK])
	}
	if !slices.Equal(got, []string{"made", "made", "failed"}) {
		t.Errorf("%q", got)
	}
}
