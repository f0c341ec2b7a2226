package session_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"jarvis/core"
	"jarvis/core/session"
)

// BenchmarkExport writes a session of 10,000 messages to a file, against cp of the same bytes.
func BenchmarkExport(b *testing.B) {
	r := newRig(b)
	id := r.long(1, 5000)
	for _, format := range []string{session.JSON, session.Markdown, session.HTML} {
		b.Run(format, func(b *testing.B) {
			dir := b.TempDir()
			var ours, bare time.Duration
			for b.Loop() {
				start := time.Now()
				file := filepath.Join(dir, "ours")
				toFile(b, file, func(w io.Writer) error {
					return r.Export(b.Context(), core.Owner, id, session.Exporting{Format: format}, w)
				})
				ours += time.Since(start)
				start = time.Now()
				toFile(b, filepath.Join(dir, "bare"), func(w io.Writer) error {
					f, err := os.Open(file)
					if err != nil {
						return err
					}
					_, err = io.Copy(w, f)
					return err
				})
				bare += time.Since(start)
			}
			b.ReportMetric(float64(b.N)/ours.Seconds(), "ours/s")
			b.ReportMetric(float64(b.N)/bare.Seconds(), "bare/s")
			b.ReportMetric(bare.Seconds()/ours.Seconds(), "ratio")
		})
	}
	b.Run("import", func(b *testing.B) {
		var file bytes.Buffer
		if err := r.Export(b.Context(), core.Owner, id, session.Exporting{Format: session.JSON}, &file); err != nil {
			b.Fatal(err)
		}
		dir := b.TempDir()
		var ours, bare time.Duration
		for b.Loop() {
			start := time.Now()
			if _, err := r.Import(b.Context(), core.Owner, bytes.NewReader(file.Bytes()), limits); err != nil {
				b.Fatal(err)
			}
			ours += time.Since(start)
			start = time.Now()
			toFile(b, filepath.Join(dir, "bare"), func(w io.Writer) error { _, err := w.Write(file.Bytes()); return err })
			bare += time.Since(start)
		}
		b.ReportMetric(float64(b.N)/ours.Seconds(), "ours/s")
		b.ReportMetric(float64(b.N)/bare.Seconds(), "bare/s")
		b.ReportMetric(bare.Seconds()/ours.Seconds(), "ratio")
	})
}

func toFile(b *testing.B, name string, fill func(io.Writer) error) {
	b.Helper()
	f, err := os.Create(name)
	if err != nil {
		b.Fatal(err)
	}
	if err := fill(f); err != nil {
		b.Fatal(err)
	}
	if err := f.Sync(); err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
}

// peak looks at the heap at every write.
type peak struct {
	most uint64
	n    int
}

func (p *peak) Write(b []byte) (int, error) {
	if p.n++; p.n%8 == 0 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		p.most = max(p.most, m.HeapAlloc)
	}
	return len(b), nil
}

// TestExportMemory: a session four times as long takes no more memory.
func TestExportMemory(t *testing.T) {
	r := newRig(t)
	short, long := r.long(1, 1500), r.long(2, 6000)
	for _, format := range []string{session.JSON, session.Markdown, session.HTML} {
		var a, b peak
		for id, p := range map[core.SessionID]*peak{short: &a, long: &b} {
			if err := r.Export(t.Context(), core.Owner, id, session.Exporting{Format: format}, p); err != nil {
				t.Fatal(err)
			}
		}
		if b.most > a.most+4<<20 {
			t.Errorf("%s: %d KiB for 3,000 messages, %d KiB for 12,000", format, a.most>>10, b.most>>10)
		}
	}
}
