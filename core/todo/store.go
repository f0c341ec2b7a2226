// Package todo is the one todo list a user or workspace has, and the tools over it: todo_write, todo_read, add_todo.
package todo

import (
	"context"
	"time"

	"jarvis/core"
)

// Store is what todo lists need kept. list names one: "user:<id>". Every method is one transaction.
type Store interface {
	// Todos gives the whole list in order.
	Todos(ctx context.Context, list string) ([]core.Todo, error)
	// AddTodo appends one pending entry; the store numbers it. A list holds at most max entries: core.RateLimited beyond.
	AddTodo(ctx context.Context, list, content string, at time.Time, max int) (core.Todo, error)
	// SetTodos replaces the list; entries whose content stays keep their number and time.
	SetTodos(ctx context.Context, list string, todos []core.Todo, at time.Time) ([]core.Todo, error)
	// SetTodo changes the status of entry n; core.NotFound.
	SetTodo(ctx context.Context, list string, n uint64, status string) (core.Todo, error)
}
