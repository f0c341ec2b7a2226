//go:build linux || darwin

package llama

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"jarvis/core"
	"jarvis/core/llm"
	"jarvis/core/llm/local"
	"jarvis/core/llm/local/wire"
)

const story = "Write a long story about a dragon."

// BenchmarkTokens measures tokens a second of an answer through the daemon's side and the worker (ours/s) against the same
// library called in this process (bare/s). The two take turns, since a busy machine changes by the second.
func BenchmarkTokens(b *testing.B) {
	e := engineOf(b)
	prog := filepath.Join(b.TempDir(), "jarvis-model")
	if out, err := exec.CommandContext(b.Context(), "go", "build", "-o", prog, "jarvis/cmd/jarvis-model").CombinedOutput(); err != nil {
		b.Fatalf("build worker: %v\n%s", err, out)
	}
	p := local.New(local.Options{ModelsDir: os.Getenv("JARVIS_TEST_MODELS"), Program: prog})
	defer p.Close()
	m, err := p.Model("smollm2-135m")
	if err != nil {
		b.Fatal(err)
	}
	runtime.LockOSThread() // as the worker does
	defer runtime.UnlockOSThread()
	var ours, bare, ratio []float64
	for b.Loop() {
		for i := range 8 {
			var o, n float64
			if i%2 == 0 { // whoever comes second has the warmer caches
				o, n = throughWorker(b, m), inProcess(b, e)
			} else {
				n, o = inProcess(b, e), throughWorker(b, m)
			}
			ours, bare, ratio = append(ours, o), append(bare, n), append(ratio, o/n)
		}
	}
	b.ReportMetric(median(ours), "ours/s")
	b.ReportMetric(median(bare), "bare/s")
	b.ReportMetric(median(ratio), "ratio")
}

// rate is pieces a second between the first and the last.
type rate struct {
	n           int
	first, last time.Time
}

func (r *rate) piece() {
	r.last = time.Now()
	if r.n == 0 {
		r.first = r.last
	}
	r.n++
}

func (r *rate) perSecond() float64 { return float64(r.n-1) / r.last.Sub(r.first).Seconds() }

func throughWorker(b *testing.B, m llm.Model) float64 {
	b.Helper()
	var r rate
	zero := 0.0
	req := llm.Request{
		Messages:  []llm.Message{{Role: core.RoleUser, Parts: []llm.Part{{Type: llm.PartText, Text: story}}}},
		MaxTokens: 128, Temperature: &zero,
	}
	for d, err := range m.Stream(b.Context(), req) {
		if err != nil {
			b.Fatal(err)
		}
		if d.Kind == llm.DeltaText {
			r.piece()
		}
	}
	return r.perSecond()
}

func inProcess(b *testing.B, e *engine) float64 {
	b.Helper()
	var r rate
	g := &wire.Generate{Messages: conversation(story), MaxTokens: 128}
	if _, err := e.generate(context.Background(), g, func(string) error { r.piece(); return nil }); err != nil {
		b.Fatal(err)
	}
	return r.perSecond()
}

func median(v []float64) float64 {
	slices.Sort(v)
	return v[len(v)/2]
}
