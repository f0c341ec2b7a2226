package client

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strconv"

	"jarvis/core"
	"jarvis/daemon/api"
)

// Stop ends a chain, or whatever is open in a session. It never starts a daemon: without one nothing runs.
func (c *Client) Stop(ctx context.Context, s api.ChatStop) error {
	_, err := c.StopChains(ctx, s)
	return err
}

// StopChains is Stop, and tells which chains were open.
func (c *Client) StopChains(ctx context.Context, s api.ChatStop) ([]core.ChainID, error) {
	var out api.Stopped
	err := c.json(ctx, call{method: http.MethodPost, path: "/api/chat/stop"}, s, &out)
	return out.Stopped, err
}

// Chain reads one chain.
func (c *Client) Chain(ctx context.Context, id core.ChainID) (core.Chain, error) {
	var out core.Chain
	return out, c.json(ctx, get("/api/chains/"+url.PathEscape(string(id))), nil, &out)
}

// Sessions pages through the sessions, newest first; hidden ones only when asked for.
func (c *Client) Sessions(ctx context.Context, hidden bool, p core.Page) (api.List[core.Session], error) {
	q := get("/api/sessions")
	q.query = pageQuery(p)
	if hidden {
		q.query.Set("hidden", "1")
	}
	var out api.List[core.Session]
	return out, c.json(ctx, q, nil, &out)
}

// Session reads one session; id is whole or what a person types of it.
func (c *Client) Session(ctx context.Context, id string) (core.Session, error) {
	var out core.Session
	return out, c.json(ctx, get(sessionPath(id, "")), nil, &out)
}

// Messages pages through a session's messages.
func (c *Client) Messages(ctx context.Context, id string, p core.Page) (api.List[core.Message], error) {
	q := get(sessionPath(id, "/messages"))
	q.query = pageQuery(p)
	var out api.List[core.Message]
	return out, c.json(ctx, q, nil, &out)
}

// DeleteSession erases a session and gives back what it was.
func (c *Client) DeleteSession(ctx context.Context, id string) (core.Session, error) {
	var out core.Session
	return out, c.json(ctx, call{method: http.MethodDelete, path: sessionPath(id, ""), start: true}, nil, &out)
}

// SystemPrompt gives the system prompt of a session as it would be sent.
func (c *Client) SystemPrompt(ctx context.Context, id string) (string, error) {
	var out api.SystemPrompt
	return out.Prompt, c.json(ctx, get(sessionPath(id, "/system-prompt")), nil, &out)
}

// PromptBlocks gives the blocks of a session's system prompt.
func (c *Client) PromptBlocks(ctx context.Context, id string) ([]api.PromptBlock, error) {
	var out api.List[api.PromptBlock]
	return out.Items, c.json(ctx, get(sessionPath(id, "/system-prompt-blocks")), nil, &out)
}

// Todos gives the user's todo list.
func (c *Client) Todos(ctx context.Context) ([]core.Todo, error) {
	var out api.List[core.Todo]
	return out.Items, c.json(ctx, get("/api/todo"), nil, &out)
}

// AddTodo appends an entry to the todo list.
func (c *Client) AddTodo(ctx context.Context, content string) (core.Todo, error) {
	var out core.Todo
	return out, c.json(ctx, call{method: http.MethodPost, path: "/api/todo", start: true}, api.TodoAdd{Content: content}, &out)
}

// SetTodo changes the status of entry n.
func (c *Client) SetTodo(ctx context.Context, n uint64, status string) (core.Todo, error) {
	var out core.Todo
	q := call{method: http.MethodPut, path: "/api/todo/" + strconv.FormatUint(n, 10), start: true}
	return out, c.json(ctx, q, api.TodoSet{Status: status}, &out)
}

// Models lists the models that the daemon knows.
func (c *Client) Models(ctx context.Context) ([]api.Model, error) {
	var out api.List[api.Model]
	return out.Items, c.json(ctx, get("/api/models"), nil, &out)
}

// TestModel asks a model for a word.
func (c *Client) TestModel(ctx context.Context, model string) (api.ModelTested, error) {
	var out api.ModelTested
	return out, c.json(ctx, call{method: http.MethodPost, path: "/api/models/test", start: true}, api.ModelTest{Model: model}, &out)
}

