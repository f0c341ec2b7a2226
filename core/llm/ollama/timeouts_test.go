package ollama

import (
	"testing"

	"jarvis/core/llm"
)

func TestTheFirstTokenIsWaitedForLong(t *testing.T) {
	p, err := New(Options{Host: "ollama.example.com"})
	if err != nil {
		t.Fatal(err)
	}
	if got := p.o.Timeouts.FirstToken; got != llm.SlowFirstToken {
		t.Errorf("%s", got)
	}
}
