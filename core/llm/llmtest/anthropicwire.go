package llmtest

import "fmt"

type anthropicWire struct {
	model string
	usage Usage
	n     int    // index of the next block
	open  bool   // a text block is open
	head1 []byte // of a text delta
}

func newAnthropicWire(model string, u Usage) *anthropicWire {
	return &anthropicWire{model: model, usage: u}
}

func (a *anthropicWire) mediaType() string { return "text/event-stream; charset=utf-8" }

func (a *anthropicWire) head() []byte {
	u := anthropicUsage(a.usage)
	u["output_tokens"] = 1
	msg := map[string]any{"id": "msg_1", "type": "message", "role": "assistant", "model": a.model, "content": []any{}, "stop_reason": nil, "usage": u}
	return append(sse("message_start", map[string]any{"type": "message_start", "message": msg}), sse("ping", map[string]any{"type": "ping"})...)
}

func (a *anthropicWire) start(block map[string]any) []byte {
	return sse("content_block_start", map[string]any{"type": "content_block_start", "index": a.n, "content_block": block})
}

func (a *anthropicWire) delta(d map[string]any) []byte {
	return sse("content_block_delta", map[string]any{"type": "content_block_delta", "index": a.n, "delta": d})
}

func (a *anthropicWire) stop() []byte {
	b := sse("content_block_stop", map[string]any{"type": "content_block_stop", "index": a.n})
	a.n++
	a.open = false
	return b
}

func (a *anthropicWire) reasoning(text, signature string) []byte {
	out := a.start(map[string]any{"type": "thinking", "thinking": "", "signature": ""})
	out = append(out, a.delta(map[string]any{"type": "thinking_delta", "thinking": text})...)
	out = append(out, a.delta(map[string]any{"type": "signature_delta", "signature": or(signature, "sig")})...)
	return append(out, a.stop()...)
}

func (a *anthropicWire) text(piece string) []byte {
	var out []byte
	if !a.open {
		out = a.start(map[string]any{"type": "text", "text": ""})
		a.open = true
		a.head1 = fmt.Appendf(nil, "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":%d,\"delta\":{\"type\":\"text_delta\",\"text\":", a.n)
	}
	return append(out, pre(a.head1, piece, []byte("}}\n\n"))...)
}

func (a *anthropicWire) call(i int, c Call) []byte {
	var out []byte
	if a.open {
		out = a.stop()
	}
	out = append(out, a.start(map[string]any{"type": "tool_use", "id": fmt.Sprintf("toolu_%d", i), "name": c.Name, "input": map[string]any{}})...)
	for _, piece := range []string{"", c.Args[:len(c.Args)/2], c.Args[len(c.Args)/2:]} {
		out = append(out, a.delta(map[string]any{"type": "input_json_delta", "partial_json": piece})...)
	}
	return append(out, a.stop()...)
}

func (a *anthropicWire) end(sc Script) []byte {
	var out []byte
	if a.open {
		out = a.stop()
	}
	out = append(out, sse("message_delta", map[string]any{
		"type": "message_delta", "delta": map[string]any{"stop_reason": anthropicFinish(sc), "stop_sequence": nil},
		"usage": map[string]any{"output_tokens": sc.Usage.Out},
	})...)
	return append(out, sse("message_stop", map[string]any{"type": "message_stop"})...)
}

func (a *anthropicWire) bad() []byte {
	return []byte("event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\n\n")
}

func anthropicFinish(sc Script) string {
	switch {
	case sc.Finish == "max_tokens":
		return "max_tokens"
	case sc.Finish == "refusal":
		return "refusal"
	case len(sc.Calls) > 0:
		return "tool_use"
	}
	return "end_turn"
}

func anthropicUsage(u Usage) map[string]any {
	return map[string]any{
		"input_tokens": u.In, "output_tokens": u.Out,
		"cache_read_input_tokens": u.CacheRead, "cache_creation_input_tokens": u.CacheWrite,
	}
}
