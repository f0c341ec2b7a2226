package storetest

import (
	"slices"
	"sync"
	"testing"

	"jarvis/core"
)

const mine = "user:1"

// RunTodo tests what core/todo needs of a store.
func RunTodo(t *testing.T, open func(t *testing.T) Todos) {
	for name, f := range map[string]func(*testing.T, Todos){
		"add":     addTodo,
		"replace": setTodos,
		"status":  setTodo,
		"numbers": todoNumbers,
		"race":    todoRace,
	} {
		t.Run(name, func(t *testing.T) { f(t, open(t)) })
	}
}

func add(t *testing.T, s Todos, content string) core.Todo {
	t.Helper()
	td, err := s.AddTodo(t.Context(), mine, content, clock(1), 100)
	if err != nil {
		t.Fatalf("add %s: %v", content, err)
	}
	return td
}

func contents(t *testing.T, s Todos, name string) []string {
	t.Helper()
	ts, err := s.Todos(t.Context(), name)
	if err != nil {
		t.Fatalf("todos: %v", err)
	}
	out := []string{}
	for _, td := range ts {
		out = append(out, td.Content)
	}
	return out
}

func addTodo(t *testing.T, s Todos) {
	if got := contents(t, s, mine); len(got) != 0 {
		t.Errorf("a new list has %q", got)
	}
	td := add(t, s, "milk")
	if td.N != 1 || td.Status != core.TodoPending || td.Content != "milk" || !td.Created.Equal(clock(1)) {
		t.Errorf("added %+v", td)
	}
	add(t, s, "bread")
	if got := contents(t, s, mine); !slices.Equal(got, []string{"milk", "bread"}) {
		t.Errorf("list is %q", got)
	}
	if got := contents(t, s, "user:11"); len(got) != 0 {
		t.Errorf("another's list has %q", got)
	}
	_, err := s.AddTodo(t.Context(), mine, "third", clock(1), 2)
	wantCode(t, "beyond the bound", err, core.RateLimited)
	if got := contents(t, s, mine); len(got) != 2 {
		t.Errorf("list is %q", got)
	}
}

func setTodos(t *testing.T, s Todos) {
	add(t, s, "milk")
	add(t, s, "bread")
	add(t, s, "salt")
	got, err := s.SetTodos(t.Context(), mine, []core.Todo{
		{Content: "tea", Status: core.TodoPending},
		{Content: "bread", Status: core.TodoCompleted},
		{Content: "milk", Status: core.TodoInProgress},
	}, clock(5))
	if err != nil {
		t.Fatal(err)
	}
	stored, err := s.Todos(t.Context(), mine)
	if err != nil {
		t.Fatal(err)
	}
	want := []core.Todo{
		{N: 4, Content: "tea", Status: core.TodoPending, Created: clock(5)},
		{N: 2, Content: "bread", Status: core.TodoCompleted, Created: clock(1)},
		{N: 1, Content: "milk", Status: core.TodoInProgress, Created: clock(1)},
	}
	same := func(a, b core.Todo) bool {
		return a.N == b.N && a.Content == b.Content && a.Status == b.Status && a.Created.Equal(b.Created)
	}
	if !slices.EqualFunc(got, want, same) || !slices.EqualFunc(stored, want, same) {
		t.Errorf("set %+v, stored %+v, want %+v", got, stored, want)
	}
	add(t, s, "last")
	if got := contents(t, s, mine); !slices.Equal(got, []string{"tea", "bread", "milk", "last"}) {
		t.Errorf("list is %q", got)
	}
	if _, err := s.SetTodos(t.Context(), mine, nil, clock(6)); err != nil {
		t.Fatal(err)
	}
	if got := contents(t, s, mine); len(got) != 0 {
		t.Errorf("the emptied list has %q", got)
	}
}

func setTodo(t *testing.T, s Todos) {
	add(t, s, "milk")
	add(t, s, "bread")
	td, err := s.SetTodo(t.Context(), mine, 1, core.TodoCompleted)
	if err != nil || td.Content != "milk" || td.Status != core.TodoCompleted {
		t.Errorf("set %+v, %v", td, err)
	}
	ts, err := s.Todos(t.Context(), mine)
	if err != nil || ts[0].Status != core.TodoCompleted || ts[1].Status != core.TodoPending {
		t.Errorf("list is %+v, %v", ts, err)
	}
	_, err = s.SetTodo(t.Context(), mine, 9, core.TodoCompleted)
	wantCode(t, "no such entry", err, core.NotFound)
	_, err = s.SetTodo(t.Context(), "user:2", 1, core.TodoCompleted)
	wantCode(t, "entry of another list", err, core.NotFound)
}

// todoNumbers: a number is never used again, whatever became of its entry.
func todoNumbers(t *testing.T, s Todos) {
	add(t, s, "a")
	add(t, s, "b")
	if _, err := s.SetTodos(t.Context(), mine, nil, clock(2)); err != nil {
		t.Fatal(err)
	}
	if td := add(t, s, "c"); td.N != 3 {
		t.Errorf("new entry has number %d", td.N)
	}
	got, err := s.SetTodos(t.Context(), mine, []core.Todo{{Content: "d"}, {Content: "d"}, {Content: "c"}}, clock(3))
	if err != nil || len(got) != 3 || got[0].N != 4 || got[1].N != 5 || got[2].N != 3 {
		t.Errorf("set %+v, %v", got, err)
	}
}

func todoRace(t *testing.T, s Todos) {
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 5 {
				if _, err := s.AddTodo(t.Context(), mine, "x", clock(1), 30); err != nil && core.CodeOf(err) != core.RateLimited {
					t.Errorf("add: %v", err)
				}
			}
		})
	}
	wg.Wait()
	ts, err := s.Todos(t.Context(), mine)
	if err != nil || len(ts) != 30 {
		t.Fatalf("list has %d entries, %v", len(ts), err)
	}
	seen := map[uint64]bool{}
	for _, td := range ts {
		if seen[td.N] {
			t.Errorf("number %d was given twice", td.N)
		}
		seen[td.N] = true
	}
}
