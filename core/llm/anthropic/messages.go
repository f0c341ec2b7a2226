package anthropic

import (
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"github.com/anthropics/anthropic-sdk-go/v2"

	"jarvis/core/llm"
)

// messagePoints is how many cache points the messages may have beside the one after tools and system.
const messagePoints = 3

// messages turns the conversation into alternating turns that begin with the user's, without empty texts.
func (m *model) messages(ctx context.Context, r llm.Request) ([]anthropic.MessageParam, error) {
	var out []anthropic.MessageParam
	ids := llm.NewWireIDs(m.p.o.Name)
	points := r.CacheAfter
	if n := len(points); n > messagePoints {
		points = points[n-messagePoints:] // the newest: an older prefix is found by its own point of an earlier turn
	}
	for i, msg := range r.Messages {
		blocks, err := m.blocks(ctx, msg, ids)
		if err != nil {
			return nil, err
		}
		if len(blocks) == 0 || len(out) == 0 && !isUser(msg) {
			continue
		}
		if slices.Contains(points, i) {
			mark(blocks)
		}
		last := len(out) - 1
		switch {
		case isUser(msg) && last >= 0 && out[last].OfUser != nil:
			out[last].OfUser.Content = append(out[last].OfUser.Content, blocks...)
		case isUser(msg):
			out = append(out, anthropic.NewUserMessage(blocks...))
		case out[last].OfAssistant != nil:
			out[last].OfAssistant.Content = append(out[last].OfAssistant.Content, blocks...)
		default:
			out = append(out, anthropic.NewAssistantMessage(blocks...))
		}
	}
	return out, nil
}

// blocks gives one message's content: in a user's, tool results first, as the API wants them.
func (m *model) blocks(ctx context.Context, msg llm.Message, ids llm.WireIDs) ([]anthropic.ContentBlockParamUnion, error) {
	var results, out []anthropic.ContentBlockParamUnion
	for _, p := range msg.Parts {
		switch p.Type {
		case llm.PartText:
			if strings.TrimSpace(p.Text) != "" {
				out = append(out, anthropic.NewTextBlock(p.Text))
			}
		case llm.PartReasoning:
			if b, ok := m.thought(p); ok && !isUser(msg) {
				out = append(out, b)
			}
		case llm.PartToolUse:
			id, _ := ids.Use(p)
			out = append(out, anthropic.NewToolUseBlock(id, input(p), p.Name))
		case llm.PartToolResult:
			results = append(results, result(ids.Result(p), p))
		case llm.PartBlob:
			b, err := m.blob(ctx, p)
			if err != nil {
				return nil, err
			}
			out = append(out, b)
		}
	}
	return append(results, out...), nil
}

// result makes a tool result; an empty one has no content, since an empty text is refused.
func result(id string, p llm.Part) anthropic.ContentBlockParamUnion {
	b := anthropic.NewToolResultBlock(id, p.Text, p.IsError)
	if strings.TrimSpace(p.Text) == "" {
		b.OfToolResult.Content = nil
	}
	return b
}

func (m *model) blob(ctx context.Context, p llm.Part) (anthropic.ContentBlockParamUnion, error) {
	var none anthropic.ContentBlockParamUnion
	if !llm.IsImage(p.MediaType) && p.MediaType != llm.MediaPDF {
		return none, m.source().Error(llm.KindBadRequest, fmt.Sprintf("%s (%s) cannot be sent to a model", p.Name, p.MediaType), nil)
	}
	b, err := llm.ReadBlob(ctx, m.p.o.Blobs, p, m.p.o.Limits.Blob)
	if err != nil {
		return none, err
	}
	data := base64.StdEncoding.EncodeToString(b)
	if p.MediaType == llm.MediaPDF {
		doc := anthropic.NewDocumentBlock(anthropic.Base64PDFSourceParam{Data: data})
		if p.Name != "" {
			doc.OfDocument.Title = anthropic.String(p.Name)
		}
		return doc, nil
	}
	return anthropic.NewImageBlockBase64(p.MediaType, data), nil
}
