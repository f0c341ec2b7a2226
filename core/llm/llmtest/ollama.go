package llmtest

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"
)

func ollamaError(w http.ResponseWriter, status int, message string) {
	writeJSON(w, status, map[string]string{"error": message})
}

// full adds Ollama's default tag.
func full(name string) string {
	if !strings.Contains(name, ":") {
		return name + ":latest"
	}
	return name
}

func (s *Server) isInstalled(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range s.installed {
		if full(n) == full(name) {
			return true
		}
	}
	_, scripted := s.o.Scripts[name]
	_, named := Named(name)
	return scripted || named
}

type ollamaRequest struct {
	Model    string
	Stream   *bool
	Messages []struct {
		Role      string
		Content   string
		Images    []string
		ToolName  string `json:"tool_name"`
		ToolCalls []struct {
			Function struct {
				Name      string
				Arguments json.RawMessage
			}
		} `json:"tool_calls"`
	}
	Tools []struct {
		Function struct {
			Name       string
			Parameters json.RawMessage
		}
	}
	Format  json.RawMessage
	Options struct {
		NumCtx     int `json:"num_ctx"`
		NumPredict int `json:"num_predict"`
	}
	Think json.RawMessage
}

func (s *Server) ollama(w http.ResponseWriter, r *http.Request) {
	rec, err := s.record(r)
	if err != nil {
		return
	}
	var req ollamaRequest
	if err := json.Unmarshal(rec.Body, &req); err != nil {
		ollamaError(w, 400, err.Error())
		return
	}
	s.name(rec, req.Model)
	if !s.isInstalled(req.Model) {
		ollamaError(w, 404, "model '"+req.Model+"' not found")
		return
	}
	user, rounds, problem := req.check()
	if problem != "" {
		ollamaError(w, 400, problem)
		return
	}
	sc := s.script(strings.TrimSuffix(req.Model, ":latest"), user, rounds)
	if sc.Status != 0 {
		if sc.RetryAfter != "" {
			w.Header().Set("Retry-After", sc.RetryAfter)
		}
		ollamaError(w, sc.Status, or(sc.Message, http.StatusText(sc.Status)))
		return
	}
	gone := true
	defer func() { s.finish(rec, gone) }()
	gone = s.play(w, r, sc, newOllamaWire(req.Model))
}

// check refuses what Ollama refuses, and finds the last user text (or tool result).
func (q *ollamaRequest) check() (user string, rounds int, problem string) {
	for _, m := range q.Messages {
		switch m.Role {
		case "user":
			user, rounds = m.Content, 0
			for _, img := range m.Images {
				if _, err := base64.StdEncoding.DecodeString(img); err != nil {
					return "", 0, "illegal base64 data"
				}
				user += " [image]"
			}
		case "tool":
			user = m.Content
			rounds++
		case "assistant", "system":
			for _, c := range m.ToolCalls {
				if len(c.Function.Arguments) == 0 || c.Function.Arguments[0] != '{' {
					return "", 0, "json: cannot unmarshal string into Go struct field ToolCallFunction.arguments"
				}
			}
		default:
			return "", 0, "invalid role: " + m.Role
		}
	}
	for _, t := range q.Tools {
		if msg := badSchema(t.Function.Parameters, true); msg != "" {
			return "", 0, "invalid tool parameters: " + msg
		}
	}
	if len(q.Format) > 0 && q.Format[0] == '{' {
		if msg := badSchema(q.Format, false); msg != "" {
			return "", 0, "invalid JSON schema in format"
		}
	}
	return user, rounds, ""
}

type ollamaWire struct {
	base        string // the fields every line has
	head1, tail []byte
}

func newOllamaWire(model string) *ollamaWire {
	o := &ollamaWire{base: `{"model":` + string(quoted(model)) + `,"created_at":"2026-01-01T00:00:00Z","message":{"role":"assistant",`}
	o.head1 = []byte(o.base + `"content":`)
	o.tail = []byte("},\"done\":false}\n")
	return o
}

func (o *ollamaWire) mediaType() string { return "application/x-ndjson" }
func (o *ollamaWire) head() []byte      { return nil }

