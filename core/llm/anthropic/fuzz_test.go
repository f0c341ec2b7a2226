package anthropic

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
	const start = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":-1}}}\n\n"
	const stop = "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"
	f.Add(start + "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"a\"}}\n\n" + stop)
	f.Add(start + "data: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"tool_use\",\"id\":\"x\",\"name\":\"t\"}}\n\n" + stop)
	f.Add("event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"x\"}}\n\n")
	f.Add("event: content_block_stop\ndata: {\"type\":\"content_block_stop\"}\n\n" + stop + stop)
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