// ResolveModel says which model a name means, without asking it anything.
func (c *Client) ResolveModel(ctx context.Context, name string) (string, error) {
	var out api.ModelTested
	err := c.json(ctx, call{method: http.MethodPost, path: "/api/models/test", start: true}, api.ModelTest{Model: name, Resolve: true}, &out)
	if err == nil && out.Error != nil {
		err = out.Error.Err()
	}
	return out.Model, err
}

// RemoveModel removes an installed model.
func (c *Client) RemoveModel(ctx context.Context, ref string) error {
	return c.json(ctx, call{method: http.MethodDelete, path: "/api/models/" + ref, start: true}, nil, nil)
}

// PullModel fetches a model and yields the progress; the last one has Done. An error is the last pair.
func (c *Client) PullModel(ctx context.Context, model string) iter.Seq2[api.PullProgress, error] {
	return func(yield func(api.PullProgress, error) bool) {
		body, err := json.Marshal(api.ModelPull{Model: model})
		if err != nil {
			yield(api.PullProgress{}, err)
			return
		}
		resp, err := c.do(ctx, call{method: http.MethodPost, path: "/api/models/pull", body: body, start: true})
		if err != nil {
			yield(api.PullProgress{}, err)
			return
		}
		defer resp.Body.Close()
		for sse := newSSE(resp.Body); ; {
			data, err := sse.next()
			if err != nil {
				if ctx.Err() != nil {
					err = ctx.Err()
				} else {
					err = c.unreachable(err)
				}
				yield(api.PullProgress{}, err)
				return
			}
			var p api.PullProgress
			if err := json.Unmarshal(data, &p); err != nil {
				yield(p, core.E(core.Internal, "the daemon sent an event that is not JSON", "jarvis daemon restart", err))
				return
			}
			if p.Error != nil {
				yield(p, p.Error.Err())
				return
			}
			if !yield(p, nil) || p.Done {
				return
			}
		}
	}
}

// Status asks a running daemon; it never starts one. Without one the state is api.StateStopped and the error has
// ErrUnreachable.
func (c *Client) Status(ctx context.Context) (api.Status, error) {
	var out api.Status
	err := c.json(ctx, call{method: http.MethodGet, path: "/api/status"}, nil, &out)
	if errors.Is(err, ErrUnreachable) && !errors.Is(err, errLost) {
		return api.Status{State: api.StateStopped, Warnings: []string{}}, err
	}
	return out, err
}

// Ready asks for the state of each component; it never starts a daemon.
func (c *Client) Ready(ctx context.Context) (api.Ready, error) {
	resp, err := c.send(ctx, call{method: http.MethodGet, path: "/readyz"}, c.token())
	if err != nil {
		return api.Ready{}, c.unreachable(err)
	}
	defer resp.Body.Close()
	var out api.Ready
	if err := json.NewDecoder(io.LimitReader(resp.Body, 1<<20)).Decode(&out); err != nil {
		return out, core.E(core.Internal, "the daemon's answer is not JSON", "jarvis daemon logs", err)
	}
	return out, nil
}

// json sends v as JSON (nil = no body) and reads the answer into out (nil = ignored).
func (c *Client) json(ctx context.Context, q call, v, out any) error {
	if v != nil {
		b, err := json.Marshal(v)
		if err != nil {
			return core.E(core.BadRequest, "the request cannot be sent", "", err)
		}
		q.body = b
	}
	resp, err := c.do(ctx, q)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if out == nil {
		_, err = io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<20))
	} else {
		err = json.NewDecoder(io.LimitReader(resp.Body, maxLine)).Decode(out)
	}
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return core.E(core.Internal, "the daemon's answer is not complete", "jarvis daemon logs", err)
	}
	return nil
}

func get(path string) call { return call{method: http.MethodGet, path: path, start: true} }

func sessionPath(id, rest string) string { return "/api/sessions/" + id + rest }

func pageQuery(p core.Page) url.Values {
	q := url.Values{}
	if p.After != "" {
		q.Set("cursor", string(p.After))
	}
	if p.Limit > 0 {
		q.Set("limit", strconv.Itoa(p.Limit))
	}
	if p.Backward {
		q.Set("backward", "1")
	}
	if p.View != core.ViewLive {
		q.Set("view", string(p.View))
	}
	return q
}
