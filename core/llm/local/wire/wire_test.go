package wire

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestRoundTrip(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b)
	long := strings.Repeat("ä\n\"", 100_000)
	for _, s := range []string{"", "x", long, "\u2028\x00"} {
		if err := w.Write(Event{ID: 7, Kind: EvDelta, Text: s}); err != nil {
			t.Fatal(err)
		}
	}
	r := NewReader(&b)
	for _, s := range []string{"", "x", long, "\u2028\x00"} {
		var e Event
		if err := r.Read(&e); err != nil || e.ID != 7 || e.Text != s {
			t.Fatalf("%.40q %v", e.Text, err)
		}
	}
	var e Event
	if err := r.Read(&e); !errors.Is(err, io.EOF) {
		t.Error(err)
	}
}

// endless is a peer that never ends its line.
type endless struct{ n int }

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	e.n += len(p)
	return len(p), nil
}

func TestBadLines(t *testing.T) {
	for in, want := range map[string]error{"{}": io.ErrUnexpectedEOF, "x\n": ErrLine, "[1]\n": ErrLine, "{\"id\":-1}\n": ErrLine, "\n": ErrLine} {
		var e Event
		if err := NewReader(strings.NewReader(in)).Read(&e); !errors.Is(err, want) {
			t.Errorf("%q: %v", in, err)
		}
	}
	src := &endless{}
	var e Event
	if err := NewReader(src).Read(&e); !errors.Is(err, ErrLine) || src.n > MaxLine+1<<20 {
		t.Errorf("%v after %d bytes", err, src.n)
	}
	if err := NewWriter(io.Discard).Write(Event{Text: strings.Repeat("x", MaxLine)}); !errors.Is(err, ErrLine) {
		t.Error(err)
	}
}

func FuzzReader(f *testing.F) {
	f.Add([]byte("{\"id\":1,\"kind\":\"delta\",\"text\":\"x\"}\n{}\n"))
	f.Add([]byte("{\"id\":1,\"error\":{\"code\":7}}\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		r := NewReader(bytes.NewReader(b))
		for range len(b) + 1 {
			var e Event
			if err := r.Read(&e); err != nil {
				return
			}
		}
		t.Error("more lines than bytes")
	})
}
