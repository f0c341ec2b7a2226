package daemon

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"jarvis/daemon/api"
)

// get asks over TCP.
func get(t *testing.T, c *http.Client, url string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

func TestTCPTellsHealthAndNothingElse(t *testing.T) {
	d := start(t, Options{Home: newHome(t, newFakeModel(t), "listen: 127.0.0.1:0\n")})
	c := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(c.CloseIdleConnections)
	base := "http://" + d.status.Listen
	if code, body := get(t, c, base+"/healthz"); code != http.StatusOK {
		t.Errorf("health: %d %s", code, body)
	}
	if code, body := get(t, c, base+"/api/sessions"); code != http.StatusUnauthorized {
		t.Errorf("sessions: %d %s", code, body)
	}
	_, body := get(t, c, base+"/readyz")
	var ready api.Ready
	if err := json.Unmarshal([]byte(body), &ready); err != nil || ready.Components["store"] != stateReady || ready.Components["tcp"] != stateReady {
		t.Errorf("readiness: %s", body)
	}
}

func TestTheSelfSignedCertificateIsMadeOnce(t *testing.T) {
	h := newHome(t, newFakeModel(t), "listen: 127.0.0.1:0\ntls: auto\n")
	var before string
	for range 2 {
		d := start(t, Options{Home: h})
		pem, err := os.ReadFile(filepath.Join(h.State, "tls-cert.pem"))
		if err != nil {
			t.Fatal(err)
		}
		if before != "" && string(pem) != before {
			t.Error("a new certificate: whoever trusted the old one must do it again")
		}
		before = string(pem)
		pool := x509.NewCertPool()
		pool.AppendCertsFromPEM(pem)
		c := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}}}
		if code, body := get(t, c, "https://"+d.status.Listen+"/healthz"); code != http.StatusOK {
			t.Errorf("%d %s", code, body)
		}
		c.CloseIdleConnections()
		if err := d.stop(); err != nil {
			t.Fatal(err)
		}
	}
	if info, err := os.Stat(filepath.Join(h.State, "tls-key.pem")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("key: %v %v", info, err)
	}
}
