package openai

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/shared"

	"jarvis/core"
	"jarvis/core/llm"
)

// params turns a request into the SDK's. inWords puts a schema into the system prompt instead of response_format.
func (m *model) params(ctx context.Context, r llm.Request, inWords bool) (openai.ChatCompletionNewParams, error) {
	out := openai.ChatCompletionNewParams{
		Model:         m.id,
		StreamOptions: openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)},
	}
	info := m.Info()
	if n := int64(maxTokens(r, info)); n > 0 {
		if m.p.o.Type == llm.TypeOpenAI {
			out.MaxCompletionTokens = openai.Int(n)
		} else {
			out.MaxTokens = openai.Int(n)
		}
	}
	// OpenAI's reasoning models refuse a temperature.
	if r.Temperature != nil && (m.p.o.Type != llm.TypeOpenAI || !info.Reasoning) {
		out.Temperature = openai.Float(*r.Temperature)
	}
	if r.Thinks() && info.Reasoning {
		if m.p.o.Type == llm.TypeOpenRouter {
			out.SetExtraFields(map[string]any{"reasoning": map[string]any{"effort": r.Thinking}})
		} else {
			out.ReasoningEffort = shared.ReasoningEffort(r.Thinking)
		}
	}
	if err := m.schema(&out, &r, inWords); err != nil {
		return out, err
	}
	if err := m.tools(&out, r); err != nil {
		return out, err
	}
	var err error
	out.Messages, err = m.messages(ctx, r)
	return out, err
}

// maxTokens is the limit that goes out. These services count thoughts as part of the answer, and their reasoning models think
// also when nobody asks for it: without room for that the answer would be empty.
func maxTokens(r llm.Request, info llm.Info) int {
	if r.MaxTokens <= 0 {
		return 0
	}
	n := r.MaxTokens
	if info.Reasoning {
		if r.Thinking == "" {
			r.Thinking = "medium" // the services' own default
		}
		n += r.ThinkingBudget()
	}
	if info.MaxOutput > 0 {
		n = min(n, info.MaxOutput)
	}
	return n
}

func (m *model) schema(out *openai.ChatCompletionNewParams, r *llm.Request, inWords bool) error {
	if len(r.Schema) == 0 {
		return nil
	}
	var schema any
	if err := json.Unmarshal(r.Schema, &schema); err != nil {
		return m.source().Error(llm.KindBadRequest, "the schema is not valid JSON", err)
	}
	fit := llm.FitSchema(r.Schema)
	native := fit.Object && !inWords // the services take only an object at the root
	if native {
		out.ResponseFormat.OfJSONSchema = &shared.ResponseFormatJSONSchemaParam{
			JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{Name: "answer", Schema: schema, Strict: openai.Bool(fit.Strict)},
		}
	}
	if !native || !fit.Strict || m.p.o.Type != llm.TypeOpenAI {
		// A service that ignores response_format, or takes it as a hint, still reads the words.
		sys := append([]llm.Block(nil), r.System...)
		r.System = append(sys, llm.Block{Text: llm.SchemaInstruction(r.Schema)})
	}
	return nil
}

func (m *model) tools(out *openai.ChatCompletionNewParams, r llm.Request) error {
	for _, t := range r.Tools {
		var schema shared.FunctionParameters
		if err := json.Unmarshal(t.Schema, &schema); err != nil {
			return m.source().Error(llm.KindBadRequest, "the schema of tool "+t.Name+" is not a JSON object", err)
		}
		out.Tools = append(out.Tools, openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{
			Name: t.Name, Description: openai.String(t.Description), Parameters: schema,
		}))
	}
	if len(r.Tools) == 0 {
		return nil
	}
	switch r.Choice {
	case "any":
		out.ToolChoice.OfAuto = openai.String("required")
	case "none":
		out.ToolChoice.OfAuto = openai.String("none")
	}
	return nil
}

