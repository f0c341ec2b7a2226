package anthropic

import (
	"testing"
	"time"

	"jarvis/core/llm"
)

func TestTheFirstTokenIsWaitedForByTheServersPlace(t *testing.T) {
	for base, want := range map[string]time.Duration{"http://127.0.0.1:8080/v1": llm.SlowFirstToken, "https://llm.example.com/v1": 120 * time.Second} {
		p, err := New(Options{Name: "p", BaseURL: base})
		if err != nil {
			t.Fatal(err)
		}
		if got := p.o.Timeouts.FirstToken; got != want {
			t.Errorf("%s: %s", base, got)
		}
	}
}
