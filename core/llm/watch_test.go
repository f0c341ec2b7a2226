package llm_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"jarvis/core/llm"
)

var source = llm.Source{Provider: "p", Model: "m"}

func kind(err error) llm.Kind {
	var e *llm.Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return ""
}

func TestWatchFirstToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		ctx, w := llm.NewWatch(t.Context(), llm.Timeouts{FirstToken: 3 * time.Second})
		defer w.Stop()
		<-ctx.Done()
		if d := time.Since(start); d != 3*time.Second {
			t.Errorf("ended after %s", d)
		}
		if err := w.Fail(source, ctx.Err()); kind(err) != llm.KindTimeout || !strings.Contains(err.Error(), "within 3s") {
			t.Errorf("error %v", err)
		}
	})
}

func TestWatchBetweenTokens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, w := llm.NewWatch(t.Context(), llm.Timeouts{FirstToken: time.Hour, BetweenTokens: 2 * time.Second})
		defer w.Stop()
		r, pw := io.Pipe()
		body := w.Body(r, llm.Limits{})
		context.AfterFunc(ctx, func() { pw.CloseWithError(context.Canceled) })
		go func() {
			for range 5 {
				time.Sleep(1500 * time.Millisecond)
				_, _ = pw.Write([]byte("x\n"))
			}
		}()
		w.Token()
		buf := make([]byte, 10)
		for range 5 {
			if _, err := body.Read(buf); err != nil {
				t.Fatalf("ended although something came: %v", err)
			}
			w.Token()
		}
		time.Sleep(time.Minute) // a reader that is slow itself is not the provider's silence
		if ctx.Err() != nil {
			t.Fatal("ended while nobody read")
		}
		start := time.Now()
		_, err := body.Read(buf)
		if err := w.Fail(source, err); kind(err) != llm.KindTimeout {
			t.Errorf("error %v", err)
		}
		if d := time.Since(start); d < 2*time.Second || d > 4*time.Second {
			t.Errorf("ended after %s", d)
		}
	})
}

// TestWatchCountsOnlyDeltas: bytes that bring no delta (comments, empty ones) do not keep a request alive.
func TestWatchCountsOnlyDeltas(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, w := llm.NewWatch(t.Context(), llm.Timeouts{FirstToken: time.Hour, BetweenTokens: 2 * time.Second})
		defer w.Stop()
		r, pw := io.Pipe()
		body := w.Body(r, llm.Limits{})
		context.AfterFunc(ctx, func() { pw.CloseWithError(context.Canceled) })
		var writer sync.WaitGroup
		defer writer.Wait()
		writer.Go(func() {
			for ctx.Err() == nil {
				time.Sleep(500 * time.Millisecond)
				_, _ = pw.Write([]byte(": ping\n"))
			}
		})
		w.Token()
		start := time.Now()
		_, err := io.Copy(io.Discard, body)
		if err := w.Fail(source, err); kind(err) != llm.KindTimeout {
			t.Errorf("error %v", err)
		}
		if d := time.Since(start); d < 2*time.Second || d > 3*time.Second {
			t.Errorf("ended after %s", d)
		}
	})
}

func TestWatchCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	_, w := llm.NewWatch(ctx, llm.Timeouts{})
	defer w.Stop()
	cancel()
	if err := w.Fail(source, io.ErrUnexpectedEOF); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestBodyLimits(t *testing.T) {
	for _, tc := range []struct {
		name, data string
		ok         bool
	}{
		{"short lines", strings.Repeat("123456789\n", 9), true},
		{"long line", "1234567890123456\n", false},
		{"long line and its end in one read", "12345678901\n2\n", false},
		{"long line between others in one read", "1\n12345678901\n2", false},
		{"long line over reads", strings.Repeat("x", 9) + strings.Repeat("y", 9), false},
		{"long answer", strings.Repeat("1\n", 60), false},
	} {
		for _, size := range []int{5, 1000} {
			_, w := llm.NewWatch(t.Context(), llm.Timeouts{})
			body := w.Body(io.NopCloser(iotestChunks(tc.data, size)), llm.Limits{Line: 10, Answer: 100})
			_, err := io.ReadAll(body)
			if (err == nil) != tc.ok || err != nil && kind(w.Fail(source, err)) != llm.KindMalformed {
				t.Errorf("%s: %v", tc.name, err)
			}
			var e *llm.Error
			if err != nil && (!errors.As(w.Fail(source, err), &e) || e.Retryable() || strings.Contains(tc.name, "line") != strings.Contains(e.Core().Hint, "limits.model_line")) {
				t.Errorf("%s: %+v", tc.name, e)
			}
			w.Stop()
		}
	}
}

// TestEventsAreBounded: many lines that are one event count as one line, many events do not.
func TestEventsAreBounded(t *testing.T) {
	line := "data: " + strings.Repeat("x", 1000) + "\n"
	for _, tc := range []struct {
		name, data string
		ok         bool
	}{
		{"events", strings.Repeat(line+"\n", 50), true},
		{"events with carriage returns", strings.Repeat(line+"\r\n", 50), true},
		{"one event", strings.Repeat(line, 50), false},
	} {
		for _, size := range []int{7, 100_000} {
			_, w := llm.NewWatch(t.Context(), llm.Timeouts{})
			_, err := io.ReadAll(w.Events(io.NopCloser(iotestChunks(tc.data, size)), llm.Limits{Line: 2000}))
			if (err == nil) != tc.ok || err != nil && kind(w.Fail(source, err)) != llm.KindMalformed {
				t.Errorf("%s: %v", tc.name, err)
			}
			w.Stop()
		}
	}
}

// iotestChunks reads a text in pieces.
func iotestChunks(s string, n int) io.Reader {
	var rs []io.Reader
	for len(s) > n {
		rs, s = append(rs, strings.NewReader(s[:n])), s[n:]
	}
	return io.MultiReader(append(rs, strings.NewReader(s))...)
}
