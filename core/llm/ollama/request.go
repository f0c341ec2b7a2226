package ollama

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"jarvis/core"
	"jarvis/core/llm"
)

// chat is the body of /api/chat.
type chat struct {
	Model    string          `json:"model"`
	Messages []message       `json:"messages"`
	Tools    []tool          `json:"tools,omitempty"`
	Format   json.RawMessage `json:"format,omitempty"`
	Think    any             `json:"think,omitempty"`
	Truncate bool            `json:"truncate"` // false: an overlong prompt is refused instead of cut silently
	Shift    bool            `json:"shift"`    // false: an overlong answer ends instead of forgetting its beginning
	Stream   bool            `json:"stream"`
	Options  options         `json:"options"`
}

type options struct {
	NumCtx      int      `json:"num_ctx"`
	NumPredict  int      `json:"num_predict,omitempty"`
	Temperature *float64 `json:"temperature,omitempty"`
}

type message struct {
	Role      string   `json:"role"`
	Content   string   `json:"content"`
	Thinking  string   `json:"thinking,omitempty"`
	Images    []string `json:"images,omitempty"` // base64
	ToolName  string   `json:"tool_name,omitempty"`
	ToolCalls []call   `json:"tool_calls,omitempty"`
}

type call struct {
	Function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
}

type tool struct {
	Type     string   `json:"type"`
	Function function `json:"function"`
}

type function struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

// body turns a request into Ollama's.
func (m *model) body(ctx context.Context, r llm.Request, info llm.Info) (chat, error) {
	c := chat{Model: m.id, Stream: true, Options: options{NumPredict: r.MaxTokens, Temperature: r.Temperature}}
	if info.Tools && r.Choice != "none" {
		for _, t := range r.Tools {
			if !json.Valid(t.Schema) {
				return c, m.source().Error(llm.KindBadRequest, "the schema of tool "+t.Name+" is not a JSON object", nil)
			}
			c.Tools = append(c.Tools, tool{Type: "function", Function: function{t.Name, t.Description, t.Schema}})
		}
	}
	if len(r.Schema) > 0 {
		if !json.Valid(r.Schema) {
			return c, m.source().Error(llm.KindBadRequest, "the schema is not valid JSON", nil)
		}
		if len(c.Tools) > 0 {
			// The grammar of a format leaves no room for a tool call.
			r.System = append(r.System[:len(r.System):len(r.System)], llm.Block{Text: llm.SchemaInstruction(r.Schema)})
		} else {
			c.Format = r.Schema
		}
	}
	if info.Reasoning {
		c.Think = r.Thinks()
		if r.MaxTokens > 0 {
			r.MaxTokens += r.ThinkingBudget() // it counts thoughts as part of the answer
			c.Options.NumPredict = r.MaxTokens
		}
		if r.Thinks() && strings.HasPrefix(m.id, "gpt-oss") { // the one family that takes levels
			c.Think = r.Thinking
		}
	}
	if err := m.messages(ctx, &c, r); err != nil {
		return c, err
	}
	var e *llm.Error
	if c.Options.NumCtx, e = m.window(&c, r, info); e != nil {
		return c, e
	}
	return c, nil
}

func (m *model) messages(ctx context.Context, c *chat, r llm.Request) error {
	var system []string
	for _, b := range r.System {
		if strings.TrimSpace(b.Text) != "" {
			system = append(system, b.Text)
		}
	}
	if len(system) > 0 {
		c.Messages = append(c.Messages, message{Role: core.RoleSystem, Content: strings.Join(system, "\n\n")})
	}
	for _, msg := range r.Messages {
		out := message{Role: msg.Role}
		var text []string
		for _, p := range msg.Parts {
			switch p.Type {
			case llm.PartText:
				if p.Text != "" {
					text = append(text, p.Text)
				}
			case llm.PartToolUse:
				var k call
				k.Function.Name, k.Function.Arguments = p.Name, p.Args
				if len(p.Args) == 0 {
					k.Function.Arguments = json.RawMessage("{}")
				}
				out.ToolCalls = append(out.ToolCalls, k)
			case llm.PartToolResult:
				c.Messages = append(c.Messages, message{Role: "tool", Content: p.Text, ToolName: p.Name})
			case llm.PartBlob:
				img, err := m.image(ctx, p)
				if err != nil {
					return err
				}
				out.Images = append(out.Images, img)
			}
		}
		out.Content = strings.Join(text, "\n\n")
		if out.Content != "" || len(out.ToolCalls) > 0 || len(out.Images) > 0 {
			c.Messages = append(c.Messages, out)
		}
	}
	return nil
}

func (m *model) image(ctx context.Context, p llm.Part) (string, error) {
	if !llm.IsImage(p.MediaType) {
		return "", m.source().Error(llm.KindBadRequest, fmt.Sprintf("%s (%s) cannot be sent to a model of Ollama", p.Name, p.MediaType), nil)
	}
	b, err := llm.ReadBlob(ctx, m.p.o.Blobs, p, m.p.o.Limits.Blob)
	if err != nil {
		return "", err
	}
	return base64.StdEncoding.EncodeToString(b), nil
}

// What a prompt is counted at: a token has three bytes of English or less, and rarely more than five.
const (
	safeBytes  = 3
	leastBytes = 5
	perMessage = 8    // tokens of a turn's frame
	perImage   = 1024 // tokens
	leastCtx   = 4096
	answerRoom = 2048 // when the answer has no limit of its own
)

// window is the num_ctx of a request: what it needs, rounded up to a power of two, since every change makes Ollama load the
// model anew, and bounded by the model's own.
func (m *model) window(c *chat, r llm.Request, info llm.Info) (int, *llm.Error) {
	size, extra := 0, 0
	for _, msg := range c.Messages {
		size += len(msg.Content) + len(msg.Thinking)
		extra += perMessage + perImage*len(msg.Images)
		for _, k := range msg.ToolCalls {
			size += len(k.Function.Name) + len(k.Function.Arguments)
		}
	}
	for _, t := range c.Tools {
		size += len(t.Function.Name) + len(t.Function.Description) + len(t.Function.Parameters)
	}
	most := info.Window
	if conf, _ := m.p.book.Info(m.id); conf.Window > 0 && conf.Window < most {
		most = conf.Window
	}
	if least := size/leastBytes + extra; least > most {
		return 0, m.source().Error(llm.KindTooLong, fmt.Sprintf("the prompt has about %d tokens, the model takes %d", least, most), nil)
	}
	room := r.MaxTokens
	if room <= 0 {
		room = answerRoom
	}
	need, ctx := size/safeBytes+extra+room, leastCtx
	for ctx < need && ctx < most {
		ctx *= 2
	}
	return min(ctx, most), nil
}
