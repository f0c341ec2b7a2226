package llm_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"jarvis/core/llm"
)

func TestRedirects(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("another host was asked") }))
	t.Cleanup(other.Close)
	here := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/found": // a POST would become a GET
			w.Header().Set("Location", "/here")
			w.WriteHeader(http.StatusFound)
		case "/moved":
			w.Header().Set("Location", "/here")
			w.WriteHeader(http.StatusPermanentRedirect)
		case "/nowhere":
			w.WriteHeader(http.StatusFound)
		case "/unmodified":
			w.WriteHeader(http.StatusNotModified)
		case "/here":
			if r.Method != http.MethodPost {
				t.Errorf("%s here", r.Method)
			}
		default:
			w.Header().Set("Location", other.URL+"/login?token=hidden")
			w.WriteHeader(http.StatusTemporaryRedirect)
		}
	}))
	t.Cleanup(here.Close)
	c, err := llm.HTTPClient(llm.HTTPOptions{Proxy: "off"})
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"/moved": "", "/found": "302 its address redirects to " + here.URL, "/away": "307 its address redirects to " + other.URL + ",",
		"/nowhere": "302 its address does not answer", "/unmodified": "304 its address does not answer",
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, here.URL+path, strings.NewReader("prompt"))
		if err != nil {
			t.Fatal(err)
		}
		res, err := c.Do(req)
		if err == nil {
			_ = res.Body.Close() // only its head is looked at
		}
		if (err == nil) != (want == "") {
			t.Errorf("%s: %v", path, err)
		}
		if err == nil || want == "" {
			continue
		}
		var e *llm.Error
		if !errors.As(source.Fail(err), &e) || e.Retryable() || !strings.Contains(e.Error(), want) || strings.Contains(e.Error(), "hidden") {
			t.Errorf("%s: %v", path, e)
		}
		if e.Core().Hint != "jarvis config get providers.p.base_url" {
			t.Errorf("%s: hint %q", path, e.Core().Hint)
		}
	}
}
