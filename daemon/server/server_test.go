package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"jarvis/core"
	"jarvis/daemon/api"
	"jarvis/daemon/server"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// failure reads the envelope and holds it against its own promises.
func failure(t *testing.T, resp *http.Response) api.ErrorBody {
	t.Helper()
	var e api.Envelope
	if err := json.Unmarshal([]byte(text(t, resp)), &e); err != nil {
		t.Fatalf("status %d: not an envelope: %v", resp.StatusCode, err)
	}
	if e.Error.Status != resp.StatusCode || e.Error.RequestID == "" || e.Error.RequestID != resp.Header.Get(api.RequestIDHeader) || e.Error.Message == "" {
		t.Errorf("incomplete envelope: %+v (status %d)", e.Error, resp.StatusCode)
	}
	if resp.Header.Get(api.VersionHeader) != api.Version() {
		t.Errorf("no version on the response")
	}
	return e.Error
}

func TestOnlyTheOwnerWithTheTokenIsHeard(t *testing.T) {
	tests := []struct {
		name   string
		uid    int
		err    error
		header []string
		path   string
		want   core.Code
	}{
		{name: "right", path: "/api/status"},
		{name: "root", uid: -1, path: "/api/status"},
		{name: "no token", header: []string{"Authorization:"}, path: "/api/status", want: core.Unauthorized},
		{name: "wrong token", header: []string{"Authorization: Bearer nope"}, path: "/api/status", want: core.Unauthorized},
		{name: "prefix of the token", header: []string{"Authorization: Bearer the-toke"}, path: "/api/status", want: core.Unauthorized},
		{name: "other scheme", header: []string{"Authorization: Basic " + token}, path: "/api/status", want: core.Unauthorized},
		{name: "other user", uid: 7, path: "/api/status", want: core.Unauthorized},
		{name: "unknown user", err: errors.New("gone"), path: "/api/status", want: core.Unauthorized},
		{name: "unknown route without token", header: []string{"Authorization:"}, path: "/api/nothing", want: core.Unauthorized},
		{name: "health needs none", uid: 7, header: []string{"Authorization:"}, path: "/healthz"},
		{name: "readiness needs none", header: []string{"Authorization:"}, path: "/readyz"},
		{name: "a page", header: []string{"Origin: http://localhost:8088"}, path: "/api/status", want: core.ScopeDenied},
		{name: "a page's health", header: []string{"Origin: https://evil.example"}, path: "/healthz", want: core.ScopeDenied},
		{name: "any host", header: []string{"Host: evil.example"}, path: "/api/status"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, func(c *server.Config) {
				c.UID = 1000
				c.Peer = func(net.Conn) (int, error) {
					switch tt.uid {
					case 0:
						return 1000, tt.err
					case -1:
						return 0, tt.err
					}
					return tt.uid, tt.err
				}
			})
			resp := r.do(t, "GET", tt.path, "", tt.header...)
			if tt.want == "" {
				if resp.StatusCode != http.StatusOK {
					t.Fatalf("status %d: %s", resp.StatusCode, text(t, resp))
				}
				return
			}
			if e := failure(t, resp); e.Code != tt.want {
				t.Errorf("got %s (%s), want %s", e.Code, e.Message, tt.want)
			}
		})
	}
}

func TestTheKernelNamesTheCaller(t *testing.T) {
	r := newRig(t, nil)
	if resp := r.do(t, "GET", "/api/status", ""); resp.StatusCode != http.StatusOK {
		t.Fatalf("status %d: %s", resp.StatusCode, text(t, resp))
	}
}

func TestWithoutATokenNobodyIsHeard(t *testing.T) {
	r := newRig(t, func(c *server.Config) { c.Token = "" })
	if e := failure(t, r.do(t, "GET", "/api/status", "", "Authorization: Bearer ")); e.Code != core.Unauthorized {
		t.Errorf("got %s", e.Code)
	}
}

