package openai

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"jarvis/core/llm"
)

// FuzzEvents feeds whole answers: whatever comes, the stream ends with exactly one finish or one typed error, and every call
// that came out has an object for its arguments.
func FuzzEvents(f *testing.F) {
	f.Add("data: {\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	f.Add("data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"name\":\"t\",\"arguments\":\"{}\"}}]},\"finish_reason\":\"tool_calls\"}]}\n\n")
	f.Add("data: {\"error\":{\"message\":\"boom\",\"code\":429}}\n\n")
	f.Add(": comment\n\ndata: {\"choices\":[],\"usage\":{\"prompt_tokens\":-1,\"prompt_tokens_details\":{\"cached_tokens\":9}}}\n\ndata: [DONE]\n\n")
	f.Add("event: x\ndata: {\ndata: \"choices\":[]}\n\n")
	f.Fuzz(func(t *testing.T, data string) {
		_, w := llm.NewWatch(t.Context(), llm.Timeouts{})
		defer w.Stop()
		ends := 0
		a := answer{s: llm.Source{Provider: "p", Model: "m"}, w: w, calls: llm.NewCalls(100)}
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
			if d.Kind == llm.DeltaUsage && (d.Usage.In < 0 || d.Usage.Out < 0 || d.Usage.CacheRead < 0) {
				t.Errorf("usage %+v", d.Usage)
			}
			if d.Kind == llm.DeltaCall && d.Part.Args[0] != '{' {
				t.Errorf("arguments %s", d.Part.Args)
			}
			return true
		}
		a.read(&http.Response{Header: http.Header{}, Body: io.NopCloser(strings.NewReader(data))})
		if ends != 1 {
			t.Errorf("%d ends", ends)
		}
	})
}
