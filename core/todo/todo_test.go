package todo

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"jarvis/core"
	"jarvis/core/tool"
)

// memory is a Store for tests.
type memory struct {
	next  uint64
	lists map[string][]core.Todo
}

func newMemory() *memory { return &memory{lists: map[string][]core.Todo{}} }

func (m *memory) Todos(_ context.Context, list string) ([]core.Todo, error) {
	return m.lists[list], nil
}

func (m *memory) AddTodo(_ context.Context, list, content string, at time.Time, max int) (core.Todo, error) {
	if len(m.lists[list]) >= max {
		return core.Todo{}, core.E(core.RateLimited, "full", "", nil)
	}
	m.next++
	t := core.Todo{N: m.next, Content: content, Status: core.TodoPending, Created: at}
	m.lists[list] = append(m.lists[list], t)
	return t, nil
}

func (m *memory) SetTodos(_ context.Context, list string, todos []core.Todo, at time.Time) ([]core.Todo, error) {
	old := map[string]core.Todo{}
	for _, t := range m.lists[list] {
		old[t.Content] = t
	}
	var out []core.Todo
	for _, t := range todos {
		if o, ok := old[t.Content]; ok {
			t.N, t.Created = o.N, o.Created
		} else {
			m.next++
			t.N, t.Created = m.next, at
		}
		out = append(out, t)
	}
	m.lists[list] = out
	return out, nil
}

func (m *memory) SetTodo(_ context.Context, list string, n uint64, status string) (core.Todo, error) {
	for i, t := range m.lists[list] {
		if t.N == n {
			m.lists[list][i].Status = status
			return m.lists[list][i], nil
		}
	}
	return core.Todo{}, core.E(core.NotFound, "none", "", nil)
}

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

func newService() *Service { return New(newMemory(), func() time.Time { return noon }) }

func TestAddListDone(t *testing.T) {
	ctx, s := t.Context(), newService()
	for _, text := range []string{"buy milk", "  call\nAnna\t back \x00"} {
		if _, err := s.Add(ctx, 1, text); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Add(ctx, 2, "somebody else's"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Done(ctx, 1, 2); err != nil {
		t.Fatal(err)
	}
	got, err := s.List(ctx, 1)
	if err != nil {
		t.Fatal(err)
	}
	if want := "#1 [ ] buy milk\n#2 [x] call Anna back"; Text(got) != want {
		t.Errorf("list = %q, want %q", Text(got), want)
	}
	if !got[0].Created.Equal(noon) {
		t.Errorf("created = %v, want the clock's %v", got[0].Created, noon)
	}
	if _, err := s.Done(ctx, 2, 1); core.CodeOf(err) != core.NotFound {
		t.Errorf("another user's entry: %v, want not_found", err)
	}
}

func TestAddRefuses(t *testing.T) {
	for _, c := range []struct {
		name, text string
		code       core.Code
	}{
		{"empty", "", core.BadRequest},
		{"blank", " \n\t", core.BadRequest},
		{"control characters only", "\x00\x1b", core.BadRequest},
		{"not UTF-8", "a\xff", core.BadRequest},
		{"too long", strings.Repeat("ä", MaxContent+1), core.TooLarge},
		{"huge", strings.Repeat("x", 1<<20), core.TooLarge},
		{"longest", strings.Repeat("ä", MaxContent), ""},
	} {
		_, err := newService().Add(t.Context(), 1, c.text)
		if core.CodeOf(err) != c.code {
			t.Errorf("%s: code %q, want %q", c.name, core.CodeOf(err), c.code)
		}
	}
}

func TestListIsBounded(t *testing.T) {
	ctx, s := t.Context(), newService()
	for i := range MaxEntries {
		if _, err := s.Add(ctx, 1, fmt.Sprint("entry ", i)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Add(ctx, 1, "one more"); core.CodeOf(err) != core.RateLimited {
		t.Errorf("entry %d: %v, want rate_limited", MaxEntries+1, err)
	}
}

func TestSetStatusRefusesUnknown(t *testing.T) {
	if _, err := newService().SetStatus(t.Context(), 1, 1, "finished"); core.CodeOf(err) != core.BadRequest {
		t.Errorf("got %v, want bad_request", err)
	}
}

func run(t *testing.T, s *Service, name, args string) (tool.Result, error) {
	t.Helper()
	for _, tl := range s.Tools() {
		if tl.Spec().Name != name {
			continue
		}
		c := tool.Call{Args: json.RawMessage(args), Env: tool.Env{User: 1}}
		p, err := tl.Plan(t.Context(), c)
		if err != nil {
			return tool.Result{}, err
		}
		if len(p.Effects) != 0 {
			t.Errorf("%s asks for %v; the user's own list needs no permission", name, p.Effects)
		}
		return tl.Run(t.Context(), c, p)
	}
	t.Fatalf("no tool %q", name)
	return tool.Result{}, nil
}

func TestTools(t *testing.T) {
	s := newService()
	for _, c := range []struct{ name, args, want string }{
		{"todo_read", ``, "The todo list is empty."},
		{"add_todo", `{"text":"buy milk"}`, "Added #1 [ ] buy milk"},
		{"add_todo", `{"text":"call Anna"}`, "Added #2 [ ] call Anna"},
		{"todo_write", `{"todos":[{"content":"call Anna","status":"in_progress"},{"content":"sleep","status":"completed"}]}`, "#2 [~] call Anna\n#3 [x] sleep"},
		{"todo_read", `{}`, "#2 [~] call Anna\n#3 [x] sleep"},
		{"todo_write", `{"todos":[]}`, "The todo list is empty."},
	} {
		r, err := run(t, s, c.name, c.args)
		if err != nil || r.IsError || r.Text != c.want {
			t.Errorf("%s %s = %q, %v, want %q", c.name, c.args, r.Text, err, c.want)
		}
	}
}

func TestToolsRefuseBadArguments(t *testing.T) {
	s := newService()
	if _, err := s.Add(t.Context(), 1, "stays"); err != nil {
		t.Fatal(err)
	}
	long := `{"todos":[` + strings.TrimSuffix(strings.Repeat(`{"content":"x","status":"pending"},`, MaxEntries+1), ",") + `]}`
	for _, c := range []struct{ name, args string }{
		{"todo_read", `{"list":"other"}`},
		{"add_todo", `{}`},
		{"add_todo", `{"text":7}`},
		{"add_todo", `{"text":"x","due":"today"}`},
		{"todo_write", `{}`},
		{"todo_write", `{"todos":null}`},
		{"todo_write", `{"todos":[{"content":"x"}]}`},
		{"todo_write", `{"todos":[{"content":"","status":"pending"}]}`},
		{"todo_write", `{"todos":[{"content":"x","status":"done"}]}`},
		{"todo_write", `[`},
		{"todo_write", long},
	} {
		if r, err := run(t, s, c.name, c.args); err == nil {
			t.Errorf("%s %.60s = %q, want an error", c.name, c.args, r.Text)
		}
	}
	if got, _ := s.List(t.Context(), 1); Text(got) != "#1 [ ] stays" {
		t.Errorf("list after refused calls = %q", Text(got))
	}
}

func TestSchemasAreJSON(t *testing.T) {
	for _, tl := range newService().Tools() {
		var v map[string]any
		if err := json.Unmarshal(tl.Spec().Schema, &v); err != nil {
			t.Errorf("%s: %v", tl.Spec().Name, err)
		}
		if v["additionalProperties"] != false {
			t.Errorf("%s: unknown parameters must be refused", tl.Spec().Name)
		}
	}
}
