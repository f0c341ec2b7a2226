package bolt

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"jarvis/core"
)

// todoRow is an entry with its place: a list that is written anew may order entries that keep their numbers differently.
type todoRow struct {
	core.Todo
	Place int `json:"place"`
}

// Todos gives the whole list in order.
func (d *DB) Todos(ctx context.Context, list string) ([]core.Todo, error) {
	var ts []core.Todo
	err := d.view(ctx, "todos", func(t *tx) error {
		rows, err := t.todos(list)
		ts = plain(rows)
		return err
	})
	return ts, err
}

// AddTodo appends a pending entry; core.RateLimited when the list holds max entries.
func (d *DB) AddTodo(ctx context.Context, list, content string, at time.Time, max int) (core.Todo, error) {
	var r todoRow
	err := d.update(ctx, "add todo", func(t *tx) error {
		rows, err := t.todos(list)
		if err != nil {
			return err
		}
		if len(rows) >= max {
			return core.E(core.RateLimited, fmt.Sprintf("the todo list has %d entries already", len(rows)), "jarvis todo list", nil)
		}
		n, err := t.lastTodo(list)
		if err != nil {
			return err
		}
		r = todoRow{Todo: core.Todo{N: n + 1, Content: content, Status: core.TodoPending, Created: at}}
		if len(rows) > 0 {
			r.Place = rows[len(rows)-1].Place + 1
		}
		if err := t.put(bTodoN, key(str(list)), r.N); err != nil {
			return err
		}
		return t.put(bTodo, key(str(list), u64(r.N)), r)
	})
	return r.Todo, err
}

// SetTodos replaces the list, in the order given; an entry whose content was there keeps its number and time.
func (d *DB) SetTodos(ctx context.Context, list string, todos []core.Todo, at time.Time) ([]core.Todo, error) {
	for _, td := range todos {
		if td.Status != "" && !validStatus(td.Status) {
			return nil, badStatus(td.Status)
		}
	}
	var rows []todoRow
	err := d.update(ctx, "set todos", func(t *tx) error {
		old, err := t.todos(list)
		if err != nil {
			return err
		}
		n, err := t.lastTodo(list)
		if err != nil {
			return err
		}
		rows = merge(old, todos, &n, at)
		for _, r := range old {
			if err := t.del(bTodo, key(str(list), u64(r.N))); err != nil {
				return err
			}
		}
		for _, r := range rows {
			if err := t.put(bTodo, key(str(list), u64(r.N)), r); err != nil {
				return err
			}
		}
		return t.put(bTodoN, key(str(list)), n)
	})
	if err != nil {
		return nil, err
	}
	return plain(rows), nil
}

// merge numbers the new list: each old entry lends its number to one new entry with its content.
func merge(old []todoRow, todos []core.Todo, last *uint64, at time.Time) []todoRow {
	rows := make([]todoRow, 0, len(todos))
	free := slices.Clone(old)
	for i, td := range todos {
		r := todoRow{Place: i, Todo: core.Todo{Content: td.Content, Status: cmp.Or(td.Status, core.TodoPending), Created: at}}
		if j := slices.IndexFunc(free, func(o todoRow) bool { return o.Content == td.Content }); j >= 0 {
			r.N, r.Created = free[j].N, free[j].Created
			free = slices.Delete(free, j, j+1)
		} else {
			*last++
			r.N = *last
		}
		rows = append(rows, r)
	}
	return rows
}

// SetTodo changes the status of entry n; core.NotFound.
func (d *DB) SetTodo(ctx context.Context, list string, n uint64, status string) (core.Todo, error) {
	if !validStatus(status) {
		return core.Todo{}, badStatus(status)
	}
	var r todoRow
	err := d.update(ctx, "set todo", func(t *tx) error {
		k := key(str(list), u64(n))
		r = todoRow{}
		ok, err := t.get(bTodo, k, &r)
		if err != nil {
			return err
		}
		if !ok {
			return core.E(core.NotFound, fmt.Sprintf("there is no todo %d", n), "jarvis todo list", nil)
		}
		r.Status = status
		return t.put(bTodo, k, r)
	})
	if err != nil {
		return core.Todo{}, err
	}
	return r.Todo, nil
}

func (t *tx) todos(list string) ([]todoRow, error) {
	var rows []todoRow
	err := t.each(bTodo, key(str(list)), func(k, rec []byte) (bool, error) {
		var r todoRow
		err := decode(bTodo, bytes.Clone(k), rec, &r)
		rows = append(rows, r)
		return true, err
	})
	slices.SortStableFunc(rows, func(a, b todoRow) int { return cmp.Compare(a.Place, b.Place) })
	return rows, err
}

// lastTodo is the highest number ever given in a list; numbers are not used again.
func (t *tx) lastTodo(list string) (uint64, error) {
	var n uint64
	_, err := t.get(bTodoN, key(str(list)), &n)
	return n, err
}

func plain(rows []todoRow) []core.Todo {
	ts := make([]core.Todo, len(rows))
	for i, r := range rows {
		ts[i] = r.Todo
	}
	return ts
}

func validStatus(s string) bool {
	return s == core.TodoPending || s == core.TodoInProgress || s == core.TodoCompleted
}

func badStatus(s string) error {
	return core.E(core.BadRequest, fmt.Sprintf("a todo is pending, in_progress or completed, not %q", s), "jarvis todo list", nil)
}
