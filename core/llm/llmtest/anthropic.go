package llmtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
)

var anthropicTypes = map[int]string{
	400: "invalid_request_error", 401: "authentication_error", 402: "billing_error", 403: "permission_error", 404: "not_found_error",
	413: "request_too_large", 429: "rate_limit_error", 500: "api_error", 504: "timeout_error", 529: "overloaded_error",
}

// anthropicError writes an error in Anthropic's form. code is not used: it has none.
func anthropicError(w http.ResponseWriter, status int, _, message string) {
	class := or(anthropicTypes[status], "api_error")
	switch {
	case message != "":
	case status == 401:
		message = "invalid x-api-key"
	case status == 429:
		message = "This request would exceed your organization's rate limit of 50 requests per minute."
	case status == 529:
		message = "Overloaded"
	default:
		message = or(http.StatusText(status), "Internal server error")
	}
	w.Header().Set("Request-Id", "req_1")
	writeJSON(w, status, map[string]any{"type": "error", "error": map[string]any{"type": class, "message": message}, "request_id": "req_1"})
}

type anthropicBlock struct {
	Type      string
	Text      string
	ID        string
	Name      string
	Input     json.RawMessage
	ToolUseID string `json:"tool_use_id"`
	Content   json.RawMessage
	Thinking  string
	Signature string
	Data      string
	Source    struct {
		Type      string
		MediaType string `json:"media_type"`
		Data      string
	}
	CacheControl *struct{ Type string } `json:"cache_control"`
}

type anthropicRequest struct {
	Model     string
	Stream    bool
	MaxTokens *int `json:"max_tokens"`
	System    json.RawMessage
	Messages  []struct {
		Role    string
		Content json.RawMessage
	}
	Tools []struct {
		Name         string
		InputSchema  json.RawMessage        `json:"input_schema"`
		CacheControl *struct{ Type string } `json:"cache_control"`
	}
	ToolChoice *struct{ Type, Name string } `json:"tool_choice"`
	Thinking   *struct {
		Type         string
		BudgetTokens int `json:"budget_tokens"`
	}
	Temperature  *float64
	OutputConfig *struct {
		Format *struct {
			Type   string
			Schema json.RawMessage
		}
	} `json:"output_config"`

	points int // cache points
}

func (s *Server) anthropic(w http.ResponseWriter, r *http.Request) {
	rec, err := s.record(r)
	if err != nil {
		return
	}
	if !s.authorized(r) {
		anthropicError(w, 401, "", "")
		return
	}
	if r.Header.Get("Anthropic-Version") == "" {
		anthropicError(w, 400, "", "anthropic-version: header is required")
		return
	}
	var req anthropicRequest
	if err := json.Unmarshal(rec.Body, &req); err != nil {
		anthropicError(w, 400, "", "The request body is not valid JSON: "+err.Error())
		return
	}
	s.name(rec, req.Model)
	if !s.exists(req.Model) {
		anthropicError(w, 404, "", "model: "+req.Model)
		return
	}
	user, rounds, problem := req.check()
	if problem != "" {
		anthropicError(w, 400, "", problem)
		return
	}
	sc := s.script(req.Model, user, rounds)
	if req.ToolChoice != nil && req.ToolChoice.Type == "tool" && len(sc.Calls) == 0 && sc.Status == 0 && json.Valid([]byte(sc.Text)) {
		sc.Calls, sc.Text = []Call{{Name: req.ToolChoice.Name, Args: sc.Text}}, ""
	}
	if sc.Status != 0 {
		if sc.RetryAfter != "" {
			w.Header().Set("Retry-After", sc.RetryAfter)
		}
		anthropicError(w, sc.Status, "", sc.Message)
		return
	}
	if !req.Stream {
		writeJSON(w, 200, map[string]any{
			"id": "msg_1", "type": "message", "role": "assistant", "model": req.Model,
			"content": []any{map[string]any{"type": "text", "text": sc.Text}}, "stop_reason": anthropicFinish(sc), "usage": anthropicUsage(sc.Usage),
		})
		return
	}
	gone := true
	defer func() { s.finish(rec, gone) }()
	gone = s.play(w, r, sc, newAnthropicWire(req.Model, sc.Usage))
}

// check refuses what Anthropic refuses, and finds the last user text (or tool result).
func (q *anthropicRequest) check() (user string, rounds int, problem string) {
	if q.MaxTokens == nil || *q.MaxTokens < 1 {
		return "", 0, "max_tokens: Field required"
	}
	if len(q.Messages) == 0 {
		return "", 0, "messages: at least one message is required"
	}
	if len(q.System) > 0 {
		if _, problem := q.blocks(q.System); problem != "" {
			return "", 0, "system: " + problem
		}
	}
	var open map[string]bool // tool_use of the message before
	for i, m := range q.Messages {
		want := "user"
		if i%2 == 1 {
			want = "assistant"
		}
		if m.Role != want {
			return "", 0, "messages: roles must alternate between \"user\" and \"assistant\", but found multiple \"" + m.Role + "\" roles in a row"
		}
		blocks, problem := q.blocks(m.Content)
		if problem != "" {
			return "", 0, fmt.Sprintf("messages.%d.%s", i, problem)
		}
		uses, results, text, problem := turn(m.Role, blocks)
		if problem != "" {
			return "", 0, fmt.Sprintf("messages.%d.%s", i, problem)
		}
		for id := range results {
			if !open[id] {
				return "", 0, fmt.Sprintf("messages.%d: `tool_result` block(s) provided when previous message does not contain any `tool_use` blocks", i)
			}
		}
		for id := range open {
			if !results[id] {
				return "", 0, fmt.Sprintf("messages.%d: `tool_use` ids were found without `tool_result` blocks immediately after: %s", i-1, id)
			}
		}
		if m.Role == "user" {
			if user = text; len(results) > 0 {
				rounds++
			} else {
				rounds = 0
			}
		}
		open = uses
	}
	if len(open) > 0 {
		return "", 0, "messages: `tool_use` ids were found without `tool_result` blocks immediately after"
	}
	if q.points > 4 {
		return "", 0, fmt.Sprintf("A maximum of 4 blocks with cache_control may be provided. Found %d.", q.points)
	}
	return user, rounds, q.checkOptions()
}

