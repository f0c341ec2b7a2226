package daemon

import (
	"os"
	"strings"
	"testing"

	"jarvis/core"
	"jarvis/daemon/api"
)

func TestModelsOverTheAPI(t *testing.T) {
	f := newFakeModel(t)
	d := start(t, Options{Home: newHome(t, f, "  broken: {type: openai-compatible, base_url: \"http://127.0.0.1:1/v1\", api_key: \"${NOT_SET}x\"}\n")})
	c := d.client(t)
	list, err := c.Models(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]api.Model{}
	for _, m := range list {
		rows[m.Ref] = m
	}
	if m := rows["fake/m"]; !m.Default || m.Window != 100000 || m.Priced || !m.Installed {
		t.Errorf("fake/m: %+v", m)
	}
	if _, ok := rows["builtin/offline"]; !ok {
		t.Errorf("builtin/offline is missing: %v", rows)
	}
	if m := rows["broken/?"]; m.Note == "" || strings.Contains(m.Note, "NOT_SETx") {
		t.Errorf("broken: %+v", m)
	}
	tested, err := c.TestModel(t.Context(), "fake/m")
	if err != nil || !tested.OK || tested.Answer == "" || tested.FirstMS < 1 {
		t.Errorf("test: %+v %v", tested, err)
	}
	tested, err = c.TestModel(t.Context(), "fake/none/such")
	if err != nil || tested.Model == "" {
		t.Errorf("test of an unknown model: %+v %v", tested, err)
	}
	tested, err = c.TestModel(t.Context(), "nonsense")
	if err != nil || tested.OK || tested.Error == nil || tested.Error.Code != core.BadRequest {
		t.Errorf("test of nonsense: %+v %v", tested, err)
	}
	for _, err := range c.PullModel(t.Context(), "fake/m") {
		if core.CodeOf(err) != core.Unsupported {
			t.Errorf("pull: %v", err)
		}
	}
	for name, want := range map[string]core.Code{"fake/m": core.Unsupported, "nothing/m": core.NotFound, "local/nothing": core.NotFound} {
		if err := c.RemoveModel(t.Context(), name); core.CodeOf(err) != want {
			t.Errorf("rm %s: %v", name, err)
		}
	}
}

func TestWithoutAnyProviderTheBuiltInRulesAnswer(t *testing.T) {
	h := newHome(t, nil, "")
	if err := os.WriteFile(h.Config, []byte("listen: \"\"\nproviders: {ollama: {base_url: \"http://127.0.0.1:1\"}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	d := start(t, Options{Home: h})
	c := d.client(t)
	events, err := ask(t.Context(), c, api.Chat{Content: "What is 17% of 2,400?", Lang: "en"})
	if err != nil || !strings.Contains(shown(events), "408") {
		t.Errorf("%q %v", shown(events), err)
	}
	if _, err := ask(t.Context(), c, api.Chat{Content: "add milk to my todo list", Lang: "en"}); err != nil {
		t.Fatal(err)
	}
	todos, err := c.Todos(t.Context())
	if err != nil || len(todos) != 1 || todos[0].Content != "milk" {
		t.Fatalf("todos %+v %v", todos, err)
	}
	if done, err := c.SetTodo(t.Context(), todos[0].N, core.TodoCompleted); err != nil || done.Status != core.TodoCompleted {
		t.Errorf("%+v %v", done, err)
	}
	if s, err := c.Status(t.Context()); err != nil || s.Model != "builtin/offline" {
		t.Errorf("%+v %v", s, err)
	}
}

func TestAnAnswerBySchema(t *testing.T) {
	d := start(t, Options{Home: newHome(t, newFakeModel(t), "")})
	events, err := ask(t.Context(), d.client(t), api.Chat{Content: `say {"n": 4,}`, Schema: []byte(`{"type":"object","properties":{"n":{"type":"integer"}}}`)})
	if err != nil || strings.ReplaceAll(shown(events), " ", "") != `{"n":4}` {
		t.Errorf("%q %v", shown(events), err)
	}
	_, err = ask(t.Context(), d.client(t), api.Chat{Content: "say x", Schema: []byte(`{"type":"persn"}`)})
	if core.CodeOf(err) != core.BadRequest {
		t.Errorf("a schema that is none: %v", err)
	}
}

func TestResolvingANameAsksNoModel(t *testing.T) {
	d := start(t, Options{Home: newHome(t, newFakeModel(t), "")})
	c := d.client(t)
	if ref, err := c.ResolveModel(t.Context(), "fake/m"); err != nil || ref != "fake/m" {
		t.Errorf("%q %v", ref, err)
	}
	if _, err := c.ResolveModel(t.Context(), "nope"); core.CodeOf(err) != core.BadRequest {
		t.Errorf("an unknown name: %v", err)
	}
	// Right after the start the status knows what auto means.
	if st, err := c.Status(t.Context()); err != nil || st.Model == "" {
		t.Errorf("%+v %v", st, err)
	}
}
