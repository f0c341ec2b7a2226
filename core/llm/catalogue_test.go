package llm_test

import (
	"encoding/json"
	"strings"
	"testing"

	"jarvis/core"
	"jarvis/core/llm"
)

func TestCatalogue(t *testing.T) {
	c := llm.NewCatalogue()
	for _, tc := range []struct {
		service, id string
		price       llm.Price
	}{
		{llm.TypeAnthropic, "claude-sonnet-4-6", llm.Price{In: 3_000_000, Out: 15_000_000, CacheRead: 300_000, CacheWrite: 3_750_000}},
		{llm.TypeAnthropic, "claude-haiku-4-5", llm.Price{In: 1_000_000, Out: 5_000_000, CacheRead: 100_000, CacheWrite: 1_250_000}},
		{llm.TypeOpenAI, "gpt-5.5", llm.Price{In: 5_000_000, Out: 30_000_000, CacheRead: 500_000, CacheWrite: 5_000_000}},
		{llm.TypeOpenAI, "gpt-5.6-luna", llm.Price{In: 1_000_000, Out: 6_000_000, CacheRead: 100_000, CacheWrite: 1_250_000}},
	} {
		m, ok := c.Find(tc.service, tc.id)
		if !ok || m.Price == nil || *m.Price != tc.price || m.Window < 8192 || m.Ref != tc.id {
			t.Errorf("%s: %+v %+v", tc.id, m, m.Price)
		}
	}
	for _, s := range []string{llm.TypeAnthropic, llm.TypeOpenAI, llm.TypeGoogle, llm.TypeOpenRouter} {
		id := c.Default(s)
		if _, ok := c.Find(s, id); !ok {
			t.Errorf("the default %q of %s is not in its list", id, s)
		}
		if len(c.Known(s)) < 5 {
			t.Errorf("%s has %d models", s, len(c.Known(s)))
		}
	}
	for _, ref := range llm.Aliases(nil) {
		if _, ok := c.Find(llm.TypeAnthropic, strings.TrimPrefix(ref, "anthropic/")); !ok {
			t.Errorf("the alias of %s leads nowhere", ref)
		}
	}
	if _, ok := c.Find("nobody", "x"); ok {
		t.Error("an unknown service has models")
	}
}

func TestBook(t *testing.T) {
	b := llm.NewBook("work", llm.TypeOpenAI, llm.NewCatalogue(), []llm.Info{
		{Ref: "work/gpt-5.5", Window: 1000}, {Ref: "own", Window: 2000, Price: &llm.Price{In: 1}},
	})
	m, known := b.Info("gpt-5.5")
	if !known || m.Window != 1000 || m.Price == nil || m.Ref != "work/gpt-5.5" {
		t.Errorf("configured over catalogue: %+v", m)
	}
	if m, known = b.Info("nothing"); known || m.Ref != "work/nothing" || m.Price != nil || !m.Tools {
		t.Errorf("unknown: %+v", m)
	}
	b.Tell(llm.Info{Ref: "told", Window: 5}, false)
	if m, known = b.Info("told"); !known || m.Window != 5 || m.Tools {
		t.Errorf("told: %+v", m)
	}
	if m, _ = b.Info("own"); m.Price.CacheRead != 1 {
		t.Errorf("reading from the cache costs nothing: %+v", m.Price)
	}
	if b.Default() != "gpt-5.5" {
		t.Errorf("default %q", b.Default())
	}
	list := b.List([]string{"own", "x"})
	if len(list) != 3 || list[0].Ref != "work/own" || list[2].Ref != "work/gpt-5.5" {
		t.Errorf("list %+v", list)
	}
}

func TestNearest(t *testing.T) {
	names := []string{"sonnet", "opus", "anthropic/claude-sonnet-4-6", "openai/gpt-5.5", "ollama/llama3.1:8b", "openai/gpt-5.5-pro"}
	for in, want := range map[string]string{
		"sonet":         "sonnet",
		"gpt5.5":        "openai/gpt-5.5",
		"openai/gpt-55": "openai/gpt-5.5",
		"LLAMA3.1:8B":   "ollama/llama3.1:8b",
		"gpt":           "openai/gpt-5.5,openai/gpt-5.5-pro",
		"xyz":           "",
		"":              "",
	} {
		if got := strings.Join(llm.Nearest(in, names, 2), ","); got != want && !strings.HasPrefix(got, want+",") {
			t.Errorf("%q: got %q", in, got)
		}
	}
}

