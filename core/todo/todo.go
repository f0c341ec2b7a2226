package todo

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"jarvis/core"
)

// Bounds of a list, so that neither a model nor a script can fill the store.
const (
	MaxEntries = 500  // entries of one list
	MaxContent = 2000 // characters of one entry
)

// Service is the todo list of each user.
type Service struct {
	store Store
	now   func() time.Time
}

// New makes the service. now gives the time that entries are stamped with.
func New(store Store, now func() time.Time) *Service { return &Service{store: store, now: now} }

// ListName is the name under which a user's list is kept.
func ListName(u core.UserID) string { return fmt.Sprintf("user:%d", u) }

// List gives the user's whole list in order.
func (s *Service) List(ctx context.Context, u core.UserID) ([]core.Todo, error) {
	todos, err := s.store.Todos(ctx, ListName(u))
	if err != nil {
		return nil, fmt.Errorf("read todo list: %w", err)
	}
	return todos, nil
}

// Add appends one pending entry; core.BadRequest for a text that is empty or too long, core.RateLimited for a full list.
func (s *Service) Add(ctx context.Context, u core.UserID, content string) (core.Todo, error) {
	content, err := clean(content)
	if err != nil {
		return core.Todo{}, err
	}
	t, err := s.store.AddTodo(ctx, ListName(u), content, s.now(), MaxEntries)
	if core.CodeOf(err) == core.RateLimited {
		return core.Todo{}, core.E(core.RateLimited, fmt.Sprintf("the todo list is full (%d entries)", MaxEntries), "jarvis todo list", err)
	}
	if err != nil {
		return core.Todo{}, fmt.Errorf("add todo: %w", err)
	}
	return t, nil
}

// SetStatus changes the status of entry n; core.NotFound when there is none, core.BadRequest for an unknown status.
func (s *Service) SetStatus(ctx context.Context, u core.UserID, n uint64, status string) (core.Todo, error) {
	if err := validStatus(status); err != nil {
		return core.Todo{}, err
	}
	t, err := s.store.SetTodo(ctx, ListName(u), n, status)
	if core.CodeOf(err) == core.NotFound {
		return core.Todo{}, core.E(core.NotFound, fmt.Sprintf("there is no todo %d", n), "jarvis todo list", err)
	}
	if err != nil {
		return core.Todo{}, fmt.Errorf("set todo: %w", err)
	}
	return t, nil
}

// Done marks entry n as completed.
func (s *Service) Done(ctx context.Context, u core.UserID, n uint64) (core.Todo, error) {
	return s.SetStatus(ctx, u, n, core.TodoCompleted)
}

// replace writes the whole list as a model wants it.
func (s *Service) replace(ctx context.Context, u core.UserID, in []item) ([]core.Todo, error) {
	todos, err := validate(in)
	if err != nil {
		return nil, err
	}
	out, err := s.store.SetTodos(ctx, ListName(u), todos, s.now())
	if err != nil {
		return nil, fmt.Errorf("write todo list: %w", err)
	}
	return out, nil
}

func validate(in []item) ([]core.Todo, error) {
	if len(in) > MaxEntries {
		return nil, core.E(core.TooLarge, fmt.Sprintf("a todo list holds at most %d entries, not %d", MaxEntries, len(in)), "", nil)
	}
	todos := make([]core.Todo, 0, len(in))
	for i, e := range in {
		content, err := clean(e.Content)
		if err == nil {
			err = validStatus(e.Status)
		}
		if err != nil {
			return nil, core.E(core.CodeOf(err), fmt.Sprintf("entry %d: %s", i+1, err), "", err)
		}
		todos = append(todos, core.Todo{Content: content, Status: e.Status})
	}
	return todos, nil
}

// clean makes one line of a text: an entry is shown in lists and terminals, so it carries no line breaks and no control
// characters.
func clean(s string) (string, error) {
	if !utf8.ValidString(s) {
		return "", core.E(core.BadRequest, "the text of a todo must be valid UTF-8", "", nil)
	}
	if len(s) > 8*MaxContent {
		return "", tooLong()
	}
	s = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, s)
	s = strings.Join(strings.Fields(s), " ")
	if s == "" {
		return "", core.E(core.BadRequest, "a todo needs a text", "jarvis todo add \"water the plants\"", nil)
	}
	if utf8.RuneCountInString(s) > MaxContent {
		return "", tooLong()
	}
	return s, nil
}

func tooLong() error {
	return core.E(core.TooLarge, fmt.Sprintf("the text of a todo is at most %d characters", MaxContent), "", nil)
}

func validStatus(s string) error {
	switch s {
	case core.TodoPending, core.TodoInProgress, core.TodoCompleted:
		return nil
	}
	return core.E(core.BadRequest, fmt.Sprintf("unknown status %.40q: it is pending, in_progress or completed", s), "", nil)
}
