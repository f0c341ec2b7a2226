package anthropic

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/anthropics/anthropic-sdk-go/v2"

	"jarvis/core"
	"jarvis/core/llm"
)

// answerTool is the tool whose input is the answer, for models without structured output.
const answerTool = "answer"

// defaultMaxTokens is for models of which nothing is known; the API wants a number.
const defaultMaxTokens = 8192

// params turns a request into the SDK's. forced: the answer comes as the input of answerTool.
func (m *model) params(ctx context.Context, r llm.Request) (out anthropic.MessageNewParams, forced bool, err error) {
	info := m.Info()
	out = anthropic.MessageNewParams{Model: m.id, MaxTokens: int64(maxTokens(info, r.MaxTokens))}
	if err := m.tools(&out, r); err != nil {
		return out, false, err
	}
	if forced, err = m.schema(&out, &r); err != nil {
		return out, false, err
	}
	if !forced && r.Thinks() && info.Reasoning && r.Choice != "any" && thoughtful(r, m.p.o.Name) {
		m.think(&out, r, info)
	} else if r.Temperature != nil && sampled(m.id) {
		// The SDK has no field for it any more, but the older models take it.
		out.SetExtraFields(map[string]any{"temperature": min(1, *r.Temperature)})
	}
	for _, b := range r.System {
		if strings.TrimSpace(b.Text) != "" {
			out.System = append(out.System, anthropic.TextBlockParam{Text: b.Text})
		}
	}
	if out.Messages, err = m.messages(ctx, r); err != nil {
		return out, false, err
	}
	// One point after tools and system; they come first whatever the messages are.
	if n := len(out.System); n > 0 {
		out.System[n-1].CacheControl = anthropic.NewCacheControlEphemeralParam()
	} else if n := len(out.Tools); n > 0 {
		out.Tools[n-1].OfTool.CacheControl = anthropic.NewCacheControlEphemeralParam()
	}
	return out, forced, nil
}

func maxTokens(info llm.Info, asked int) int {
	switch {
	case asked > 0 && info.MaxOutput > 0:
		return min(asked, info.MaxOutput)
	case asked > 0:
		return asked
	case info.MaxOutput > 0:
		return info.MaxOutput
	}
	return defaultMaxTokens
}

// think asks for reasoning. Its tokens come on top of the answer's, within what the model can write.
func (m *model) think(out *anthropic.MessageNewParams, r llm.Request, info llm.Info) {
	budget := r.ThinkingBudget()
	out.MaxTokens += int64(budget)
	if info.MaxOutput > 0 {
		out.MaxTokens = min(out.MaxTokens, int64(info.MaxOutput))
	}
	if adaptive(m.id) {
		out.Thinking.OfAdaptive = &anthropic.ThinkingConfigAdaptiveParam{Display: "summarized"}
		out.OutputConfig.Effort = anthropic.OutputConfigEffort(r.Thinking)
		return
	}
	if int64(budget) >= out.MaxTokens {
		budget = int(out.MaxTokens) / 2
	}
	if budget >= 1024 { // the least the API takes
		out.Thinking.OfEnabled = &anthropic.ThinkingConfigEnabledParam{BudgetTokens: int64(budget)}
	}
}

// thoughtful reports whether thinking may be asked for: inside a tool loop the API wants the thoughts back that the loop began
// with, and another model's, or none, are none of its own.
func thoughtful(r llm.Request, provider string) bool {
	n := len(r.Messages)
	if n < 2 || !holds(r.Messages[n-1], llm.PartToolResult) {
		return true
	}
	parts := r.Messages[n-2].Parts
	return len(parts) > 0 && parts[0].Type == llm.PartReasoning && parts[0].Opaque != nil && parts[0].Opaque.Provider == provider
}

func holds(m llm.Message, typ string) bool {
	for _, p := range m.Parts {
		if p.Type == typ {
			return true
		}
	}
	return false
}

