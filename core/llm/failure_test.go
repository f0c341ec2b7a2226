package llm_test

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"jarvis/core/llm"
)

// bodies are the errors of the real services, as they come.
var bodies = []struct {
	name   string
	status int
	body   string
	kind   llm.Kind
	text   string
}{
	{"openai key", 401, `{"error":{"message":"Incorrect API key provided: sk-abcdef0123456789.","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}`, llm.KindAuth, "Incorrect API key provided: ***"},
	{"openai quota", 429, `{"error":{"message":"You exceeded your current quota, please check your plan.","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}`, llm.KindQuota, "exceeded"},
	{"openai rate", 429, `{"error":{"message":"Rate limit reached","type":"requests","param":null,"code":"rate_limit_exceeded"}}`, llm.KindRateLimited, "Rate limit"},
	{"openai model", 404, `{"error":{"message":"The model does not exist","type":"invalid_request_error","param":null,"code":"model_not_found"}}`, llm.KindNotFound, "does not exist"},
	{"openai long", 400, `{"error":{"message":"This model's maximum context length is 8192 tokens","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`, llm.KindTooLong, "8192"},
	{"openai bad", 400, `{"error":{"message":"Invalid schema","type":"invalid_request_error","param":null,"code":null}}`, llm.KindBadRequest, "Invalid schema"},
	{"anthropic key", 401, `{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"},"request_id":"r"}`, llm.KindAuth, "invalid x-api-key"},
	{"anthropic busy", 529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, llm.KindOverloaded, "Overloaded"},
	{"anthropic long", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}`, llm.KindTooLong, "210000"},
	{"anthropic money", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low"}}`, llm.KindQuota, "credit"},
	{"google key", 400, `[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}]`, llm.KindAuth, "API key not valid"},
	{"google rate", 429, `[{"error":{"code":429,"message":"You exceeded your current quota","status":"RESOURCE_EXHAUSTED"}}]`, llm.KindRateLimited, "quota"},
	{"openrouter money", 402, `{"error":{"code":402,"message":"Insufficient credits"}}`, llm.KindQuota, "Insufficient"},
	{"openrouter behind", 502, `{"error":{"code":502,"message":"Provider returned error","metadata":{"raw":"it broke"}}}`, llm.KindServer, "Provider returned error: it broke"},
	{"ollama model", 404, `{"error":"model 'x' not found"}`, llm.KindNotFound, "model 'x' not found"},
	{"fastapi", 422, `{"detail":"bad thing"}`, llm.KindBadRequest, "bad thing"},
	{"page", 502, "<html><body>Bad Gateway</body></html>", llm.KindServer, "Bad Gateway"},
	{"plain", 503, "no backend\navailable\x00", llm.KindOverloaded, "no backend available"},
	{"nothing", 500, "", llm.KindServer, "Internal Server Error"},
	{"half", 500, `{"error":{"mess`, llm.KindServer, "Internal Server Error"},
	{"other shape", 400, `{"error":[1,2],"message":7}`, llm.KindBadRequest, "Bad Request"},
}

func TestStatus(t *testing.T) {
	s := llm.Source{Provider: "p", Model: "m"}
	for _, tc := range bodies {
		e := s.Status(tc.status, http.Header{}, []byte(tc.body))
		if e.Kind != tc.kind || e.Status != tc.status || !strings.Contains(e.Message, tc.text) {
			t.Errorf("%s: %s %q", tc.name, e.Kind, e.Message)
		}
	}
	e := s.Reported([]byte(`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`))
	if e.Kind != llm.KindOverloaded || e.Status != 0 {
		t.Errorf("in a stream: %+v", e)
	}
	e = s.Reported([]byte(`{"error":{"code":429,"message":"slow"}}`))
	if e.Kind != llm.KindRateLimited || e.Status != 429 {
		t.Errorf("in a stream: %+v", e)
	}
}

