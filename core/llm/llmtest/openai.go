package llmtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// openaiError writes an error in OpenAI's form; empty texts are what the real one says.
func openaiError(w http.ResponseWriter, status int, code, message string) {
	class := "invalid_request_error"
	switch {
	case status == 401 && code == "":
		code, message = "invalid_api_key", or(message, "Incorrect API key provided: sk-abcd1234efgh5678. You can find your API key in your account.")
	case status == 429:
		class, code, message = "requests", or(code, "rate_limit_exceeded"), or(message, "Rate limit reached for requests")
	case status >= 500:
		class, message = "server_error", or(message, "The server had an error while processing your request")
	}
	e := map[string]any{"message": or(message, http.StatusText(status)), "type": class, "param": nil, "code": nil}
	if code != "" {
		e["code"] = code
	}
	writeJSON(w, status, map[string]any{"error": e})
}

func or(s, d string) string {
	if s == "" {
		return d
	}
	return s
}

type openaiRequest struct {
	Model    string `json:"model"`
	Stream   bool   `json:"stream"`
	Messages []struct {
		Role      string          `json:"role"`
		Content   json.RawMessage `json:"content"`
		ToolID    string          `json:"tool_call_id"`
		ToolCalls []struct {
			ID       string `json:"id"`
			Function struct{ Name, Arguments string }
		} `json:"tool_calls"`
	} `json:"messages"`
	Tools []struct {
		Type     string
		Function struct {
			Name       string
			Parameters json.RawMessage
		}
	} `json:"tools"`
	ToolChoice     json.RawMessage `json:"tool_choice"`
	MaxTokens      *int            `json:"max_tokens"`
	MaxCompletion  *int            `json:"max_completion_tokens"`
	ResponseFormat *struct {
		Type       string
		JSONSchema struct {
			Name   string
			Schema json.RawMessage
		} `json:"json_schema"`
	} `json:"response_format"`
	StreamOptions *struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
}

func (s *Server) openai(w http.ResponseWriter, r *http.Request) {
	rec, err := s.record(r)
	if err != nil {
		return
	}
	if !s.authorized(r) {
		openaiError(w, 401, "", "")
		return
	}
	var req openaiRequest
	if err := json.Unmarshal(rec.Body, &req); err != nil {
		openaiError(w, 400, "", "We could not parse the JSON body of your request.")
		return
	}
	s.name(rec, req.Model)
	if !s.exists(req.Model) {
		openaiError(w, 404, "model_not_found", "The model `"+req.Model+"` does not exist or you do not have access to it.")
		return
	}
	user, rounds, problem := req.check()
	if problem != "" {
		openaiError(w, 400, "", problem)
		return
	}
	sc := s.script(req.Model, user, rounds)
	if sc.Status != 0 {
		if sc.RetryAfter != "" {
			w.Header().Set("Retry-After", sc.RetryAfter)
		}
		openaiError(w, sc.Status, "", sc.Message)
		return
	}
	if !req.Stream {
		writeJSON(w, 200, openaiWhole(req.Model, sc))
		return
	}
	usage := req.StreamOptions != nil && req.StreamOptions.IncludeUsage
	gone := true
	defer func() { s.finish(rec, gone) }()
	gone = s.play(w, r, sc, newOpenaiWire(req.Model, usage))
}

// check refuses what OpenAI refuses, and finds the last user text (or tool result).
func (q *openaiRequest) check() (user string, rounds int, problem string) {
	if len(q.Messages) == 0 {
		return "", 0, "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead."
	}
	open := map[string]bool{}
	for i, m := range q.Messages {
		if m.Role != "tool" && len(open) > 0 {
			return "", 0, fmt.Sprintf("An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. (messages[%d])", i)
		}
		text, bad := contentText(m.Content)
		if bad != "" {
			return "", 0, fmt.Sprintf("Invalid value for messages[%d].content: %s", i, bad)
		}
		switch m.Role {
		case "system", "developer":
		case "user":
			user, rounds = text, 0
		case "assistant":
			for _, c := range m.ToolCalls {
				if c.ID == "" || c.Function.Name == "" || !json.Valid([]byte(c.Function.Arguments)) {
					return "", 0, fmt.Sprintf("Invalid 'messages[%d].tool_calls'", i)
				}
				open[c.ID] = true
			}
			if len(m.ToolCalls) == 0 && text == "" {
				return "", 0, fmt.Sprintf("Invalid value for 'messages[%d].content': expected a string, got null.", i)
			}
			rounds++
		case "tool":
			if !open[m.ToolID] {
				return "", 0, fmt.Sprintf("messages with role 'tool' must be a response to a preceding message with 'tool_calls'. (messages[%d])", i)
			}
			delete(open, m.ToolID)
			user = text
		default:
			return "", 0, "Invalid value: '" + m.Role + "'. Supported values are: 'system', 'assistant', 'user', 'tool', and 'developer'."
		}
	}
	if len(open) > 0 {
		return "", 0, "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'."
	}
	if q.Messages[len(q.Messages)-1].Role != "tool" {
		rounds = 0
	}
	return user, rounds, q.checkTools()
}

