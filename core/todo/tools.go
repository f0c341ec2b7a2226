package todo

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"jarvis/core"
	"jarvis/core/tool"
)

// item is one entry in todo_write's arguments.
type item struct {
	Content string `json:"content"`
	Status  string `json:"status"`
}

const (
	writeSchema = `{"type":"object","properties":{"todos":{"type":"array","maxItems":500,"items":{"type":"object",` +
		`"properties":{"content":{"type":"string","minLength":1,"maxLength":2000},` +
		`"status":{"type":"string","enum":["pending","in_progress","completed"]}},` +
		`"required":["content","status"],"additionalProperties":false}}},"required":["todos"],"additionalProperties":false}`
	readSchema = `{"type":"object","properties":{},"additionalProperties":false}`
	addSchema  = `{"type":"object","properties":{"text":{"type":"string","minLength":1,"maxLength":2000}},` +
		`"required":["text"],"additionalProperties":false}`
)

// Tools are todo_write, todo_read and add_todo. They change only the caller's own list, so their plans have no effects.
func (s *Service) Tools() []tool.Tool {
	return []tool.Tool{
		tool.Func{
			S: tool.Spec{
				Name:        "todo_write",
				Description: "Replaces the user's whole todo list. Read it first and keep every entry that shall stay.",
				Schema:      json.RawMessage(writeSchema),
			},
			P: func(_ context.Context, c tool.Call) (tool.Plan, error) {
				in, err := decodeWrite(c)
				if err == nil {
					_, err = validate(in)
				}
				return tool.Plan{}, err
			},
			R: s.runWrite,
		},
		tool.Func{
			S: tool.Spec{
				Name:        "todo_read",
				Description: "Reads the user's todo list: number, state and text of each entry.",
				Schema:      json.RawMessage(readSchema),
				ReadOnly:    true,
			},
			P: func(_ context.Context, c tool.Call) (tool.Plan, error) {
				return tool.Plan{}, tool.Decode(c, &struct{}{})
			},
			R: s.runRead,
		},
		tool.Func{
			S: tool.Spec{
				Name:        "add_todo",
				Description: "Adds one entry at the end of the user's todo list.",
				Schema:      json.RawMessage(addSchema),
			},
			P: func(_ context.Context, c tool.Call) (tool.Plan, error) {
				text, err := decodeAdd(c)
				if err == nil {
					_, err = clean(text)
				}
				return tool.Plan{}, err
			},
			R: s.runAdd,
		},
	}
}

func (s *Service) runWrite(ctx context.Context, c tool.Call, _ tool.Plan) (tool.Result, error) {
	in, err := decodeWrite(c)
	if err != nil {
		return tool.Result{}, err
	}
	todos, err := s.replace(ctx, c.Env.User, in)
	if err != nil {
		return tool.Result{}, err
	}
	return tool.Result{Text: Text(todos)}, nil
}

func (s *Service) runRead(ctx context.Context, c tool.Call, _ tool.Plan) (tool.Result, error) {
	if err := tool.Decode(c, &struct{}{}); err != nil {
		return tool.Result{}, err
	}
	todos, err := s.List(ctx, c.Env.User)
	if err != nil {
		return tool.Result{}, err
	}
	return tool.Result{Text: Text(todos)}, nil
}

func (s *Service) runAdd(ctx context.Context, c tool.Call, _ tool.Plan) (tool.Result, error) {
	text, err := decodeAdd(c)
	if err != nil {
		return tool.Result{}, err
	}
	t, err := s.Add(ctx, c.Env.User, text)
	if err != nil {
		return tool.Result{}, err
	}
	return tool.Result{Text: "Added " + line(t)}, nil
}

func decodeWrite(c tool.Call) ([]item, error) {
	var in struct {
		Todos *[]item `json:"todos"`
	}
	if err := tool.Decode(c, &in); err != nil {
		return nil, err
	}
	if in.Todos == nil { // a forgotten parameter must not empty the list
		return nil, core.E(core.BadRequest, "todos is missing; an empty list clears the todo list", "", nil)
	}
	return *in.Todos, nil
}

func decodeAdd(c tool.Call) (string, error) {
	var in struct {
		Text string `json:"text"`
	}
	err := tool.Decode(c, &in)
	return in.Text, err
}

// Text is a list as a model reads it, one entry a line: "#3 [ ] water the plants"; [x] is completed, [~] in progress.
func Text(todos []core.Todo) string {
	if len(todos) == 0 {
		return "The todo list is empty."
	}
	lines := make([]string, len(todos))
	for i, t := range todos {
		lines[i] = line(t)
	}
	return strings.Join(lines, "\n")
}

func line(t core.Todo) string {
	mark := " "
	switch t.Status {
	case core.TodoCompleted:
		mark = "x"
	case core.TodoInProgress:
		mark = "~"
	}
	return fmt.Sprintf("#%d [%s] %s", t.N, mark, t.Content)
}