func FuzzStatus(f *testing.F) {
	for _, tc := range bodies {
		f.Add(tc.status, []byte(tc.body))
	}
	const secret = "hunter2-hunter2"
	f.Add(400, []byte(`{"error":"`+secret+`"}`))
	s := llm.Source{Provider: "p", Model: "m", Secrets: []string{secret}}
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		for _, e := range []*llm.Error{s.Status(status, http.Header{}, body), s.Reported(body)} {
			if e.Message == "" && http.StatusText(status) != "" {
				t.Errorf("no message for %d %q", status, body)
			}
			if !utf8.ValidString(e.Message) || utf8.RuneCountInString(e.Message) > 300 || strings.ContainsFunc(e.Message, unicode.IsControl) {
				t.Errorf("message %q", e.Message)
			}
			if strings.Contains(e.Error(), secret) {
				t.Errorf("the secret is in %q", e.Error())
			}
		}
	})
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	for _, tc := range []struct {
		name, value, date string
		want              time.Duration
	}{
		{"none", "", "", 0},
		{"seconds", "7", "", 7 * time.Second},
		{"fraction", " 1.5 ", "", 1500 * time.Millisecond},
		{"zero", "0", "", 0},
		{"negative", "-5", "", 0},
		{"huge", "1e300", "", 24 * time.Hour},
		{"nan", "NaN", "", 0},
		{"date", "Thu, 01 Jan 2026 12:00:30 GMT", "", 30 * time.Second},
		{"past date", "Thu, 01 Jan 2026 11:00:00 GMT", "", 0},
		{"server's clock", "Thu, 01 Jan 2026 13:00:30 GMT", "Thu, 01 Jan 2026 13:00:00 GMT", 30 * time.Second},
		{"words", "soon", "", 0},
	} {
		h := http.Header{}
		h.Set("Retry-After", tc.value)
		h.Set("Date", tc.date)
		if got := llm.RetryAfter(h, now); got != tc.want {
			t.Errorf("%s: %s, want %s", tc.name, got, tc.want)
		}
	}
	h := http.Header{"Retry-After-Ms": {"250"}, "Retry-After": {"7"}}
	if got := llm.RetryAfter(h, now); got != 250*time.Millisecond {
		t.Errorf("milliseconds: %s", got)
	}
}

func FuzzRetryAfter(f *testing.F) {
	for _, v := range []string{"7", "1.5", "-1", "1e999", "NaN", "Inf", "Thu, 01 Jan 2026 12:00:30 GMT", "x"} {
		f.Add(v, v, v)
	}
	now := time.Unix(1_700_000_000, 0)
	f.Fuzz(func(t *testing.T, after, ms, date string) {
		h := http.Header{"Retry-After": {after}, "Retry-After-Ms": {ms}, "Date": {date}}
		if d := llm.RetryAfter(h, now); d < 0 || d > 24*time.Hour {
			t.Errorf("%q %q %q: %s", after, ms, date, d)
		}
	})
}

func TestFail(t *testing.T) {
	s := llm.Source{Provider: "p", Model: "m", Secrets: []string{"secret-key"}}
	dial := &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}
	slow := &net.OpError{Op: "dial", Net: "tcp", Err: context.DeadlineExceeded}
	syntax := json.Unmarshal([]byte("{"), new(any))
	for _, tc := range []struct {
		name string
		err  error
		kind llm.Kind
	}{
		{"dial", &url.Error{Op: "Post", URL: "http://x/?key=secret-key", Err: dial}, llm.KindNetwork},
		{"dial timeout", slow, llm.KindTimeout},
		{"certificate", &url.Error{Op: "Post", Err: &tls.CertificateVerificationError{Err: errors.New("unknown authority")}}, llm.KindUnavailable},
		{"cut", io.ErrUnexpectedEOF, llm.KindCut},
		{"json", fmt.Errorf("event: %w", syntax), llm.KindMalformed},
		{"other", errors.New("secret-key is bad"), llm.KindNetwork},
		{"ours", s.Error(llm.KindQuota, "x", nil), llm.KindQuota},
	} {
		var e *llm.Error
		if !errors.As(s.Fail(tc.err), &e) || e.Kind != tc.kind || strings.Contains(e.Error(), "secret-key") {
			t.Errorf("%s: %v", tc.name, e)
		}
	}
	if err := s.Fail(context.Canceled); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if s.Fail(nil) != nil {
		t.Error("nil is an error")
	}
}

func TestOneLine(t *testing.T) {
	for in, want := range map[string]string{
		"a\nb\t c\r\n":              "a b c",
		"stop.":                     "stop",
		"\x1b[31mred\x1b[0m":        "[31mred [0m",
		"bad \xff utf8":             "bad utf8",
		strings.Repeat("é", 400):    strings.Repeat("é", 299) + "…",
		strings.Repeat("x ", 10000): "",
	} {
		got := llm.OneLine(in)
		if want != "" && got != want || utf8.RuneCountInString(got) > 300 {
			t.Errorf("%.20q: got %q", in, got)
		}
	}
}

func TestHints(t *testing.T) {
	for kind, want := range map[llm.Kind]string{
		llm.KindAuth: "jarvis setup", llm.KindNotFound: "jarvis model list", llm.KindServer: "jarvis model list   # another model",
		llm.KindRateLimited: "jarvis model list   # another model", llm.KindNetwork: "jarvis config get providers.p.base_url",
		llm.KindCut: "jarvis model test p/m",
	} {
		if e := (llm.Source{Provider: "p", Model: "m"}).Error(kind, "x", nil).Core(); e.Hint != want {
			t.Errorf("%s: %q", kind, e.Hint)
		}
	}
	for provider, want := range map[string]string{"ollama": "ollama serve", "openai": "jarvis model list"} {
		if e := (llm.Source{Provider: provider, Model: "m"}).Error(llm.KindNetwork, "x", nil).Core(); !strings.HasPrefix(e.Hint, want) {
			t.Errorf("%s without a connection: %q", provider, e.Hint)
		}
	}
}
