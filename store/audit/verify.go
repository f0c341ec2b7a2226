package audit

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// maxFindings is how many places a report names.
const maxFindings = 100

// Finding is something that verify saw, and where.
type Finding struct {
	File string `json:"file"`
	Line int    `json:"line"` // 0 = the file as a whole
	Seq  uint64 `json:"seq,omitempty"`
	Kind string `json:"kind"` // one of the words below
	From uint64 `json:"from,omitempty"`
	To   uint64 `json:"to,omitempty"` // of missing and cut: numbers of lines
	What string `json:"what"`         // for people
}

// The kinds of findings.
const (
	KindTorn       = "torn"       // the line has no end
	KindChanged    = "changed"    // the line does not fit its own hash
	KindGarbage    = "garbage"    // it is no line
	KindOther      = "other"      // the line before is not the one that stood there
	KindMissing    = "missing"    // lines From to To are missing before it
	KindTwice      = "twice"      // the line is there twice
	KindOrder      = "order"      // it stands behind a later one
	KindGone       = "gone"       // when it was written, lines before it were gone
	KindMended     = "mended"     // a crash or a restored backup was mended
	KindNoAnchor   = "no_anchor"  // nobody can say whether lines are missing behind it
	KindCut        = "cut"        // lines From to To are cut off behind it
	KindLast       = "last"       // the last line is another
	KindUnreadable = "unreadable" // the file cannot be read to its end
)

// Report is what is known of a log.
type Report struct {
	Files    int       `json:"files"`
	Lines    uint64    `json:"lines"`
	First    uint64    `json:"first"` // number of the first line, 0 = none
	Last     uint64    `json:"last"`
	Hash     string    `json:"hash"` // of the last line: who keeps it elsewhere can tell later that nothing before it was forged
	Time     time.Time `json:"time,omitzero"`
	Problems []Finding `json:"problems"`
	Notes    []Finding `json:"notes"` // what a crash left and was mended
}

// Verify reads every line of every file and holds it against the one before, and the last one against the anchor.
func Verify(ctx context.Context, path string) (Report, error) {
	s, err := look(ctx, path)
	if err != nil {
		return Report{}, err
	}
	defer s.close()
	v := &verifier{
		anchor: s.anchor, anchored: s.anchored, prev: noHash, file: path,
		Report: Report{Problems: []Finding{}, Notes: []Finding{}},
	}
	for name, r := range s.files() {
		v.Files++
		if name == path && s.f == nil {
			v.Files--
		}
		if _, err := fileLines(ctx, name, r, func(l Line, _ error) bool { v.line(l); return true }); err != nil {
			if ctx.Err() != nil {
				return Report{}, ctx.Err()
			}
			v.problem(Line{File: name}, KindUnreadable, "it cannot be read to its end: "+err.Error())
		}
	}
	v.end()
	return v.Report, nil
}

type verifier struct {
	Report

	anchor   anchor
	anchored bool
	met      bool   // the anchor's line was passed
	prev     string // hash of the line before
	file     string
	n        int
}

func (v *verifier) problem(l Line, kind, what string, lines ...uint64) {
	if len(v.Problems) < maxFindings {
		f := Finding{File: l.File, Line: l.N, Seq: l.Audit.Seq, Kind: kind, What: what}
		if len(lines) == 2 {
			f.From, f.To = lines[0], lines[1]
		}
		v.Problems = append(v.Problems, f)
	}
}

func (v *verifier) note(l Line, kind, what string) {
	if len(v.Notes) < maxFindings {
		v.Notes = append(v.Notes, Finding{File: l.File, Line: l.N, Seq: l.Audit.Seq, Kind: kind, What: what})
	}
}

func (v *verifier) line(l Line) {
	v.file, v.n = l.File, l.N
	v.Lines++
	switch {
	case l.Torn:
		v.Lines--
		v.problem(l, KindTorn, fmt.Sprintf("the line is cut off after %d bytes; the next action that is written down mends it", len(l.Raw)))
		return
	case errors.Is(l.Err, ErrHash):
		v.problem(l, KindChanged, "the line was changed after it was written")
	case l.Err != nil:
		v.problem(l, KindGarbage, "this is no line of the audit file")
		return
	}
	a := l.Audit
	next := v.Last + 1
	switch {
	case a.Seq == next && a.Prev != v.prev:
		v.problem(l, KindOther, fmt.Sprintf("line %d is not the one that stood before it", v.Last))
	case a.Seq == next:
	case a.Seq > next:
		v.problem(l, KindMissing, missing(next, a.Seq-1), next, a.Seq-1)
	case a.Seq == v.Last:
		v.problem(l, KindTwice, fmt.Sprintf("line %d is there twice", a.Seq))
	default:
		v.problem(l, KindOrder, fmt.Sprintf("line %d stands behind line %d: the order was changed", a.Seq, v.Last))
	}
	if v.First == 0 {
		v.First = a.Seq
	}
	if v.anchored && a.Seq == v.anchor.seq && a.Hash == v.anchor.hash {
		v.met = true
	}
	switch a.Action {
	case Repaired:
		v.note(l, KindMended, "a crash or a restored backup was mended here")
	case Gap:
		v.problem(l, KindGone, "lines were gone when this one was written")
	}
	v.Last, v.prev, v.Hash, v.Time = a.Seq, a.Hash, a.Hash, a.Time
}

func missing(from, to uint64) string {
	if from == to {
		return fmt.Sprintf("line %d is missing before it", from)
	}
	return fmt.Sprintf("lines %d to %d are missing before it", from, to)
}

// end holds the last line against the anchor.
func (v *verifier) end() {
	at := Line{File: v.file, N: v.n}
	switch {
	case v.met || !v.anchored && v.Last == 0:
	case !v.anchored:
		v.problem(at, KindNoAnchor, "there is no anchor of the last line, so that lines may be missing behind it")
	case v.anchor.seq > v.Last:
		v.problem(at, KindCut, fmt.Sprintf("lines %d to %d are cut off behind it", v.Last+1, v.anchor.seq), v.Last+1, v.anchor.seq)
	case v.anchor.seq == v.Last:
		v.problem(at, KindLast, "the last line is another than the one that was written")
	default:
		v.problem(at, KindLast, "the last line is another than the one that was written")
	}
}
