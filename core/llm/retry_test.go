package llm_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"jarvis/core"
	"jarvis/core/llm"
)

func TestRetry(t *testing.T) {
	shown := []llm.Delta{{Kind: llm.DeltaText, Text: "a"}}
	usage := []llm.Delta{{Kind: llm.DeltaUsage, Usage: &core.Usage{In: 5}}}
	for _, tc := range []struct {
		name  string
		errs  []error
		after []llm.Delta
		waits []time.Duration
		calls int
		err   string
	}{
		{"works", []error{nil}, nil, nil, 1, ""},
		{"three refusals", []error{rate(0), rate(0), rate(0), nil}, nil, []time.Duration{250e6, 500e6, 1e9}, 4, ""},
		{"four refusals", []error{rate(0)}, nil, []time.Duration{250e6, 500e6, 1e9}, 4, "(tried 4 times)"},
		{"asked to wait", []error{rate(7 * time.Second), nil}, nil, []time.Duration{7e9}, 2, ""},
		{"asked to wait too long", []error{rate(90 * time.Second)}, nil, nil, 1, "try again in 1m30s"},
		{"waits in all too long", []error{rate(35 * time.Second)}, nil, []time.Duration{35e9}, 2, "(tried 2 times)"},
		{"not retryable", []error{&llm.Error{Kind: llm.KindAuth, Message: "no"}}, nil, nil, 1, "no"},
		{"shown", []error{rate(0)}, shown, nil, 1, "429 slow down"},
		{"usage is not shown", []error{rate(0), nil}, usage, []time.Duration{250e6}, 2, ""},
		{"cancelled", []error{context.Canceled}, nil, nil, 1, "canceled"},
	} {
		now := time.Unix(0, 0)
		var waits []time.Duration
		n := 0
		inner := &fakeModel{ref: "p/m", after: tc.after, err: func() error {
			n++
			return tc.errs[min(n, len(tc.errs))-1]
		}}
		m := llm.WithRetry(inner, llm.Policy{
			Now: func() time.Time { return now }, Jitter: func() float64 { return 0 },
			Sleep: func(_ context.Context, d time.Duration) error {
				waits, now = append(waits, d), now.Add(d)
				return nil
			},
		})
		retries := 0
		var err error
		for d, e := range m.Stream(t.Context(), llm.Request{}) {
			if e != nil {
				err = e
			}
			if d.Kind == llm.DeltaRetry {
				retries++
				if d.Retry.Provider != "p" || d.Retry.Cause != "429 slow down" {
					t.Errorf("%s: %+v", tc.name, d.Retry)
				}
			}
		}
		if !slices.Equal(waits, tc.waits) || inner.calls != tc.calls || retries != len(tc.waits) {
			t.Errorf("%s: waits %v, calls %d, retries %d", tc.name, waits, inner.calls, retries)
		}
		if (err == nil) != (tc.err == "") || err != nil && !strings.Contains(err.Error(), tc.err) {
			t.Errorf("%s: error %v", tc.name, err)
		}
	}
}

func rate(after time.Duration) error {
	return &llm.Error{Kind: llm.KindRateLimited, Provider: "p", Model: "m", Status: 429, Message: "slow down", RetryAfter: after}
}

