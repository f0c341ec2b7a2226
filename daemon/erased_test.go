package daemon

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"jarvis/core"
	"jarvis/daemon/api"
	"jarvis/daemon/config"
	"jarvis/daemon/home"
)

// opened is a daemon of which a test can call what otherwise comes with time.
func opened(t *testing.T, h home.Home) *daemon {
	t.Helper()
	ctx, stop := context.WithCancelCause(context.WithoutCancel(t.Context()))
	d := &daemon{o: Options{Home: h, Env: config.Env{}, Grace: time.Second}, self: "test", start: time.Now(), stop: stop, cut: make(chan struct{})}
	t.Cleanup(func() {
		stop(nil)
		if d.super != nil {
			d.shutdown()
		}
		_ = d.close()
	})
	if err := d.open(ctx); err != nil {
		t.Fatal(err)
	}
	return d
}

// holding gives the files of the home in which a text stands.
func holding(t *testing.T, h home.Home, text string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(h.Data, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return nil
		}
		b, err := os.ReadFile(path)
		if err == nil && bytes.Contains(b, []byte(text)) {
			files = append(files, filepath.Base(path))
		}
		if errors.Is(err, fs.ErrNotExist) { // renamed just now
			err = nil
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestErasedIsGone: after a session was erased, nothing of it is in any file of the home; the store's free pages are written anew
// with the next sweep.
func TestErasedIsGone(t *testing.T) {
	f := newFakeModel(t)
	d := opened(t, newHome(t, f, "log: {payloads: true}\n"))
	c := newClient(t, d.o.Home, nil)
	const secret, other = "quaggaquagga", "okapiokapi"
	gone, err := ask(t.Context(), c, api.Chat{Content: strings.Repeat(secret+" ", 20_000) + "say well"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ask(t.Context(), c, api.Chat{Content: "say " + other}); err != nil {
		t.Fatal(err)
	}
	for len(holding(t, d.o.Home, secret)) < 3 { // the store, the journal, the payloads: these come a little later
		if t.Context().Err() != nil {
			t.Fatal("never written")
		}
		time.Sleep(5 * time.Millisecond)
	}
	if _, err := c.DeleteSession(t.Context(), string(gone[0].Session)); err != nil {
		t.Fatal(err)
	}
	if files := holding(t, d.o.Home, secret); len(files) != 1 || files[0] != "jarvis.db" {
		t.Errorf("after the erasure it is in %q: not in free pages of the store alone", files)
	}
	if err := d.sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if files := holding(t, d.o.Home, secret); len(files) > 0 {
		t.Errorf("after the sweep it is in %q", files)
	}
	if d.erased.Load() {
		t.Error("the next sweep would do it again")
	}
	if files := holding(t, d.o.Home, other); len(files) < 2 {
		t.Errorf("the other session is in %q only", files)
	}
}

// TestSweptJournalsLeavePinnedSessions: beyond the limit the oldest go, but not those of a session that is pinned.
func TestSweptJournalsLeavePinnedSessions(t *testing.T) {
	d := opened(t, newHome(t, newFakeModel(t), "limits: {journals: 1}\n"))
	c := newClient(t, d.o.Home, nil)
	var chains []core.ChainID
	for i, text := range []string{"say one", "say two"} {
		events, err := ask(t.Context(), c, api.Chat{Content: text})
		if err != nil {
			t.Fatal(err)
		}
		chains = append(chains, events[0].Chain)
		if yes := true; i == 0 {
			if _, err := c.EditSession(t.Context(), string(events[0].Session), core.SessionEdit{Pinned: &yes}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i, want := range []int{1, 0} {
		left := -1
		for deadline := time.Now().Add(3 * time.Second); left != want && time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
			if err := d.sweepJournals(t.Context()); err != nil { // a journal that is still read stays for once
				t.Fatal(err)
			}
			paths, err := filepath.Glob(filepath.Join(d.o.Home.Runs, "*", string(chains[i])+".jsonl*"))
			if err != nil {
				t.Fatal(err)
			}
			left = len(paths)
		}
		if left != want {
			t.Errorf("chain %d has %d journals, not %d", i+1, left, want)
		}
	}
}