func (o *ollamaWire) reasoning(text, _ string) []byte {
	return []byte(o.base + `"content":"","thinking":` + string(quoted(text)) + "},\"done\":false}\n")
}

func (o *ollamaWire) text(piece string) []byte { return pre(o.head1, piece, o.tail) }

func (o *ollamaWire) call(_ int, c Call) []byte {
	return []byte(o.base + `"content":"","tool_calls":[{"function":{"name":` + string(quoted(c.Name)) + `,"arguments":` + c.Args + "}}]},\"done\":false}\n")
}

func (o *ollamaWire) end(sc Script) []byte {
	reason := "stop"
	if sc.Finish == "max_tokens" {
		reason = "length"
	}
	u := sc.Usage
	return []byte(o.base + `"content":""},"done_reason":"` + reason + `","done":true,"total_duration":1,"prompt_eval_count":` +
		string(mustJSON(u.In+u.CacheRead)) + `,"eval_count":` + string(mustJSON(u.Out)) + "}\n")
}

func (o *ollamaWire) bad() []byte { return []byte("{\"message\":{\"content\n") }

func (s *Server) tags(w http.ResponseWriter, _ *http.Request) {
	if s.o.Lists >= 400 {
		ollamaError(w, s.o.Lists, "internal error")
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	list := []any{}
	for _, n := range s.installed {
		family := "llama"
		if strings.Contains(n, "embed") {
			family = "nomic-bert"
		}
		list = append(list, map[string]any{
			"name": full(n), "model": full(n), "size": 4_700_000_000, "modified_at": "2026-01-01T00:00:00Z",
			"details": map[string]any{"family": family, "parameter_size": "8.0B"},
		})
	}
	writeJSON(w, 200, map[string]any{"models": list})
}

func (s *Server) show(w http.ResponseWriter, r *http.Request) {
	var req struct{ Model string }
	if json.NewDecoder(r.Body).Decode(&req) != nil || !s.isInstalled(req.Model) {
		ollamaError(w, 404, "model '"+req.Model+"' not found")
		return
	}
	caps := []string{"completion", "tools", "vision", "thinking"}
	if strings.Contains(req.Model, "embed") {
		caps = []string{"embedding"}
	}
	if strings.Contains(req.Model, "plain") {
		caps = []string{"completion"}
	}
	writeJSON(w, 200, map[string]any{
		"model_info":   map[string]any{"general.architecture": "llama", "llama.context_length": 131072, "llama.embedding_length": 4096},
		"capabilities": caps,
	})
}

// pull installs a model in three steps; one that begins with "missing" does not exist.
func (s *Server) pull(w http.ResponseWriter, r *http.Request) {
	var req struct{ Model string }
	_ = json.NewDecoder(r.Body).Decode(&req) // an empty name is refused below
	w.Header().Set("Content-Type", "application/x-ndjson")
	enc := json.NewEncoder(w)
	_ = enc.Encode(map[string]any{"status": "pulling manifest"})
	if req.Model == "" || strings.HasPrefix(req.Model, "missing") {
		_ = enc.Encode(map[string]any{"error": "pull model manifest: file does not exist"})
		return
	}
	const total = 1000
	for done := 0; done <= total; done += 500 {
		_ = enc.Encode(map[string]any{"status": "pulling 1234", "digest": "sha256:1234", "total": total, "completed": done})
		_ = http.NewResponseController(w).Flush()
	}
	if strings.HasPrefix(req.Model, "slow") {
		s.wait(r, time.Minute)
		return
	}
	s.mu.Lock()
	s.installed = append(s.installed, req.Model)
	s.mu.Unlock()
	_ = enc.Encode(map[string]any{"status": "success"})
}

func (s *Server) remove(w http.ResponseWriter, r *http.Request) {
	var req struct{ Model string }
	_ = json.NewDecoder(r.Body).Decode(&req) // an empty name is not found below
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.installed, func(n string) bool { return full(n) == full(req.Model) })
	if i < 0 {
		ollamaError(w, 404, "model '"+req.Model+"' not found")
		return
	}
	s.installed = slices.Delete(s.installed, i, i+1)
	w.WriteHeader(http.StatusOK)
}
