package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"jarvis/core"
)

const askers = 4 // who ask all the time while the backup is made

// restore fills a home, makes a backup of it while it answers, restores that into an empty one, and compares what `session
// show -o json` says of every session, byte by byte. It fails when one differs.
func (b *bench) restore() error {
	f, err := b.newFull("kept", filling{b.big, perSession, true})
	if err != nil {
		return err
	}
	if err := f.start(); err != nil {
		return err
	}
	stopped := false
	defer func() {
		if !stopped {
			f.stop()
		}
	}()
	start := time.Now()
	before, err := f.showAll(f.ids)
	if err != nil {
		return err
	}
	shown := time.Since(start)

	load := f.load()
	time.Sleep(time.Second)
	file := filepath.Join(b.dir, "kept.tar")
	start = time.Now()
	err = f.jarvis("backup", "create", file)
	took := time.Since(start)
	asked, lerr := load()
	if err := errors.Join(err, lerr); err != nil {
		return err
	}
	copied, err := b.copied(file)
	if err != nil {
		return err
	}
	f.stop()
	stopped = true
	label := fmt.Sprintf("%d sessions, %d messages: ", b.big, b.big*perSession)
	b.pair(fmt.Sprintf("%sbackup while %d ask, against cp of the file", label, askers), took, copied, "–")
	b.add(label+"requests answered meanwhile, none failed", fmt.Sprint(asked), "", "", "> 0")

	again, err := b.emptyHome("again")
	if err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(again.dir, "config.yaml")); err != nil { // only an empty home takes a backup
		return err
	}
	start = time.Now()
	if err := again.jarvis("backup", "restore", file); err != nil {
		return err
	}
	b.pair(label+"restored into an empty home, against cp of the file", time.Since(start), copied, "–")
	if err := again.start(); err != nil {
		return err
	}
	defer again.stop()
	start = time.Now()
	after, err := again.showAll(f.ids)
	if err != nil {
		return err
	}
	for i, id := range f.ids {
		if !bytes.Equal(before[i], after[i]) {
			return fmt.Errorf("session %s is not what it was:\n%.500s\n%.500s", id, before[i], after[i])
		}
	}
	b.pair(label+"session show of all, each byte as before the backup", time.Since(start), shown, "≈ 1")
	return nil
}

// showAll is what `session show -o json` prints of each session.
func (t *testHome) showAll(ids []core.SessionID) ([][]byte, error) {
	out := make([][]byte, len(ids))
	for i, id := range ids {
		cmd := exec.CommandContext(t.b.ctx, filepath.Join(t.b.bin, "jarvis"), "session", "show", "-o", "json", string(id))
		cmd.Env = append(os.Environ(), t.env...)
		var said bytes.Buffer
		cmd.Stderr = &said
		b, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("session show %s: %w: %s", id, err, said.Bytes())
		}
		var v struct{ Messages []json.RawMessage }
		if err := json.Unmarshal(b, &v); err != nil || len(v.Messages) < perSession {
			return nil, fmt.Errorf("session show %s: %d messages, %w", id, len(v.Messages), err)
		}
		out[i] = b
	}
	return out, nil
}

// load asks one thing after the other until the function it gives is called, which says how many were answered.
func (f *full) load() func() (int, error) {
	ctx, cancel := context.WithCancel(f.b.ctx)
	var (
		all   sync.WaitGroup
		mu    sync.Mutex
		asked int
		first error
	)
	for range askers {
		all.Go(func() {
			for ctx.Err() == nil {
				err := f.jarvis("ask", "-n", "-m", "bench/text-20", "hello")
				mu.Lock()
				if err == nil {
					asked++
				} else if first == nil {
					first = err
				}
				mu.Unlock()
				if err != nil {
					return
				}
			}
		})
	}
	return func() (int, error) {
		cancel()
		all.Wait()
		return asked, first
	}
}

// copied is how long cp takes for a file, with the disk's own confirmation.
func (b *bench) copied(file string) (time.Duration, error) {
	start := time.Now()
	err := b.copy(file, file+".copy")
	return time.Since(start), err
}

// copy copies a file as cp does, with the disk's own confirmation, and removes the copy.
func (b *bench) copy(from, to string) error {
	out, err := exec.CommandContext(b.ctx, "sh", "-c", `cp "$0" "$1" && sync "$1"`, from, to).CombinedOutput()
	if err != nil {
		return fmt.Errorf("cp: %w: %s", err, out)
	}
	return os.Remove(to)
}