func TestTCPAnswersHealthOnly(t *testing.T) {
	r := newRig(t, nil)
	r.url, r.client = tcp(t, r.conf), http.DefaultClient
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	for path, want := range map[string]int{
		"/healthz": 200, "/readyz": 200, "/api/status": 401, "/api/chat": 401, "/": 401, "/nothing": 401,
	} {
		resp := r.do(t, "GET", path, "")
		if resp.StatusCode != want {
			t.Errorf("%s: status %d, want %d", path, resp.StatusCode, want)
		}
		if want == 401 {
			failure(t, resp)
		}
	}
	if e := failure(t, r.do(t, "GET", "/api/status", "", "Host: evil.example")); e.Code != core.ScopeDenied {
		t.Errorf("foreign host: %s", e.Code)
	}
	if e := failure(t, r.do(t, "GET", "/api/status", "", "Origin: https://evil.example")); e.Code != core.ScopeDenied {
		t.Errorf("foreign origin: %s", e.Code)
	}
	if e := failure(t, r.do(t, "POST", "/healthz", "")); e.Code != core.MethodNotAllowed && e.Code != core.Unauthorized {
		t.Errorf("POST /healthz: %s", e.Code)
	}
}

func TestTheRefusalOverTCPNamesACommandThatIsThere(t *testing.T) {
	r := newRig(t, nil)
	r.url, r.client = tcp(t, r.conf), http.DefaultClient
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	if e := failure(t, r.do(t, "GET", "/api/status", "")); e.Hint != "jarvis daemon status" {
		t.Errorf("hint %q", e.Hint)
	}
}

// TestTheConfigurationIsLookedAtForThoseWhoMayAsk: whoever is not let in must not make the daemon work.
func TestTheConfigurationIsLookedAtForThoseWhoMayAsk(t *testing.T) {
	looks := 0
	r := newRig(t, func(c *server.Config) { c.Fresh = func(context.Context) { looks++ } })
	for _, refused := range [][]string{{"/healthz"}, {"/readyz"}, {"/api/status", "Authorization: Bearer nope"}, {"/api/status", "Origin: http://x"}} {
		text(t, r.do(t, "GET", refused[0], "", refused[1:]...))
	}
	if looks != 0 {
		t.Errorf("%d looks for nobody", looks)
	}
	if text(t, r.do(t, "GET", "/api/status", "")); looks != 1 {
		t.Errorf("%d looks", looks)
	}
}

