package llm

import (
	"net/netip"
	"net/url"
	"strings"
	"time"
)

// Timeouts bound how long a provider may be silent. A zero field takes its default.
type Timeouts struct {
	Connect       time.Duration // to a TCP and TLS connection; 10 s
	FirstToken    time.Duration // from the request to the first delta; 120 s, and 10 min for a server of one's own
	BetweenTokens time.Duration // inside an answer, without anything that carries a part of it; 60 s
}

// The defaults of Timeouts. Thinking multiplies the wait for the first token, because some services think in silence.
const (
	defaultConnect    = 10 * time.Second
	defaultFirstToken = 120 * time.Second
	defaultBetween    = 60 * time.Second
	thinkingFactor    = 5
)

// SlowFirstToken is the wait for the first token of a server of one's own: it may read the model from the disk and then a long
// prompt without a GPU.
const SlowFirstToken = 10 * time.Minute

// At fills a zero FirstToken by where the server is: one on this machine or in the own network is waited for longer.
func (t Timeouts) At(baseURL string) Timeouts {
	if near(baseURL) {
		return t.Or(Timeouts{FirstToken: SlowFirstToken})
	}
	return t.Or(Timeouts{})
}

// shared are the addresses that carriers and private overlays use behind NAT.
var shared = netip.MustParsePrefix("100.64.0.0/10")

// near reports whether a URL's host is this machine or in the own network, without asking anybody.
func near(baseURL string) bool {
	u, err := url.Parse(baseURL)
	if err != nil {
		return false
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if ip, err := netip.ParseAddr(host); err == nil {
		ip = ip.Unmap()
		return ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast() || ip.IsUnspecified() || shared.Contains(ip)
	}
	if host != "" && !strings.Contains(host, ".") {
		return true
	}
	for _, zone := range []string{".localhost", ".local", ".lan", ".internal", ".home.arpa"} {
		if strings.HasSuffix(host, zone) {
			return true
		}
	}
	return false
}

// Or fills the zero fields from d and then from the defaults.
func (t Timeouts) Or(d Timeouts) Timeouts {
	t.Connect = firstPositive(t.Connect, d.Connect, defaultConnect)
	t.FirstToken = firstPositive(t.FirstToken, d.FirstToken, defaultFirstToken)
	t.BetweenTokens = firstPositive(t.BetweenTokens, d.BetweenTokens, defaultBetween)
	return t
}

// For gives the timeouts of one request: a model that thinks may stay silent for longer.
func (t Timeouts) For(r Request) Timeouts {
	t = t.Or(Timeouts{})
	if r.Thinks() {
		t.FirstToken = max(t.FirstToken, min(t.FirstToken*thinkingFactor, SlowFirstToken))
		t.BetweenTokens *= thinkingFactor
	}
	return t
}

// Thinks reports whether the request asks for reasoning.
func (r Request) Thinks() bool { return r.Thinking != "" && r.Thinking != "off" }

// budgets are the tokens that thinking may take at each level.
var budgets = map[string]int{"low": 2048, "medium": 8192, "high": 24576}

// ThinkingBudget is how many tokens the thoughts of this request may take. They come on top of MaxTokens, which is the
// answer's alone.
func (r Request) ThinkingBudget() int {
	if !r.Thinks() {
		return 0
	}
	if n, ok := budgets[r.Thinking]; ok {
		return n
	}
	return budgets["medium"]
}

func firstPositive[T int | time.Duration](vs ...T) T {
	for _, v := range vs {
		if v > 0 {
			return v
		}
	}
	return 0
}

// Limits bound what a provider may send. A zero field takes its default.
type Limits struct {
	Line      int // bytes of one SSE or NDJSON line; 16 MiB
	Arguments int // bytes of one tool call's arguments; 1 MiB
	Answer    int // bytes of a whole answer on the wire; 256 MiB
	Blob      int // bytes of one attachment sent to a model; 32 MiB
}

// Or fills the zero fields with the defaults.
func (l Limits) Or() Limits {
	l.Line = firstPositive(l.Line, 16<<20)
	l.Arguments = firstPositive(l.Arguments, 1<<20)
	l.Answer = firstPositive(l.Answer, 256<<20)
	l.Blob = firstPositive(l.Blob, 32<<20)
	return l
}
