// Package index is the full-text index over messages: derived data beside the store, kept by a program of its own,
// jarvis-index, which the daemon starts when it is needed and ends when it is not. An index file that is cut or damaged under
// a running program faults its memory map, and no Go program survives that in every goroutine: so it is not the daemon that
// maps it. This package is the daemon's side and the words both speak; store/index/engine is the other side. It may not link
// the search library.
package index

import "jarvis/core"

// The operations of a request.
const (
	OpState  = "state"
	OpApply  = "apply"
	OpSearch = "search"
	OpMerge  = "merge"
	OpReset  = "reset"
)

// ManifestName is the file in the index's folder that is written last.
const ManifestName = "manifest.json"

// MaxLine is the longest request or answer, in bytes.
const MaxLine = 64 << 20

type (
	// State is core's, as all nouns of the index are: its user needs no store.
	State = core.IndexState
	// Doc is a message to index.
	Doc = core.IndexDoc
	// Batch is what changes at once.
	Batch = core.IndexBatch
	// Found is a message that was found.
	Found = core.IndexHit
)

// Request is one line to jarvis-index.
type Request struct {
	Op    string      `json:"op"`
	Batch *Batch      `json:"batch,omitempty"`
	Query *core.Query `json:"query,omitempty"`
}

// Answer is one line from it. State is always the present one. Stale refuses a batch that was made for another index.
type Answer struct {
	State State   `json:"state"`
	Stale bool    `json:"stale,omitempty"`
	Hits  []Found `json:"hits,omitempty"`
	Total uint64  `json:"total,omitempty"`
	Error string  `json:"error,omitempty"` // the request was refused; the index is as it was
}