func TestEveryRefusalIsAnEnvelope(t *testing.T) {
	big := strings.Repeat("x", 9000)
	tests := []struct {
		name, method, path, body string
		want                     core.Code
		says                     string
	}{
		{"unknown path", "GET", "/api/nothing", "", core.NotFound, "/api/nothing"},
		{"wrong method", "PUT", "/api/chat", "", core.MethodNotAllowed, "POST"},
		{"empty body", "POST", "/api/chat", "", core.BadRequest, "empty"},
		{"not JSON", "POST", "/api/chat", "hello", core.BadRequest, "JSON"},
		{"an array", "POST", "/api/chat", "[]", core.BadRequest, "the body"},
		{"unknown field", "POST", "/api/chat", `{"content":"hi","colour":"red"}`, core.BadRequest, `"colour"`},
		{"wrong type", "POST", "/api/chat", `{"content":7}`, core.BadRequest, "content"},
		{"two values", "POST", "/api/chat", `{"content":"a"}{"content":"b"}`, core.BadRequest, "goes on"},
		{"session is no id", "POST", "/api/chat", `{"content":"hi","session_id":"../x"}`, core.NotFound, "../x"},
		{"session unknown", "POST", "/api/chat", `{"content":"hi","session_id":"ffffff"}`, core.NotFound, "ffffff"},
		{"steer", "POST", "/api/chat", `{"content":"hi","arrival":"steer"}`, core.Unsupported, "arrival"},
		{"workspace", "POST", "/api/chat", `{"content":"hi","workspace":"/tmp"}`, core.Unsupported, "workspace"},
		{"both sessions", "POST", "/api/chat", `{"content":"hi","session_id":"0000aa","continue":true}`, core.BadRequest, "continue"},
		{"private in a session", "POST", "/api/chat", `{"content":"hi","session_id":"0000aa","private":true}`, core.BadRequest, "private"},
		{"prompt too large", "POST", "/api/chat", `{"content":"` + big[:1001] + `"}`, core.TooLarge, "prompt"},
		{"request too large", "POST", "/api/chat", `{"content":"` + big + `"}`, core.TooLarge, "8000 bytes"},
		{"stop nothing", "POST", "/api/chat/stop", `{}`, core.BadRequest, "one of"},
		{"stop both", "POST", "/api/chat/stop", `{"chain":"a","session_id":"b"}`, core.BadRequest, "one of"},
		{"stop unknown", "POST", "/api/chat/stop", `{"chain":"` + string(chainB) + `"}`, core.NotFound, "chain"},
		{"chain unknown", "GET", "/api/chains/" + string(chainB), "", core.NotFound, "chain"},
		{"events of no id", "GET", "/api/chains/..%2f..%2fetc/events", "", core.NotFound, "chain"},
		{"events after a word", "GET", "/api/chains/" + string(chainB) + "/events?after=x", "", core.BadRequest, "Last-Event-ID"},
		{"bad limit", "GET", "/api/sessions?limit=0", "", core.BadRequest, "limit"},
		{"unknown session", "GET", "/api/sessions/zz", "", core.NotFound, "zz"},
		{"todo is no number", "PUT", "/api/todo/x", `{"status":"completed"}`, core.NotFound, "x"},
		{"unknown model", "DELETE", "/api/models/local/two", "", core.NotFound, "local/two"},
	}
	r := newRig(t, nil)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := failure(t, r.do(t, tt.method, tt.path, tt.body))
			if e.Code != tt.want || !strings.Contains(e.Message, tt.says) {
				t.Errorf("got %s %q, want %s with %q", e.Code, e.Message, tt.want, tt.says)
			}
		})
	}
	if n := len(r.chat.asked); n != 0 {
		t.Errorf("%d refused requests reached the chat", n)
	}
}

func TestAPanicIsOneFailedRequest(t *testing.T) {
	r := newRig(t, func(c *server.Config) {
		c.Models = fakeModels{pull: func(func(api.PullProgress)) error { panic("boom") }}
	})
	e := failure(t, r.do(t, "POST", "/api/models/pull", `{"model":"m"}`))
	if e.Code != core.Internal || strings.Contains(e.Message, "boom") {
		t.Errorf("got %+v", e)
	}
	if resp := r.do(t, "GET", "/api/status", ""); resp.StatusCode != 200 {
		t.Errorf("the server is gone after a panic")
	}
}

func TestLargeBodiesAreRefusedUnread(t *testing.T) {
	r := newRig(t, nil)
	req, err := http.NewRequestWithContext(t.Context(), "POST", r.url+"/api/chat", neverRead{t})
	if err != nil {
		t.Fatal(err)
	}
	req.ContentLength = 200 << 20
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Expect", "100-continue")
	resp, err := r.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if e := failure(t, resp); e.Code != core.TooLarge {
		t.Errorf("got %s", e.Code)
	}
}

type neverRead struct{ t *testing.T }

func (n neverRead) Read([]byte) (int, error) {
	n.t.Error("the body was read")
	return 0, errors.New("read")
}

func TestMissingVariablesAreNamed(t *testing.T) {
	r := newRig(t, nil)
	resp := r.do(t, "GET", "/api/status", "", api.VarsHeader+": ANTHROPIC_API_KEY,OPENAI_API_KEY")
	if got := resp.Header.Get(api.VarsHeader); got != "ANTHROPIC_API_KEY" {
		t.Errorf("got %q", got)
	}
}

