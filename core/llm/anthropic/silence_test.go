package anthropic_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"jarvis/core/llm"
	"jarvis/core/llm/anthropic"
	"jarvis/core/llm/llmtest"
)

// TestEmptyDeltasAreSilence: a stream that goes on without bringing anything is ended like one that says nothing.
func TestEmptyDeltasAreSilence(t *testing.T) {
	for _, empty := range []string{
		": ping\n\n",
		"event: ping\ndata: {\"type\":\"ping\"}\n\n",
		"data: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\",\"text\":\"\"}}\n\n",
		"data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}\n\n",
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "data: {\"type\":\"content_block_start\",\"content_block\":{\"type\":\"text\",\"text\":\"a\"}}\n\n")
			tick := time.NewTicker(5 * time.Millisecond)
			defer tick.Stop()
			for http.NewResponseController(w).Flush() == nil {
				select {
				case <-tick.C:
				case <-r.Context().Done():
					return
				}
				if _, err := io.WriteString(w, empty); err != nil {
					return
				}
			}
		}))
		p := provider(t, &llmtest.Server{URL: s.URL}, func(o *anthropic.Options) { o.Timeouts.BetweenTokens = 100 * time.Millisecond })
		a := ask(t.Context(), t, p, "m", user("hi"))
		if kindOf(a.err) != llm.KindTimeout || a.text != "a" {
			t.Errorf("%q: %q, %v", empty, a.text, a.err)
		}
		s.CloseClientConnections()
		s.Close()
	}
}

// TestARedirectIsSaidOnce: a prompt does not follow, and nothing is asked for again.
func TestARedirectIsSaidOnce(t *testing.T) {
	var asked atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		http.Redirect(w, r, "https://login.example.com/?token=hidden", http.StatusFound)
	}))
	t.Cleanup(s.Close)
	a := ask(t.Context(), t, provider(t, &llmtest.Server{URL: s.URL}, nil), "m", user("hi"))
	var e *llm.Error
	if !errors.As(a.err, &e) || e.Kind != llm.KindUnavailable || !strings.Contains(e.Error(), "redirects to https://login.example.com,") || strings.Contains(e.Error(), "hidden") {
		t.Errorf("error %v", a.err)
	}
	if asked.Load() != 1 {
		t.Errorf("asked %d times", asked.Load())
	}
}