func TestFailover(t *testing.T) {
	fail := func(k llm.Kind) error { return &llm.Error{Kind: k, Provider: "a", Message: "no"} }
	auto := func(a, b error, after []llm.Delta) llm.Model {
		m, err := llm.NewRouter(llm.RouterOptions{Retry: llm.Policy{Attempts: 1}, Providers: []llm.Provider{
			&fakeProvider{name: "a", kind: llm.TypeAnthropic, def: "m", fail: a, after: after},
			&fakeProvider{name: "b", kind: llm.TypeOpenAI, def: "m", fail: b},
		}}).Resolve(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	for _, tc := range []struct {
		kind   llm.Kind
		after  []llm.Delta
		text   string
		failed bool
	}{
		{llm.KindAuth, nil, "hi from b/m", false},
		{llm.KindNotFound, nil, "hi from b/m", false},
		{llm.KindServer, nil, "hi from b/m", false},
		{llm.KindBadRequest, nil, "", true},
		{llm.KindTooLong, nil, "", true},
		{llm.KindCut, []llm.Delta{{Kind: llm.DeltaText, Text: "half"}}, "half", true},
	} {
		m := auto(fail(tc.kind), nil, tc.after)
		text, notices, err := read(m.Stream(t.Context(), llm.Request{}))
		if text != tc.text || (err != nil) != tc.failed {
			t.Errorf("%s: %q %v", tc.kind, text, err)
		}
		if !tc.failed {
			if text, again, err := read(m.Stream(t.Context(), llm.Request{})); err != nil || text != tc.text || again != nil || m.Ref() != "b/m" {
				t.Errorf("%s: the second request: %q %q %v", tc.kind, text, again, err)
			}
		}
		if !tc.failed && !slices.Equal(notices, []string{"Answered by b/m because a: no"}) {
			t.Errorf("%s: notices %q", tc.kind, notices)
		}
	}
	_, notices, err := read(auto(fail(llm.KindAuth), fail(llm.KindServer), nil).Stream(t.Context(), llm.Request{}))
	var e *llm.Error
	if !errors.As(err, &e) || e.Kind != llm.KindAuth || notices != nil {
		t.Errorf("none answers: %v %q", err, notices)
	}
}

// TestFailoverAsksFirst: a model that must not be asked is passed over, and people are told.
func TestFailoverAsksFirst(t *testing.T) {
	dear := core.E(core.BudgetExceeded, "no room", "", nil)
	for _, tc := range []struct {
		refused []string
		text    string
		notices []string
		failed  bool
	}{
		{nil, "hi from b/m", []string{"Answered by b/m because a: no"}, false},
		{[]string{"a/m"}, "hi from b/m", []string{"Answered by b/m because a: no"}, false}, // the chosen one is the caller's own matter
		{[]string{"b/m"}, "hi from c/m", []string{"b/m was not asked: no room", "Answered by c/m because a: no"}, false},
		{[]string{"b/m", "c/m"}, "", []string{"b/m was not asked: no room", "c/m was not asked: no room"}, true},
	} {
		fail := &llm.Error{Kind: llm.KindServer, Provider: "a", Message: "no"}
		m, err := llm.NewRouter(llm.RouterOptions{Retry: llm.Policy{Attempts: 1}, Providers: []llm.Provider{
			&fakeProvider{name: "a", kind: llm.TypeAnthropic, def: "m", fail: fail},
			&fakeProvider{name: "b", kind: llm.TypeOpenAI, def: "m"},
			&fakeProvider{name: "c", kind: llm.TypeCompatible, def: "m"},
		}}).Resolve(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		text, notices, err := read(m.(llm.Substituted).StreamIf(t.Context(), llm.Request{}, func(m llm.Model) error {
			if slices.Contains(tc.refused, m.Ref()) {
				return dear
			}
			return nil
		}))
		if text != tc.text || !slices.Equal(notices, tc.notices) || tc.failed != errors.Is(err, fail) {
			t.Errorf("without %v: %q %q %v", tc.refused, text, notices, err)
		}
	}
}

func TestAnnounceForgetsRefusedUsage(t *testing.T) {
	n := 0
	inner := &fakeModel{ref: "p/m", price: &llm.Price{In: 3_000_000, Out: 15_000_000}, err: func() error {
		if n++; n == 1 {
			return rate(0)
		}
		return nil
	}, after: []llm.Delta{{Kind: llm.DeltaUsage, Usage: &core.Usage{In: 99}}}}
	var got []string
	for d, err := range llm.Announce(llm.WithRetry(inner, noWait)).Stream(t.Context(), llm.Request{}) {
		if err != nil {
			t.Fatal(err)
		}
		s := string(d.Kind)
		if d.Usage != nil {
			s += fmt.Sprint(d.Usage.In, "=", d.Usage.Cost)
		}
		got = append(got, s)
	}
	want := []string{"retry", "model", "usage1=3", "text", "usage1000=3150", "finish"}
	if !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
}

func TestTimeoutsFor(t *testing.T) {
	var none llm.Timeouts
	quick, slow := none.For(llm.Request{Thinking: "off"}), none.For(llm.Request{Thinking: "low"})
	if quick.FirstToken != 120*time.Second || slow.FirstToken != 600*time.Second || quick.Connect != 10*time.Second || quick.BetweenTokens != 60*time.Second {
		t.Errorf("%+v %+v", quick, slow)
	}
}

// TestLocalIsNotRetried holds that a model on this machine that crashes is not started again and again for one request.
func TestLocalIsNotRetried(t *testing.T) {
	for kind, want := range map[string]int{llm.TypeLocal: 0, llm.TypeCompatible: 3} {
		p := &fakeProvider{name: "p", kind: kind, models: infos("p/m"), fail: &llm.Error{Kind: llm.KindServer, Provider: "p", Message: "crashed"}}
		m, err := router(llm.RouterOptions{Providers: []llm.Provider{p}}).Resolve(t.Context(), "p/m")
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for d := range m.Stream(t.Context(), llm.Request{}) {
			if d.Kind == llm.DeltaRetry {
				n++
			}
		}
		if n != want {
			t.Errorf("%s: %d retries", kind, n)
		}
	}
}