func TestListsAreNeverNull(t *testing.T) {
	r := newRig(t, nil)
	for _, path := range []string{"/api/sessions", "/api/todo"} {
		if got := text(t, r.do(t, "GET", path, "")); !strings.Contains(got, `"items":[]`) {
			t.Errorf("%s: %s", path, got)
		}
	}
}

func TestReadsOfASession(t *testing.T) {
	r := newRig(t, nil)
	for path, want := range map[string]string{
		"/api/sessions?hidden=1&limit=3":                 `"next_cursor":"c3"`,
		"/api/sessions/0000aa":                           `"title":"One"`,
		"/api/sessions/" + string(session) + "/messages": `"text":"hi"`,
		"/api/sessions/0000aa/system-prompt":             `{"prompt":"You are."}`,
		"/api/sessions/0000aa/system-prompt-blocks":      `"label":"Identity"`,
		"/api/models": `"ref":"a/b"`,
		"/api/status": `"state":"ready"`,
	} {
		got := text(t, r.do(t, "GET", path, ""))
		if !strings.Contains(got, want) {
			t.Errorf("%s: %s", path, got)
		}
		if strings.Contains(got, "secret") {
			t.Errorf("%s shows a provider's own data", path)
		}
	}
}

func TestWritesOfTodosAndModels(t *testing.T) {
	r := newRig(t, func(c *server.Config) {
		c.Models = fakeModels{pull: func(p func(api.PullProgress)) error {
			p(api.PullProgress{Bytes: 5, Total: 10})
			return core.E(core.UpstreamUnavailable, "the server is gone", "try again", nil)
		}}
	})
	tests := []struct {
		method, path, body, want string
		status                   int
	}{
		{"POST", "/api/todo", `{"content":"milk"}`, `"content":"milk"`, 201},
		{"PUT", "/api/todo/4", `{"status":"completed"}`, `"n":4`, 200},
		{"DELETE", "/api/models/local/one", "", `local/one`, 200},
		{"DELETE", "/api/sessions/0000aa", "", `"title":"One"`, 200},
		{"POST", "/api/models/test", `{"model":"x"}`, `"ok":true`, 200},
		{"POST", "/api/models/pull", `{"model":"x"}`, `"error":{"code":"upstream_unavailable"`, 200},
	}
	for _, tt := range tests {
		resp := r.do(t, tt.method, tt.path, tt.body)
		if got := text(t, resp); resp.StatusCode != tt.status || !strings.Contains(got, tt.want) {
			t.Errorf("%s %s: %d %s", tt.method, tt.path, resp.StatusCode, got)
		}
	}
}

func TestStopOfASessionStopsWhatIsOpenNewestFirst(t *testing.T) {
	r := newRig(t, func(c *server.Config) {
		c.Sessions = fakeSessions{chains: []core.Chain{{ID: "1", State: core.Ended}, {ID: "2", State: core.Running}, {ID: "3", State: core.Queued}}}
	})
	resp := r.do(t, "POST", "/api/chat/stop", `{"sessionId":"`+string(session)+`"}`)
	if got := text(t, resp); resp.StatusCode != 200 || !strings.Contains(got, `{"stopped":["3","2"]}`) {
		t.Errorf("%d %s", resp.StatusCode, got)
	}
	if want := []core.ChainID{core.ChainID(session)}; !slices.Equal(r.chat.stops, want) {
		t.Errorf("stopped %v, want %v", r.chat.stops, want)
	}
}

func TestShutdownAnswersFirst(t *testing.T) {
	asked := make(chan struct{})
	r := newRig(t, func(c *server.Config) { c.Shutdown = func() { close(asked) } })
	if resp := r.do(t, "POST", "/api/shutdown", ""); resp.StatusCode != http.StatusAccepted {
		t.Fatalf("status %d", resp.StatusCode)
	}
	<-asked
}
