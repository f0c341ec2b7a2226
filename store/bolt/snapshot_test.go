package bolt

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"jarvis/core"
)

func TestSnapshotUnderAWriter(t *testing.T) {
	dir := t.TempDir()
	d, err := Open(t.Context(), Options{Path: filepath.Join(dir, "jarvis.db"), noSync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	stop, wrote := make(chan struct{}), 0
	var wg sync.WaitGroup
	first := make(chan struct{})
	wg.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			if err := d.update(context.Background(), "write", putN(i)); err != nil {
				t.Error(err)
				return
			}
			if wrote++; wrote == 50 {
				close(first)
			}
		}
	})
	<-first
	path := filepath.Join(dir, "copy.db")
	err = d.Snapshot(t.Context(), path)
	close(stop)
	wg.Wait()
	if err != nil {
		t.Fatal(err)
	}
	if schema, err := Verify(t.Context(), path); err != nil || schema != latest(migrations) {
		t.Errorf("schema %d, %v", schema, err)
	}
	if err := d.Snapshot(t.Context(), path); err == nil {
		t.Error("a snapshot replaced a file")
	}
}

func TestSnapshotThatIsStoppedLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	d, err := Open(t.Context(), Options{Path: filepath.Join(dir, "jarvis.db"), noSync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	path := filepath.Join(dir, "copy.db")
	if err := d.Snapshot(ctx, path); err == nil {
		t.Error("it was made")
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("it was left")
	}
}

func TestVerifyRefusesDamageAndNewer(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "jarvis.db")
	newer := map[int]func(*tx) error{}
	for n := range len(migrations) + 1 {
		newer[n+2] = func(*tx) error { return nil }
	}
	d, err := Open(t.Context(), Options{Path: path, noSync: true, migrations: newer})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Verify(t.Context(), path); core.CodeOf(err) != core.Unsupported {
		t.Errorf("newer: %v", err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for what, bad := range map[string][]byte{"cut": b[:len(b)/2], "empty": nil, "text": []byte("no database at all"), "header": append(make([]byte, 64), b[64:]...)} {
		file := filepath.Join(dir, what)
		if err := os.WriteFile(file, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Verify(t.Context(), file); err == nil {
			t.Errorf("%s passes", what)
		}
	}
}

func TestHoldRefusesARunningDaemon(t *testing.T) {
	o := Options{Path: filepath.Join(t.TempDir(), "jarvis.db"), LockTimeout: 1, noSync: true}
	d, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Hold(t.Context(), o); core.CodeOf(err) != core.Conflict {
		t.Errorf("beside a daemon: %v", err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	release, err := Hold(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	release()
}
