package chat

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"

	"jarvis/core"
	"jarvis/core/prompt"
)

// todoWorld is a world with a todo list that the test sets.
func todoWorld(t *testing.T, m *model, list *[]core.Todo, err *error) *world {
	d := deps(m, NewMemory(), echo("echo"))
	d.Todos = func(_ context.Context, u core.UserID) ([]core.Todo, error) {
		if u != core.Owner {
			t.Errorf("todos of user %d", u)
		}
		return *list, *err
	}
	return newWorld(t, d).serve()
}

func TestOpenTodosTravelWithTheNewestMessage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &model{ref: "fake/one", play: []script{answers("1"), answers("2"), answers("3"), answers("4"), answers("5")}}
		var list []core.Todo
		var fail error
		w := todoWorld(t, m, &list, &fail)
		defer w.close()
		var session core.SessionID
		for i := range 4 {
			list = nil
			if i > 0 { // another list at each turn but the first
				list = []core.Todo{{N: uint64(i), Content: fmt.Sprintf("thing %d", i), Status: core.TodoPending}}
			}
			c, _ := w.talk(session, fmt.Sprintf("question %d", i))
			session = c.Session
		}
		reqs := m.requests()
		if parts := reqs[0].Messages[0].Parts; len(parts) != 1 || parts[0].Text != "question 0" {
			t.Errorf("without a todo the message is %+v", parts)
		}
		for i := 1; i < 4; i++ {
			last := reqs[i].Messages[len(reqs[i].Messages)-1].Parts
			if len(last) != 2 || !strings.HasPrefix(last[0].Text, "<jarvis-context>") || !strings.Contains(last[0].Text, fmt.Sprintf("thing %d", i)) ||
				last[1].Text != fmt.Sprintf("question %d", i) {
				t.Errorf("turn %d: newest message %+v", i, last)
			}
			if !reflect.DeepEqual(reqs[i].System, reqs[0].System) {
				t.Errorf("turn %d: the system prompt moved", i)
			}
			before := reqs[i-1].Messages
			if !reflect.DeepEqual(reqs[i].Messages[:len(before)], before) {
				t.Errorf("turn %d: the prefix moved\n%+v\n%+v", i, reqs[i].Messages, before)
			}
		}
		for _, msg := range w.messages(session) {
			if msg.Role == core.RoleUser && strings.Contains(msg.Text, "jarvis-context") {
				t.Errorf("the stored text is not the user's: %q", msg.Text)
			}
		}
		blocks, err := w.s.Prompt(t.Context(), core.Owner, session)
		if err != nil {
			t.Fatal(err)
		}
		if b := blocks[len(blocks)-1]; !b.Volatile || !strings.Contains(b.Content, "thing 3") || len(prompt.System(blocks)) != len(reqs[0].System) {
			t.Errorf("shown blocks %+v", blocks)
		}
		fail = errors.New("broken")
		if _, es := w.talk(session, "still"); len(es) == 0 || es[len(es)-1].Text != "5" {
			t.Errorf("a list that cannot be read: %s", kinds(es))
		}
	})
}

// TestMarksAndContextTravelOnce: they go with the newest message only, so that what is unmarked or deleted is told no more.
func TestMarksAndContextTravelOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &model{ref: "fake/one", play: []script{answers("1"), answers("2"), answers("3"), answers("4")}}
		var list []core.Todo
		var marked []core.Message
		var broken error
		w := todoWorld(t, m, &list, &broken)
		w.s.d.Marked = func(context.Context, core.SessionID) ([]core.Message, error) { return marked, broken }
		defer w.close()
		c, _ := w.talk("", "question 0")
		marked = []core.Message{{Role: core.RoleUser, Text: "4711"}}
		w.talk(c.Session, "question 1")
		w.talk(c.Session, "question 2")
		marked = nil
		w.talk(c.Session, "question 3")
		for i, want := range []int{0, 1, 1, 0} {
			n := 0
			for _, msg := range m.requests()[i].Messages {
				for _, p := range msg.Parts {
					n += strings.Count(p.Text, "4711")
				}
			}
			if n != want {
				t.Errorf("turn %d tells the marked message %d times, want %d", i, n, want)
			}
		}
	})
}
