package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"jarvis/core"
)

const (
	latencyWriters = 2
	latencyAlone   = 5 * time.Second // of writing before anything else goes on
	latencyLeast   = 3 * time.Second // of writing beside something
)

// latency is how long an acknowledged write takes while a backup of a large home is made, against none and against cp of the
// store's file with a sync at its end. The median and the worst of each; the home has some 200 MB for a thousand of -big.
func (b *bench) latency() error {
	f, err := b.newFull("latency", filling{sessions: b.big * 5 / 4, messages: perSession})
	if err != nil {
		return err
	}
	info, err := os.Stat(f.h.DB)
	if err != nil {
		return err
	}
	if err := f.start(); err != nil {
		return err
	}
	defer f.stop()
	file := filepath.Join(b.dir, "latency.tar")
	took := map[string]time.Duration{}
	times := map[string][]time.Duration{}
	for _, m := range []struct {
		name   string
		beside func() error
	}{
		{"nothing else", func() error { time.Sleep(latencyAlone); return nil }},
		{"a backup", func() error { return f.jarvis("backup", "create", file) }},
		{"a compaction", func() error { return f.jarvis("backup", "compact") }},
		{"cp and sync", func() error { return b.copy(f.h.DB, file+".copy") }},
	} {
		if times[m.name], took[m.name], err = f.beside(m.beside); err != nil {
			return fmt.Errorf("beside %s: %w", m.name, err)
		}
	}
	alone := times["nothing else"]
	for _, name := range []string{"a backup", "a compaction", "cp and sync"} {
		label := fmt.Sprintf("a write beside %s of %d MiB (%.1f s), against beside nothing: ", name, info.Size()>>20, took[name].Seconds())
		b.pair(label+"median", median(times[name]), median(alone), "–")
		b.pair(label+"worst", slices.Max(times[name]), slices.Max(alone), "–")
	}
	return os.Remove(file)
}

// beside writes all the time while fn runs, and a little longer when that is short.
func (f *full) beside(fn func() error) (all []time.Duration, took time.Duration, err error) {
	var enough atomic.Bool
	lists, errs := make([][]time.Duration, latencyWriters), make([]error, latencyWriters)
	done := make(chan int)
	for n := range latencyWriters {
		go func() {
			defer func() { done <- n }()
			for i := n; !enough.Load(); i += latencyWriters {
				title := fmt.Sprintf("title %d", i)
				start := time.Now()
				if _, err := f.c.EditSession(f.b.ctx, string(f.ids[i%len(f.ids)]), core.SessionEdit{Title: &title}); err != nil {
					errs[n] = err
					return
				}
				lists[n] = append(lists[n], time.Since(start))
			}
		}()
	}
	start := time.Now()
	err = fn()
	took = time.Since(start)
	if took < latencyLeast && err == nil {
		time.Sleep(latencyLeast - took)
	}
	enough.Store(true)
	for range latencyWriters {
		<-done
	}
	return slices.Concat(lists...), took, errors.Join(append(errs, err)...)
}