func (m *model) schema(out *anthropic.MessageNewParams, r *llm.Request) (forced bool, err error) {
	if len(r.Schema) == 0 {
		return false, nil
	}
	fit := llm.FitSchema(r.Schema)
	switch {
	case fit.Object && fit.Closed && structured(m.id):
		var schema map[string]any
		if err := json.Unmarshal(r.Schema, &schema); err != nil {
			return false, m.source().Error(llm.KindBadRequest, "the schema is not valid JSON", err)
		}
		out.OutputConfig.Format = anthropic.JSONOutputFormatParam{Schema: schema}
		return false, nil
	case fit.Object && len(r.Tools) == 0:
		t, err := m.tool(llm.Tool{Name: answerTool, Description: "Give the answer. Always use this tool.", Schema: r.Schema})
		if err != nil {
			return false, err
		}
		out.Tools = []anthropic.ToolUnionParam{t}
		out.ToolChoice.OfTool = &anthropic.ToolChoiceToolParam{Name: answerTool}
		return true, nil
	}
	if !json.Valid(r.Schema) {
		return false, m.source().Error(llm.KindBadRequest, "the schema is not valid JSON", nil)
	}
	r.System = append(r.System[:len(r.System):len(r.System)], llm.Block{Text: llm.SchemaInstruction(r.Schema)})
	return false, nil
}

func (m *model) tools(out *anthropic.MessageNewParams, r llm.Request) error {
	for _, t := range r.Tools {
		u, err := m.tool(t)
		if err != nil {
			return err
		}
		out.Tools = append(out.Tools, u)
	}
	if len(r.Tools) == 0 {
		return nil
	}
	switch r.Choice {
	case "any":
		out.ToolChoice.OfAny = &anthropic.ToolChoiceAnyParam{}
	case "none":
		none := anthropic.NewToolChoiceNoneParam()
		out.ToolChoice.OfNone = &none
	}
	return nil
}

// tool keeps the whole schema: what the SDK has no field for goes along as extra fields.
func (m *model) tool(t llm.Tool) (anthropic.ToolUnionParam, error) {
	var s map[string]any
	if err := json.Unmarshal(t.Schema, &s); err != nil || s == nil {
		return anthropic.ToolUnionParam{}, m.source().Error(llm.KindBadRequest, "the schema of tool "+t.Name+" is not a JSON object", err)
	}
	in := anthropic.ToolInputSchemaParam{Properties: s["properties"], ExtraFields: map[string]any{}}
	for k, v := range s {
		switch k {
		case "type", "properties":
		case "required":
			list, _ := v.([]any)
			for _, name := range list {
				if name, ok := name.(string); ok {
					in.Required = append(in.Required, name)
				}
			}
		default:
			in.ExtraFields[k] = v
		}
	}
	return anthropic.ToolUnionParam{OfTool: &anthropic.ToolParam{
		Name: t.Name, Description: anthropic.String(t.Description), InputSchema: in,
	}}, nil
}

// opaque is what Opaque.Data of a reasoning holds.
type opaque struct {
	Signature string `json:"signature,omitempty"`
	Redacted  string `json:"redacted,omitempty"` // thoughts that only the service can read
}

// thought gives a reasoning part back; false when it is not this service's.
func (m *model) thought(p llm.Part) (anthropic.ContentBlockParamUnion, bool) {
	var none anthropic.ContentBlockParamUnion
	if p.Opaque == nil || p.Opaque.Provider != m.p.o.Name {
		return none, false
	}
	var o opaque
	if json.Unmarshal(p.Opaque.Data, &o) != nil {
		return none, false
	}
	switch {
	case o.Redacted != "":
		return anthropic.NewRedactedThinkingBlock(o.Redacted), true
	case o.Signature != "":
		return anthropic.NewThinkingBlock(o.Signature, p.Text), true
	}
	return none, false
}

// input gives a call's arguments as the object that the API wants.
func input(p llm.Part) json.RawMessage {
	if len(p.Args) == 0 || !json.Valid(p.Args) || p.Args[0] != '{' {
		return json.RawMessage("{}")
	}
	return p.Args
}

func mark(blocks []anthropic.ContentBlockParamUnion) {
	for i := len(blocks) - 1; i >= 0; i-- {
		// Thoughts take no mark; what follows them does.
		if c := blocks[i].GetCacheControl(); c != nil {
			*c = anthropic.NewCacheControlEphemeralParam()
			return
		}
	}
}

// isUser reports the role that the API wants for a message.
func isUser(m llm.Message) bool { return m.Role != core.RoleAssistant }
