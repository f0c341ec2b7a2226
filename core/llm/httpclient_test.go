package llm_test

import (
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jarvis/core/llm"
)

func get(t *testing.T, c *http.Client, url string) (int, string, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := c.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer res.Body.Close() //nolint:errcheck // read only
	b, err := io.ReadAll(res.Body)
	return res.StatusCode, string(b), err
}

func TestHTTPClient(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/error":
			w.WriteHeader(http.StatusInternalServerError)
			_, _ = io.WriteString(w, strings.Repeat("x", 1<<20))
		case "/away":
			http.Redirect(w, r, "https://127.0.0.1:1/", http.StatusFound)
		default:
			_, _ = io.WriteString(w, "ok")
		}
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // one client refuses its certificate on purpose
	s.StartTLS()
	t.Cleanup(s.Close)
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := llm.HTTPClient(llm.HTTPOptions{Proxy: "off", CAFile: ca})
	if err != nil {
		t.Fatal(err)
	}
	if _, body, err := get(t, c, s.URL); err != nil || body != "ok" {
		t.Errorf("own CA: %q %v", body, err)
	}
	if status, body, err := get(t, c, s.URL+"/error"); err != nil || status != 500 || len(body) != 64<<10 {
		t.Errorf("error body: %d %d bytes %v", status, len(body), err)
	}
	if status, _, err := get(t, c, s.URL+"/away"); err == nil || !strings.Contains(err.Error(), "redirects to https://127.0.0.1:1,") {
		t.Errorf("a redirect to another host was followed: %d %v", status, err)
	}
	plain, err := llm.HTTPClient(llm.HTTPOptions{Proxy: "off"})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := get(t, plain, s.URL); err == nil {
		t.Error("a certificate of nobody was taken")
	}
}

func TestHTTPClientProxy(t *testing.T) {
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "through the proxy to "+r.URL.Host)
	}))
	t.Cleanup(proxy.Close)
	c, err := llm.HTTPClient(llm.HTTPOptions{Proxy: proxy.URL})
	if err != nil {
		t.Fatal(err)
	}
	if _, body, err := get(t, c, "http://models.example/"); err != nil || body != "through the proxy to models.example" {
		t.Errorf("%q %v", body, err)
	}
	for _, o := range []llm.HTTPOptions{{Proxy: "http://user:secret@[bad"}, {Proxy: "nonsense"}, {CAFile: "/does/not/exist"}} {
		if _, err := llm.HTTPClient(o); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

func TestCleanBaseURL(t *testing.T) {
	for in, want := range map[string]string{
		" https://x/v1/ ": "https://x/v1", "http://127.0.0.1:1": "http://127.0.0.1:1",
		"ftp://x": "", "x": "", "http://": "", "http://u:p@x": "", "http://x?k=v": "", "://": "",
	} {
		if got, err := llm.CleanBaseURL(in); got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q %v", in, got, err)
		}
	}
}