func (q *openaiRequest) checkTools() string {
	for _, t := range q.Tools {
		if t.Type != "function" || !toolName(t.Function.Name) {
			return "Invalid 'tools[0].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'."
		}
		if msg := badSchema(t.Function.Parameters, true); msg != "" {
			return "Invalid schema for function '" + t.Function.Name + "': " + msg
		}
	}
	if len(q.ToolChoice) > 0 {
		var choice string
		if json.Unmarshal(q.ToolChoice, &choice) == nil && choice != "auto" && choice != "none" && choice != "required" {
			return "Invalid value: '" + choice + "'. Supported values are: 'none', 'auto', and 'required'."
		}
		if len(q.Tools) == 0 {
			return "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified."
		}
	}
	if f := q.ResponseFormat; f != nil && f.Type == "json_schema" {
		if f.JSONSchema.Name == "" {
			return "Missing required parameter: 'response_format.json_schema.name'."
		}
		if msg := badSchema(f.JSONSchema.Schema, true); msg != "" {
			return "Invalid schema for response_format '" + f.JSONSchema.Name + "': " + msg
		}
	}
	if q.MaxTokens != nil && *q.MaxTokens < 1 || q.MaxCompletion != nil && *q.MaxCompletion < 1 {
		return "Invalid 'max_tokens': integer below minimum value."
	}
	return ""
}

// contentText reads a string or an array of parts; bad says what is wrong with it.
func contentText(raw json.RawMessage) (text, bad string) {
	if len(raw) == 0 || string(raw) == "null" {
		return "", ""
	}
	if json.Unmarshal(raw, &text) == nil {
		return text, ""
	}
	var parts []struct {
		Type     string
		Text     string
		ImageURL struct{ URL string } `json:"image_url"`
		File     struct {
			Data string `json:"file_data"`
		}
	}
	if json.Unmarshal(raw, &parts) != nil || len(parts) == 0 {
		return "", "expected a string or a non-empty array of objects"
	}
	var texts []string
	for _, p := range parts {
		switch p.Type {
		case "text":
			texts = append(texts, p.Text)
		case "image_url":
			if !strings.HasPrefix(p.ImageURL.URL, "data:image/") && !strings.HasPrefix(p.ImageURL.URL, "https://") {
				return "", "expected a base64-encoded data URL with an image MIME type"
			}
			texts = append(texts, "[image]")
		case "file":
			if !strings.HasPrefix(p.File.Data, "data:application/pdf;base64,") {
				return "", "expected a base64-encoded data URL with an application/pdf MIME type"
			}
			texts = append(texts, "[pdf]")
		default:
			return "", "unknown content type '" + p.Type + "'"
		}
	}
	return strings.Join(texts, " "), ""
}

type openaiWire struct {
	model      string
	usage      bool
	head1      []byte // before the text's JSON string
	tail       []byte // after it
	headFields string
}

func newOpenaiWire(model string, usage bool) *openaiWire {
	o := &openaiWire{model: model, usage: usage}
	o.headFields = `{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":` + string(quoted(model)) + `,"choices":[`
	o.head1 = []byte("data: " + o.headFields + `{"index":0,"delta":{"content":`)
	o.tail = []byte("},\"logprobs\":null,\"finish_reason\":null}]}\n\n")
	return o
}

func (o *openaiWire) mediaType() string { return "text/event-stream; charset=utf-8" }

func (o *openaiWire) event(choice string) []byte {
	return []byte("data: " + o.headFields + choice + "]}\n\n")
}

func (o *openaiWire) head() []byte {
	return o.event(`{"index":0,"delta":{"role":"assistant","content":"","refusal":null},"finish_reason":null}`)
}

func (o *openaiWire) reasoning(text, _ string) []byte {
	return o.event(`{"index":0,"delta":{"reasoning_content":` + string(quoted(text)) + `},"finish_reason":null}`)
}

func (o *openaiWire) text(piece string) []byte { return pre(o.head1, piece, o.tail) }

func (o *openaiWire) call(i int, c Call) []byte {
	a, b := c.Args[:len(c.Args)/2], c.Args[len(c.Args)/2:]
	first := fmt.Sprintf(`{"index":0,"delta":{"tool_calls":[{"index":%d,"id":"call_%d","type":"function","function":{"name":%s,"arguments":%s}}]},"finish_reason":null}`, i, i, quoted(c.Name), quoted(a))
	second := fmt.Sprintf(`{"index":0,"delta":{"tool_calls":[{"index":%d,"function":{"arguments":%s}}]},"finish_reason":null}`, i, quoted(b))
	return append(o.event(first), o.event(second)...)
}

func (o *openaiWire) end(sc Script) []byte {
	out := o.event(`{"index":0,"delta":{},"finish_reason":"` + openaiFinish(sc) + `"}`)
	if o.usage {
		u := openaiUsage(sc.Usage)
		out = append(out, sse("", map[string]any{"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": o.model, "choices": []any{}, "usage": u})...)
	}
	return append(out, "data: [DONE]\n\n"...)
}

func (o *openaiWire) bad() []byte { return []byte("data: {\"choices\": [{\"delta\n\n") }

func openaiFinish(sc Script) string {
	switch {
	case sc.Finish == "max_tokens":
		return "length"
	case sc.Finish == "refusal":
		return "content_filter"
	case len(sc.Calls) > 0:
		return "tool_calls"
	}
	return "stop"
}

func openaiUsage(u Usage) map[string]any {
	prompt := u.In + u.CacheRead + u.CacheWrite
	return map[string]any{
		"prompt_tokens": prompt, "completion_tokens": u.Out, "total_tokens": prompt + u.Out,
		"prompt_tokens_details": map[string]any{"cached_tokens": u.CacheRead, "cache_write_tokens": u.CacheWrite},
	}
}

func openaiWhole(model string, sc Script) map[string]any {
	msg := map[string]any{"role": "assistant", "content": sc.Text}
	var calls []any
	for i, c := range sc.Calls {
		calls = append(calls, map[string]any{"id": fmt.Sprintf("call_%d", i), "type": "function", "function": map[string]any{"name": c.Name, "arguments": c.Args}})
	}
	if calls != nil {
		msg["tool_calls"] = calls
	}
	return map[string]any{
		"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": model, "usage": openaiUsage(sc.Usage),
		"choices": []any{map[string]any{"index": 0, "message": msg, "finish_reason": openaiFinish(sc)}},
	}
}
