package chat

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"jarvis/core/llm"
)

// bigPart is the size from which a message stands in a manifest as its digest only: it is in the store anyway.
const bigPart = 256 << 10

// recorder writes a request as replay needs it: whole, but what occurred before only as its digest.
type recorder struct {
	seen map[string]bool
	past *past
}

// manifest is one request in the journal. Each element of System, Tools and Messages is either the thing itself or
// {"sha256": …} of its JSON, which stands in an earlier manifest or is made of this chain's messages in the store. What
// comes from earlier chains is made of theirs, up to this chain's position, and must have the digest in Past.
type manifest struct {
	N      int               `json:"n"`
	Model  string            `json:"model"`
	Now    time.Time         `json:"now"`
	System []json.RawMessage `json:"system"`
	Tools  json.RawMessage   `json:"tools,omitempty"`
	Past   *past             `json:"past,omitempty"`
	Msgs   []json.RawMessage `json:"messages"` // behind Past
	Rest   llm.Request       `json:"request"`  // without the above
}

type past struct {
	Messages int    `json:"messages"`
	SHA256   string `json:"sha256"`
}

type digest struct {
	SHA256 string `json:"sha256"`
}

// manifest makes the record of a request. history is how many leading messages come from earlier chains.
func (r *recorder) manifest(n int, ref string, now time.Time, req llm.Request, history int) manifest {
	m := manifest{N: n, Model: ref, Now: now, Past: r.history(req.Messages[:history])}
	for _, b := range req.System {
		m.System = append(m.System, r.once(b))
	}
	if len(req.Tools) > 0 {
		m.Tools = r.once(req.Tools)
	}
	for _, msg := range req.Messages[history:] {
		m.Msgs = append(m.Msgs, r.once(msg))
	}
	m.Rest = req
	m.Rest.System, m.Rest.Tools, m.Rest.Messages = nil, nil, nil
	return m
}

// history digests what comes from earlier chains. It only ever gets shorter while a chain runs, so its length names it.
func (r *recorder) history(ms []llm.Message) *past {
	if len(ms) == 0 {
		return nil
	}
	if r.past == nil || r.past.Messages != len(ms) {
		h := sha256.New()
		enc := json.NewEncoder(h)
		for _, m := range ms {
			if err := enc.Encode(m); err != nil { // a request is plain data
				return nil
			}
		}
		r.past = &past{Messages: len(ms), SHA256: hex.EncodeToString(h.Sum(nil))}
	}
	return r.past
}

// once gives v's JSON the first time and its digest after that.
func (r *recorder) once(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil { // a request is plain data
		return json.RawMessage(`null`)
	}
	sum := sha256.Sum256(b)
	key := hex.EncodeToString(sum[:])
	if !r.seen[key] && len(b) < bigPart {
		r.seen[key] = true
		return b
	}
	d, err := json.Marshal(digest{key})
	if err != nil {
		return json.RawMessage(`null`)
	}
	return d
}
