package openai_test

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"testing"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/ssestream"

	"jarvis/core/llm"
	"jarvis/core/llm/llmtest"
	"jarvis/core/llm/openai"
)

// canned answers every request with the same bytes: what is measured is the client's own work.
type canned []byte

func (c canned) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream"}}, Request: r,
		Body: io.NopCloser(bytes.NewReader(c)),
	}, nil
}

const benchEvents = 1000

func body(b *testing.B) canned {
	b.Helper()
	s := llmtest.New(b, llmtest.Options{})
	req, err := http.NewRequestWithContext(b.Context(), http.MethodPost, s.URL+"/v1/chat/completions",
		bytes.NewReader([]byte(`{"model":"text-1000","stream":true,"messages":[{"role":"user","content":"x"}]}`)))
	if err != nil {
		b.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer x")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		b.Fatal(err)
	}
	defer res.Body.Close() //nolint:errcheck // read only
	data, err := io.ReadAll(res.Body)
	if err != nil {
		b.Fatal(err)
	}
	return data
}

// BenchmarkEvents compares a streamed event here with the SDK's own typed stream and with only reading lines.
func BenchmarkEvents(b *testing.B) {
	data := body(b)
	per := func(b *testing.B) {
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchEvents, "ns/event")
	}
	b.Run("jarvis", func(b *testing.B) {
		p, err := openai.New(openai.Options{Name: "x", Type: llm.TypeCompatible, BaseURL: "http://x", APIKey: "k", HTTPClient: &http.Client{Transport: data}})
		if err != nil {
			b.Fatal(err)
		}
		m, err := p.Model("text-1000")
		if err != nil {
			b.Fatal(err)
		}
		b.ReportAllocs()
		for b.Loop() {
			n := 0
			for d, err := range m.Stream(b.Context(), user("x")) {
				if err != nil {
					b.Fatal(err)
				}
				if d.Kind == llm.DeltaText {
					n++
				}
			}
			if n != benchEvents {
				b.Fatal(n)
			}
		}
		per(b)
	})
	b.Run("sdk", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			res, _ := data.RoundTrip(nil) //nolint:bodyclose // in memory
			s := ssestream.NewStream[sdk.ChatCompletionChunk](ssestream.NewDecoder(res), nil)
			for s.Next() {
				_ = s.Current()
			}
			if s.Err() != nil {
				b.Fatal(s.Err())
			}
		}
		per(b)
	})
	b.Run("lines", func(b *testing.B) {
		for b.Loop() {
			lines := bufio.NewScanner(bytes.NewReader(data))
			for lines.Scan() {
				_ = lines.Bytes()
			}
		}
		per(b)
	})
}
