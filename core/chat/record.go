package chat

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"jarvis/core/llm"
)

// recorder writes a request as replay needs it: whole, but what occurred before only as its digest.
type recorder struct {
	seen map[string]bool
}

// manifest is one request in the journal. Each element of System, Tools and Messages is either the thing itself or
// {"sha256": …} of its JSON, which stands in an earlier manifest or, for History messages, is built from the store's
// messages before this chain.
type manifest struct {
	N       int               `json:"n"`
	Model   string            `json:"model"`
	Now     time.Time         `json:"now"`
	System  []json.RawMessage `json:"system"`
	Tools   json.RawMessage   `json:"tools,omitempty"`
	Msgs    []json.RawMessage `json:"messages"`
	Rest    llm.Request       `json:"request"` // without the three above
	History int               `json:"history,omitempty"`
}

type digest struct {
	SHA256 string `json:"sha256"`
}

// manifest makes the record of a request. history is how many leading messages come from earlier chains.
func (r *recorder) manifest(n int, ref string, now time.Time, req llm.Request, history int) manifest {
	m := manifest{N: n, Model: ref, Now: now, History: history}
	for _, b := range req.System {
		m.System = append(m.System, r.once(b, false))
	}
	if len(req.Tools) > 0 {
		m.Tools = r.once(req.Tools, false)
	}
	for i, msg := range req.Messages {
		m.Msgs = append(m.Msgs, r.once(msg, i < history))
	}
	m.Rest = req
	m.Rest.System, m.Rest.Tools, m.Rest.Messages = nil, nil, nil
	return m
}

// once gives v's JSON the first time and its digest after that.
func (r *recorder) once(v any, known bool) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil { // a request is plain data
		return json.RawMessage(`null`)
	}
	sum := sha256.Sum256(b)
	key := hex.EncodeToString(sum[:])
	if !known && !r.seen[key] {
		r.seen[key] = true
		return b
	}
	d, err := json.Marshal(digest{key})
	if err != nil {
		return json.RawMessage(`null`)
	}
	return d
}