func TestFitSchema(t *testing.T) {
	for in, want := range map[string]llm.SchemaFit{
		`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`:               {Object: true, Closed: true, Strict: true},
		`{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}`:                                {Object: true, Closed: true},
		`{"type":"object","properties":{"a":{"type":"string","minLength":1}},"required":["a"],"additionalProperties":false}`: {Object: true},
		`{"type":"object"}`:                          {Object: true},
		`{"type":"array","items":{"type":"string"}}`: {Closed: true},
		`{"type":"object","properties":{"a":{"type":"array","items":{"type":"object"}}},"required":["a"],"additionalProperties":false}`: {Object: true},
		`[1]`: {},
		`x`:   {},
	} {
		if got := llm.FitSchema(json.RawMessage(in)); got != want {
			t.Errorf("%s: %+v", in, got)
		}
	}
}

func FuzzFitSchema(f *testing.F) {
	f.Add([]byte(`{"type":"object","properties":{"a":{"anyOf":[{},{"items":{}}]}},"$defs":{"x":{}}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if fit := llm.FitSchema(raw); fit.Strict && !fit.Object {
			t.Errorf("%s: %+v", raw, fit)
		}
	})
}

// TestCallNamesAreBounded: a name that comes in pieces without end, and an id.
func TestCallNamesAreBounded(t *testing.T) {
	c, s := llm.NewCalls(40), llm.Source{Provider: "p", Model: "m"}
	n := 0
	for ; n < 10_000; n++ {
		if c.Add(s, 0, "", "ab", "") != nil || c.Add(s, 0, "", "c", "") != nil {
			break
		}
	}
	if n < 100 || n > 4096 || c.Size() > 4097 {
		t.Errorf("%d pieces, %d bytes", n, c.Size())
	}
	if err := llm.NewCalls(40).Add(s, 0, strings.Repeat("i", 10_000), "t", ""); err == nil {
		t.Error("an id of 10,000 bytes was taken")
	}
}

func TestCalls(t *testing.T) {
	s := llm.Source{Provider: "p", Model: "m"}
	c := llm.NewCalls(40)
	for _, err := range []error{
		c.Add(s, 0, "id1", "first", `{"a":`), c.Add(s, 1, "id2", "second", ""), c.Add(s, 0, "", "", "1}"),
		c.Add(s, 0, "id3", "third", "null"), // a server that numbers all its calls 0
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	parts, err := c.Done(s)
	if err != nil || len(parts) != 3 || string(parts[0].Args) != `{"a":1}` || string(parts[1].Args) != "{}" || parts[2].Name != "third" {
		t.Errorf("%v %+v", err, parts)
	}
	if err := c.Add(s, 1, "", "", strings.Repeat("x", 41)); kind(err) != llm.KindMalformed {
		t.Errorf("over the limit: %v", err)
	}
	for _, args := range []string{"[1]", `"x"`, "{", "{} {}"} {
		c := llm.NewCalls(40)
		_ = c.Add(s, 0, "i", "t", args)
		if _, err := c.Done(s); kind(err) != llm.KindMalformed {
			t.Errorf("%s: %v", args, err)
		}
	}
	ids := llm.NewWireIDs("p")
	if id, _ := ids.Use(llm.Part{Call: "ours", Opaque: parts[0].Opaque}); id != "id1" || ids.Result(llm.Part{Call: "ours"}) != "id1" {
		t.Errorf("id %q", id)
	}
	foreign := llm.Part{Call: core.CallID("chain.1/ä")}
	if id, _ := ids.Use(foreign); id != ids.Result(foreign) || len(id) > 40 || strings.ContainsAny(id, "./ä") {
		t.Errorf("made id %q", id)
	}
}
