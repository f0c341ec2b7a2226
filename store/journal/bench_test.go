package journal

import (
	"strings"
	"sync"
	"testing"

	"jarvis/core"
)

var word = strings.Repeat("word ", 4)

func BenchmarkAppend(b *testing.B) {
	d := openT(b, b.TempDir(), Options{})
	l := logT(b, d, id(1))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := l.Append(text(word)); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkStreams is what a busy daemon does: 200 chains that write, each followed by one reader. The figure is for one
// event written and read.
func BenchmarkStreams(b *testing.B) {
	const streams = 200
	d := openT(b, b.TempDir(), Options{})
	var wg sync.WaitGroup
	logs := make([]*Log, streams)
	for i := range logs {
		logs[i] = logT(b, d, id(i))
		wg.Go(func() {
			for _, err := range d.Read(b.Context(), id(i), 0) {
				if err != nil {
					b.Error(err)
				}
			}
		})
	}
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		if _, err := logs[n%streams].Append(text(word)); err != nil {
			b.Fatal(err)
		}
		n++
	}
	for _, l := range logs {
		appendT(b, l, done())
	}
	wg.Wait()
	if n < streams {
		return
	}
}

// BenchmarkReplay reads a sealed journal of 10,000 events from the disk; the figure is for one event.
func BenchmarkReplay(b *testing.B) {
	const events = 10_000
	d := openT(b, b.TempDir(), Options{})
	l := logT(b, d, id(1))
	for i := range events {
		e := text(word)
		if i%2 == 1 { // no two neighbours can be joined
			e.Type = core.EventReasoning
		}
		appendT(b, l, e)
	}
	appendT(b, l, done())
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		for _, err := range d.Read(b.Context(), id(1), 0) {
			if err != nil {
				b.Fatal(err)
			}
			n++
		}
		if n != events+1 {
			b.Fatalf("read %d events", n)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/events, "ns/event")
}
