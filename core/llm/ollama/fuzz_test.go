package ollama

import (
	"errors"
	"strings"
	"testing"

	"jarvis/core/llm"
)

// FuzzLines feeds whole answers: whatever comes, the stream ends with exactly one finish or one typed error, and every call
// that came out has an object for its arguments.
func FuzzLines(f *testing.F) {
	f.Add("{\"message\":{\"content\":\"a\"},\"done\":false}\n{\"done\":true,\"done_reason\":\"stop\",\"eval_count\":1}\n")
	f.Add("{\"message\":{\"tool_calls\":[{\"function\":{\"name\":\"t\",\"arguments\":{}}}]}}\n{\"done\":true}\n")
	f.Add("{\"message\":{\"tool_calls\":[{\"function\":{\"name\":\"t\",\"arguments\":\"x\"}}]},\"done\":true}")
	f.Add("{\"error\":\"boom\"}\n")
	f.Add("{\"message\":\n\n\x00")
	f.Fuzz(func(t *testing.T, data string) {
		_, w := llm.NewWatch(t.Context(), llm.Timeouts{})
		defer w.Stop()
		ends := 0
		a := answer{s: llm.Source{Provider: "p", Model: "m"}, w: w, calls: llm.NewCalls(100), limit: 1000}
		a.yield = func(d llm.Delta, err error) bool {
			if ends > 0 {
				t.Error("something after the end")
			}
			var e *llm.Error
			if err != nil && !errors.As(err, &e) {
				t.Errorf("error %T %v", err, err)
			}
			if err != nil || d.Kind == llm.DeltaFinish {
				ends++
			}
			if d.Kind == llm.DeltaCall && d.Part.Args[0] != '{' {
				t.Errorf("arguments %s", d.Part.Args)
			}
			return true
		}
		a.read(strings.NewReader(data))
		if ends != 1 {
			t.Errorf("%d ends", ends)
		}
	})
}
