package offline

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"jarvis/core"
	"jarvis/core/llm"
	"jarvis/core/todo"
	"jarvis/core/tool"
	"jarvis/core/tool/basic"
)

// world is the model with the real tools, a fixed clock and a todo list in memory.
type world struct {
	t     *testing.T
	model *Model
	tools *tool.Registry
	store *memory
	now   time.Time
	tz    string
	lang  string
	off   bool // --no-tools
}

// The clock of the utterance files: Wednesday, 2 December 2026, 14:05 in Berlin.
var testNow = time.Date(2026, 12, 2, 13, 5, 0, 0, time.UTC)

func newWorld(t *testing.T, lang string) *world {
	t.Helper()
	w := &world{t: t, model: shared(), tools: tool.NewRegistry(), store: &memory{}, now: testNow, tz: "Europe/Berlin", lang: lang}
	svc := todo.New(w.store, func() time.Time { return w.now })
	if err := w.tools.Add(append(basic.Tools(), svc.Tools()...)...); err != nil {
		t.Fatal(err)
	}
	return w
}

// shared is one model for all tests: compiling the grammar takes milliseconds.
var shared = sync.OnceValue(func() *Model { return New(Options{}) })

// said is how a request went.
type said struct {
	text  string
	calls []string // "calculate {…}"
}

func (w *world) request(text string) llm.Request {
	r := llm.Request{Lang: w.lang, TZ: w.tz, Messages: []llm.Message{{Role: core.RoleUser, Parts: []llm.Part{{Type: llm.PartText, Text: text}}}}}
	if !w.off {
		for _, s := range w.tools.Specs(nil) {
			r.Tools = append(r.Tools, llm.Tool{Name: s.Name, Description: s.Description, Schema: s.Schema})
		}
	}
	return r
}

// ask runs a request through the tool loop as core/chat does.
func (w *world) ask(text string) said {
	w.t.Helper()
	var out said
	r := w.request(text)
	for range 5 {
		var answer strings.Builder
		var uses []llm.Part
		finish := ""
		for d, err := range w.model.Stream(w.t.Context(), r) {
			if err != nil {
				w.t.Fatalf("%.60q: %v", text, err)
			}
			if finish != "" {
				w.t.Fatalf("%.60q: a delta after the finish", text)
			}
			switch d.Kind {
			case llm.DeltaText:
				answer.WriteString(d.Text)
			case llm.DeltaCall:
				uses = append(uses, *d.Part)
			case llm.DeltaFinish:
				finish = d.Finish
			}
		}
		if len(uses) == 0 {
			if finish != llm.FinishEnd {
				w.t.Fatalf("%.60q: finish %q", text, finish)
			}
			out.text = answer.String()
			return out
		}
		if finish != llm.FinishToolUse {
			w.t.Fatalf("%.60q: finish %q after a call", text, finish)
		}
		r.Messages = append(r.Messages, llm.Message{Role: core.RoleAssistant, Parts: uses})
		var results []llm.Part
		for _, u := range uses {
			out.calls = append(out.calls, u.Name+" "+string(u.Args))
			text, bad := w.run(u)
			results = append(results, llm.Part{Type: llm.PartToolResult, Call: u.Call, Name: u.Name, Text: text, IsError: bad})
		}
		r.Messages = append(r.Messages, llm.Message{Role: core.RoleUser, Parts: results})
	}
	w.t.Fatalf("%.60q: no end of tool calls: %v", text, out.calls)
	return out
}

func (w *world) run(u llm.Part) (string, bool) {
	tl, ok := w.tools.Get(u.Name)
	if !ok {
		w.t.Fatalf("there is no tool %q", u.Name)
	}
	c := tool.Call{ID: u.Call, Args: u.Args, Env: tool.Env{User: 1, Now: w.now, TZ: w.tz, Lang: w.lang}}
	p, err := tl.Plan(w.t.Context(), c)
	if err != nil {
		return err.Error(), true
	}
	res, err := tl.Run(w.t.Context(), c, p)
	if err != nil {
		return err.Error(), true
	}
	return res.Text, res.IsError
}

// memory is a todo.Store of one list.
type memory struct {
	next uint64
	list []core.Todo
}

func (m *memory) Todos(context.Context, string) ([]core.Todo, error) { return m.list, nil }

func (m *memory) AddTodo(_ context.Context, _, content string, at time.Time, _ int) (core.Todo, error) {
	m.next++
	t := core.Todo{N: m.next, Content: content, Status: core.TodoPending, Created: at}
	m.list = append(m.list, t)
	return t, nil
}

func (m *memory) SetTodos(_ context.Context, _ string, todos []core.Todo, at time.Time) ([]core.Todo, error) {
	var out []core.Todo
	for _, t := range todos {
		t.Created = at
		for _, o := range m.list {
			if o.Content == t.Content {
				t.N = o.N
			}
		}
		if t.N == 0 {
			m.next++
			t.N = m.next
		}
		out = append(out, t)
	}
	m.list = out
	return out, nil
}

func (m *memory) SetTodo(context.Context, string, uint64, string) (core.Todo, error) {
	return core.Todo{}, fmt.Errorf("not used here")
}

func (m *memory) completed() int {
	n := 0
	for _, t := range m.list {
		if t.Status == core.TodoCompleted {
			n++
		}
	}
	return n
}

func argument(call, name string) string {
	_, args, _ := strings.Cut(call, " ")
	var v map[string]any
	if json.Unmarshal([]byte(args), &v) != nil {
		return ""
	}
	s, _ := v[name].(string)
	return s
}
