package core

import "time"

// ArchiveID is a UUIDv7 in lower case.
type ArchiveID string

// Archive is a set of chains taken out of a session's prompt and view, still readable and searchable. The session stays where
// it is.
type Archive struct {
	ID      ArchiveID `json:"id"`
	Session SessionID `json:"session"`
	Title   string    `json:"title"`  // the first line of its first message
	Spans   []Span    `json:"spans"`  // in order, not overlapping each other's or another archive's
	Chains  int       `json:"chains"` // how many it has
	Created time.Time `json:"created"`
}

// Span is a range of chain positions, both ends in it.
type Span struct {
	From uint64 `json:"from"`
	To   uint64 `json:"to"`
}

// ArchivePick says which of a session's chains to archive: those from its start on that are older than Before, or all but the
// last Keep. With neither it is everything.
type ArchivePick struct {
	Before time.Time // zero = whatever their age
	Keep   int       // 0 = none
}

// View says which chains a listing of messages or chains has.
type View string

// ViewLive leaves out what is archived and is the default; ViewAll has everything, in order.
const (
	ViewLive View = ""
	ViewAll  View = "all"
)