func (q *anthropicRequest) checkOptions() string {
	for i, t := range q.Tools {
		if !toolName(t.Name) {
			return fmt.Sprintf("tools.%d.name: String should match pattern '^[a-zA-Z0-9_-]{1,64}$'", i)
		}
		if len(t.InputSchema) == 0 {
			return fmt.Sprintf("tools.%d.input_schema: Field required", i)
		}
		if msg := badSchema(t.InputSchema, true); msg != "" {
			return fmt.Sprintf("tools.%d.input_schema: %s", i, msg)
		}
	}
	if c := q.ToolChoice; c != nil {
		switch c.Type {
		case "auto", "any", "none", "tool":
		default:
			return "tool_choice: Input tag '" + c.Type + "' found using 'type' does not match any of the expected tags: 'auto', 'any', 'tool', 'none'"
		}
		if len(q.Tools) == 0 {
			return "tool_choice: tool_choice may only be specified while providing tools"
		}
	}
	if t := q.Thinking; t != nil && (t.Type == "enabled" || t.Type == "adaptive") {
		if t.Type == "enabled" && (t.BudgetTokens < 1024 || t.BudgetTokens >= *q.MaxTokens) {
			return "thinking.budget_tokens: must be at least 1024 and less than max_tokens"
		}
		if q.Temperature != nil && *q.Temperature != 1 {
			return "`temperature` may only be set to 1 when thinking is enabled"
		}
		if c := q.ToolChoice; c != nil && (c.Type == "any" || c.Type == "tool") {
			return "Thinking may not be enabled when tool_choice forces tool use."
		}
	}
	if o := q.OutputConfig; o != nil && o.Format != nil {
		if msg := badSchema(o.Format.Schema, true); msg != "" {
			return "output_config.format.schema: " + msg
		}
	}
	return ""
}

// blocks reads a content: a string is one text block.
func (q *anthropicRequest) blocks(raw json.RawMessage) ([]anthropicBlock, string) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return []anthropicBlock{{Type: "text", Text: text}}, ""
	}
	var blocks []anthropicBlock
	if json.Unmarshal(raw, &blocks) != nil {
		return nil, "content: Input should be a valid list"
	}
	for i, b := range blocks {
		if b.CacheControl != nil {
			if b.CacheControl.Type != "ephemeral" {
				return nil, fmt.Sprintf("content.%d.cache_control.type: must be ephemeral", i)
			}
			q.points++
		}
		if b.Type == "text" && strings.TrimSpace(b.Text) == "" {
			return nil, fmt.Sprintf("content.%d: text content blocks must contain non-whitespace text", i)
		}
	}
	return blocks, ""
}

var anthropicID = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)

// turn reads the blocks of one message.
func turn(role string, blocks []anthropicBlock) (uses, results map[string]bool, text, problem string) {
	uses, results = map[string]bool{}, map[string]bool{}
	var texts []string
	if len(blocks) == 0 {
		return nil, nil, "", "content: at least one block is required"
	}
	for i, b := range blocks {
		at := fmt.Sprintf("content.%d.", i)
		switch b.Type {
		case "text":
			texts = append(texts, b.Text)
		case "tool_use":
			if role != "assistant" || !anthropicID.MatchString(b.ID) || !toolName(b.Name) || len(b.Input) == 0 || b.Input[0] != '{' {
				return nil, nil, "", at + "tool_use: invalid block"
			}
			uses[b.ID] = true
		case "tool_result":
			if role != "user" || len(texts) > 0 {
				return nil, nil, "", at + "tool_result: must come first in a user message"
			}
			results[b.ToolUseID] = true
			var s string
			if json.Unmarshal(b.Content, &s) != nil {
				var in []anthropicBlock
				_ = json.Unmarshal(b.Content, &in) // an empty content is allowed
				for _, c := range in {
					s += c.Text
				}
			}
			defer func() { text = strings.TrimSpace(s + " " + text) }()
		case "thinking":
			if role != "assistant" || b.Signature == "" {
				return nil, nil, "", at + "thinking.signature: Field required"
			}
		case "redacted_thinking":
			if role != "assistant" || b.Data == "" {
				return nil, nil, "", at + "redacted_thinking.data: Field required"
			}
		case "image":
			if b.Source.Type != "base64" || !strings.HasPrefix(b.Source.MediaType, "image/") || b.Source.Data == "" {
				return nil, nil, "", at + "image.source: invalid"
			}
			texts = append(texts, "[image]")
		case "document":
			if b.Source.Type != "base64" || b.Source.MediaType != "application/pdf" || b.Source.Data == "" {
				return nil, nil, "", at + "document.source: invalid"
			}
			texts = append(texts, "[pdf]")
		default:
			return nil, nil, "", at + "type: Input tag '" + b.Type + "' does not match any of the expected tags"
		}
	}
	return uses, results, strings.Join(texts, " "), ""
}
