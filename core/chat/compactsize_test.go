package chat

import (
	"fmt"
	"strings"
	"testing"

	"jarvis/core"
	"jarvis/core/llm"
	"jarvis/core/prompt"
)

// largest gives the largest request for a summary in a window, of chains of so many bytes, and the tokens of what it summarises.
func largest(window, bytes int, reasoning bool) (req llm.Request, size int) {
	t := &turn{info: llm.Info{Window: window, Reasoning: reasoning}}
	t.stand(core.Summary{From: 1, To: 1, Chains: 1, Text: strings.Repeat("fact ", t.longest()*3/5)})
	var all []earlier
	for n := 0; n <= 2*window; {
		id := core.ChainID(fmt.Sprint("c", len(all)))
		e := textOf([]core.Message{
			{Chain: id, Role: core.RoleUser, Type: core.TypeText, Text: "Go on."},
			{Chain: id, Role: core.RoleAssistant, Type: core.TypeText, Text: strings.Repeat("words ", bytes/6)},
		})
		all, n = append(all, e), n+e.tokens
	}
	taken, _ := t.takes(all)
	size = prompt.Size(t.head) + tokens(taken)
	return t.summaryRequest(taken, size), size
}

func sent(req llm.Request) int {
	return prompt.Tokens(len(req.System[0].Text)) + prompt.Size(req.Messages)
}

// TestARequestForASummaryNeverOverflows, whatever the window and the chains are.
func TestARequestForASummaryNeverOverflows(t *testing.T) {
	for _, window := range []int{smallestWindow, 4096, 8192, 32_768, 200_000} {
		for _, bytes := range []int{60, 600, 6000, 600_000} {
			for _, reasoning := range []bool{false, true} {
				req, size := largest(window, bytes, reasoning)
				if n := sent(req) + req.MaxTokens; n > window || req.MaxTokens < 64 {
					t.Errorf("window %d, chains of %d bytes, %d tokens of them: %d sent, %d of answer", window, bytes, size, sent(req), req.MaxTokens)
				}
			}
		}
	}
}

// BenchmarkSummaryPrompt is the size of a request for a summary against that of what it summarises, in tokens.
func BenchmarkSummaryPrompt(b *testing.B) {
	for _, window := range []int{8192, 32_768, 200_000} {
		b.Run(fmt.Sprint("window=", window), func(b *testing.B) {
			var req llm.Request
			size := 0
			for b.Loop() {
				req, size = largest(window, 2000, false)
			}
			b.ReportMetric(float64(sent(req)), "ours/req")
			b.ReportMetric(float64(size), "bare/req")
			b.ReportMetric(float64(sent(req))/float64(size), "ratio")
		})
	}
}
