package llm

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"jarvis/core"
)

// ReadBlob reads the bytes of a part's blob, at most limit of them.
func ReadBlob(ctx context.Context, blobs Blobs, p Part, limit int) ([]byte, error) {
	name := p.Name
	if name == "" {
		name = "attachment " + string(p.Blob)
	}
	if blobs == nil {
		return nil, core.E(core.Internal, name+" cannot be read", "", nil)
	}
	rc, err := blobs.Get(ctx, p.Blob)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	defer rc.Close() //nolint:errcheck // read only
	b, err := io.ReadAll(io.LimitReader(rc, int64(limit)+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if len(b) > limit {
		return nil, core.E(core.TooLarge, fmt.Sprintf("%s is larger than %d MiB", name, limit>>20), "", nil)
	}
	return b, nil
}

// MediaPDF is the media type of a PDF file.
const MediaPDF = "application/pdf"

// IsImage reports whether models that take images take this media type.
func IsImage(mediaType string) bool {
	switch mediaType {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return true
	}
	return false
}

// WireIDs maps our call ids to those a provider has seen: its own where it made the call, else one made from ours, because
// providers allow few characters and lengths.
type WireIDs struct {
	provider string
	seen     map[core.CallID]string
}

// NewWireIDs starts an empty map for one request to a provider.
func NewWireIDs(provider string) WireIDs {
	return WireIDs{provider: provider, seen: map[core.CallID]string{}}
}

// CallData is what Opaque.Data of a tool_use holds.
type CallData struct {
	ID    string          `json:"id,omitempty"`    // the provider's own
	Extra json.RawMessage `json:"extra,omitempty"` // what else must go back with the call (Gemini's thought signature)
}

// Use gives the wire id of a tool_use, and what else the provider wants back with it.
func (w WireIDs) Use(p Part) (id string, extra json.RawMessage) {
	id = madeID(p.Call)
	if p.Opaque != nil && p.Opaque.Provider == w.provider {
		var d CallData
		if json.Unmarshal(p.Opaque.Data, &d) == nil {
			extra = d.Extra
			if d.ID != "" {
				id = d.ID
			}
		}
	}
	w.seen[p.Call] = id
	return id, extra
}

// Result gives the wire id of the call that a tool_result answers.
func (w WireIDs) Result(p Part) string {
	if id, ok := w.seen[p.Call]; ok {
		return id
	}
	return madeID(p.Call)
}

func madeID(c core.CallID) string {
	sum := sha256.Sum256([]byte(c))
	return "call_" + hex.EncodeToString(sum[:12])
}

// Calls collects tool calls whose arguments come in pieces.
type Calls struct {
	limit int
	size  int
	list  []*call
	byKey map[int]*call
}

type call struct {
	id, name string
	args     bytes.Buffer
	extra    json.RawMessage
}

// NewCalls makes an empty collection; limit is in bytes of one call's arguments.
func NewCalls(limit int) *Calls { return &Calls{limit: limit, byKey: map[int]*call{}} }

// The bounds of one answer's calls.
const (
	maxCalls    = 128
	maxCallName = 4096 // bytes of a call's name, and of its id
)

// Add adds a piece of the call with this key. Empty values add nothing.
func (c *Calls) Add(s Source, key int, id, name, args string) error {
	k, ok := c.byKey[key]
	if ok && id != "" && k.id != "" && id != k.id {
		ok = false // a server that numbers all its calls 0
	}
	if !ok {
		if len(c.list) == maxCalls {
			return s.Error(KindMalformed, fmt.Sprintf("more than %d tool calls in one answer", maxCalls), nil)
		}
		k = &call{}
		c.byKey[key] = k
		c.list = append(c.list, k)
		c.size++
	}
	if len(id) > maxCallName || len(k.name)+len(name) > maxCallName && k.name != name {
		return s.Error(KindMalformed, fmt.Sprintf("the name or the id of a tool call is over %d KiB", maxCallName>>10), nil)
	}
	if id != "" {
		k.id = id
	}
	if name != "" && k.name != name {
		k.name += name
		c.size += len(name)
	}
	if k.args.Len()+len(args) > c.limit {
		return s.Error(KindMalformed, fmt.Sprintf("the arguments of tool %s are over %d KiB", k.name, c.limit>>10), nil)
	}
	k.args.WriteString(args)
	c.size += len(args)
	return nil
}

// Extra keeps what must go back with the call.
func (c *Calls) Extra(key int, data json.RawMessage) {
	if k, ok := c.byKey[key]; ok && len(data) > 0 {
		k.extra = append(json.RawMessage(nil), data...)
	}
}

// Size grows with each piece that adds something.
func (c *Calls) Size() int { return c.size }

// Len is how many calls there are.
func (c *Calls) Len() int { return len(c.list) }

// Done gives the calls as parts, in order. Arguments that are not one JSON object are an error: guessing what a model meant
// to do is worse than asking again.
func (c *Calls) Done(s Source) ([]*Part, error) {
	out := make([]*Part, 0, len(c.list))
	for i, k := range c.list {
		args := bytes.TrimSpace(k.args.Bytes())
		if len(args) == 0 || bytes.Equal(args, []byte("null")) {
			args = []byte("{}")
		}
		switch {
		case strings.TrimSpace(k.name) == "":
			return nil, s.Error(KindMalformed, "a tool call without a name", nil)
		case !json.Valid(args) || args[0] != '{':
			return nil, s.Error(KindMalformed, "the arguments of tool "+k.name+" are not valid JSON", nil)
		}
		id := k.id
		if id == "" {
			id = fmt.Sprintf("call_%d", i)
		}
		data, err := json.Marshal(CallData{ID: k.id, Extra: k.extra})
		if err != nil {
			return nil, s.Error(KindMalformed, "a tool call that cannot be kept", err)
		}
		out = append(out, &Part{
			Type: PartToolUse, Call: core.CallID(id), Name: k.name, Args: args,
			Opaque: &core.Opaque{Provider: s.Provider, Data: data},
		})
	}
	return out, nil
}

// SchemaInstruction asks for a JSON answer in words, for models without structured output.
func SchemaInstruction(schema json.RawMessage) string {
	return "Answer with exactly one JSON value that is valid under this JSON schema, and with nothing else: no code fence, no explanation.\n" + string(schema)
}