func (m *model) messages(ctx context.Context, r llm.Request) ([]openai.ChatCompletionMessageParamUnion, error) {
	var out []openai.ChatCompletionMessageParamUnion
	var system []string
	for _, b := range r.System {
		if strings.TrimSpace(b.Text) != "" {
			system = append(system, b.Text)
		}
	}
	if len(system) > 0 {
		out = append(out, openai.SystemMessage(strings.Join(system, "\n\n")))
	}
	ids := llm.NewWireIDs(m.p.o.Name)
	for _, msg := range r.Messages {
		if msg.Role == core.RoleAssistant {
			if a, ok := assistant(msg, ids); ok {
				out = append(out, a)
			}
			continue
		}
		for _, p := range msg.Parts {
			if p.Type == llm.PartToolResult {
				out = append(out, openai.ToolMessage(p.Text, ids.Result(p)))
			}
		}
		u, ok, err := m.user(ctx, msg)
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, u)
		}
	}
	return out, nil
}

// assistant gives an assistant's turn; false when nothing of it is for this service.
func assistant(msg llm.Message, ids llm.WireIDs) (openai.ChatCompletionMessageParamUnion, bool) {
	var a openai.ChatCompletionAssistantMessageParam
	var text []string
	for _, p := range msg.Parts {
		switch p.Type {
		case llm.PartText:
			if p.Text != "" {
				text = append(text, p.Text)
			}
		case llm.PartToolUse:
			id, extra := ids.Use(p)
			call := &openai.ChatCompletionMessageFunctionToolCallParam{
				ID:       id,
				Function: openai.ChatCompletionMessageFunctionToolCallFunctionParam{Name: p.Name, Arguments: string(p.Args)},
			}
			if len(p.Args) == 0 {
				call.Function.Arguments = "{}"
			}
			if len(extra) > 0 {
				call.SetExtraFields(map[string]any{"extra_content": extra})
			}
			a.ToolCalls = append(a.ToolCalls, openai.ChatCompletionMessageToolCallUnionParam{OfFunction: call})
		}
	}
	if len(text) > 0 {
		a.Content.OfString = openai.String(strings.Join(text, "\n\n"))
	}
	return openai.ChatCompletionMessageParamUnion{OfAssistant: &a}, len(text) > 0 || len(a.ToolCalls) > 0
}

// user gives a user's turn without its tool results; false when nothing is left. Text alone is a plain string: many
// compatible servers take nothing else.
func (m *model) user(ctx context.Context, msg llm.Message) (openai.ChatCompletionMessageParamUnion, bool, error) {
	var parts []openai.ChatCompletionContentPartUnionParam
	var text []string
	blobs := false
	for _, p := range msg.Parts {
		switch p.Type {
		case llm.PartText:
			if p.Text != "" {
				text = append(text, p.Text)
				parts = append(parts, openai.TextContentPart(p.Text))
			}
		case llm.PartBlob:
			part, err := m.blob(ctx, p)
			if err != nil {
				return openai.ChatCompletionMessageParamUnion{}, false, err
			}
			blobs = true
			parts = append(parts, part)
		}
	}
	if blobs {
		return openai.UserMessage(parts), true, nil
	}
	return openai.UserMessage(strings.Join(text, "\n\n")), len(text) > 0, nil
}

func (m *model) blob(ctx context.Context, p llm.Part) (openai.ChatCompletionContentPartUnionParam, error) {
	var none openai.ChatCompletionContentPartUnionParam
	if !llm.IsImage(p.MediaType) && p.MediaType != llm.MediaPDF {
		return none, m.source().Error(llm.KindBadRequest, fmt.Sprintf("%s (%s) cannot be sent to a model", p.Name, p.MediaType), nil)
	}
	b, err := llm.ReadBlob(ctx, m.p.o.Blobs, p, m.p.o.Limits.Blob)
	if err != nil {
		return none, err
	}
	data := "data:" + p.MediaType + ";base64," + base64.StdEncoding.EncodeToString(b)
	if p.MediaType == llm.MediaPDF {
		name := p.Name
		if name == "" {
			name = "document.pdf"
		}
		return openai.FileContentPart(openai.ChatCompletionContentPartFileFileParam{
			FileData: openai.String(data), Filename: openai.String(name),
		}), nil
	}
	return openai.ImageContentPart(openai.ChatCompletionContentPartImageImageURLParam{URL: data}), nil
}
