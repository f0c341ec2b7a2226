package transcript

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"unicode/utf8"

	"jarvis/core"
)

// Sink takes what Read finds, in the order of the file.
type Sink interface {
	Chain(c core.Chain) error
	// Summary comes behind the chains, whose ids of the file it has.
	Summary(s core.Summary) error
	// Archive comes last; its ranges have the chains' ids of the file.
	Archive(a core.CopiedArchive) error
	// Message has the chain's id of the file, and only attachments whose content Blob has taken.
	Message(m core.Message) error
	// Blob reads the content of an attachment and says what it was. It reads to the end.
	Blob(r io.Reader) (core.Digest, int64, error)
}

// Limits bound what Read takes. The size of the whole is its reader's to bound.
type Limits struct {
	Attachment int64 // bytes
}

// Report says what a file held, and which attachments came without their content.
type Report struct {
	Chains, Messages, Summaries, Archives, Attachments, Missing int
}

// Read reads a file that JSON wrote and gives it to a sink as it comes. It takes nothing on trust: an error says which entry
// is wrong, and then nothing that the sink has taken may be kept. The ids are the file's own.
func Read(r io.Reader, l Limits, to Sink) (core.Session, Report, error) {
	m := &meter{r: r}
	f := &file{m: m, d: json.NewDecoder(m), h: sha256.New(), l: l, to: to, chains: map[core.ChainID]int{}, have: map[core.Digest]int64{}}
	s, err := f.read()
	if err != nil {
		return core.Session{}, Report{}, f.explain(err)
	}
	return s.core(), f.report, nil
}

type file struct {
	m      *meter
	d      *json.Decoder
	h      hash.Hash
	l      Limits
	to     Sink
	head   head
	n      int // entries read
	report Report

	chains map[core.ChainID]int  // their places
	upTo   int                   // the place up to which there is a summary
	taken  [][2]int              // the places of what is archived
	have   map[core.Digest]int64 // attachments read, with their size; -1 = announced as missing
	cur    *chain                // whose messages come
	next   uint32                // the least number of the next one
	calls  map[core.CallID]bool  // of cur: false = without a result

	raw, line bytes.Buffer
}

// errFormat is in the chain of every error that says what is wrong with a file.
var errFormat = errors.New("not an exported session")

func (f *file) read() (session, error) {
	if err := f.readHead(); err != nil {
		return session{}, err
	}
	if err := f.open('[', "entries"); err != nil {
		return session{}, err
	}
	for f.d.More() {
		it, err := f.item()
		if err != nil {
			return session{}, err
		}
		if err := f.entry(it); err != nil {
			return session{}, err
		}
	}
	if err := f.token(json.Delim(']')); err != nil {
		return session{}, err
	}
	if err := f.readTail(); err != nil {
		return session{}, err
	}
	return f.head.Session, nil
}

// readHead reads what stands in front of the entries, in its order: with entries first nothing could be told as it comes.
func (f *file) readHead() error {
	if err := f.token(json.Delim('{')); err != nil {
		return err
	}
	if err := f.field("format", &f.head.Format); err != nil {
		return err
	}
	if f.head.Format != Format {
		return bad("the file is no exported session")
	}
	if err := f.field("version", &f.head.Version); err != nil {
		return err
	}
	if f.head.Version > Version {
		return core.E(core.Unsupported, fmt.Sprintf("the file was written by a newer jarvis (version %d of the format, this one knows %d)",
			f.head.Version, Version), "jarvis version", nil)
	}
	if f.head.Version < 1 {
		return bad("the file has no version")
	}
	if err := f.field("attachments", &f.head.Attachments); err != nil {
		return err
	}
	if err := f.field("session", &f.head.Session); err != nil {
		return err
	}
	return f.checkSession(f.head.Session)
}

func (f *file) readTail() error {
	f.n = 0
	sum := core.Digest(hex.EncodeToString(f.h.Sum(nil)))
	var end tail
	if err := f.field("end", &end); err != nil {
		return err
	}
	if err := f.token(json.Delim('}')); err != nil {
		return err
	}
	if end.SHA256 != sum || end.Chains != f.report.Chains || end.Messages != f.report.Messages || end.Summaries != f.report.Summaries ||
		end.Archives != f.report.Archives || end.Attachments != len(f.have) {
		return bad("the file was changed or damaged after it was written: its digest does not match")
	}
	f.m.open()
	if _, err := f.d.Token(); !errors.Is(err, io.EOF) {
		if err != nil && !isSyntax(err) {
			return err
		}
		return bad("the file goes on after its end")
	}
	return nil
}

// field reads the next name and value of the outermost object.
func (f *file) field(name string, v any) error {
	if err := f.token(name); err != nil {
		return err
	}
	raw, err := f.value()
	if err != nil {
		return err
	}
	if name == "session" {
		f.sum(raw)
	}
	return f.strict(raw, v)
}

func (f *file) open(d json.Delim, name string) error {
	if err := f.token(name); err != nil {
		return err
	}
	return f.token(d)
}

func (f *file) token(want json.Token) error {
	f.m.open()
	got, err := f.d.Token()
	if err != nil {
		return err
	}
	if got != want {
		return bad(fmt.Sprintf("the file is no exported session: %v is missing", want))
	}
	return nil
}

// value reads one value as compact JSON, valid until the next one.
func (f *file) value() ([]byte, error) {
	f.m.open()
	var raw json.RawMessage
	if err := f.d.Decode(&raw); err != nil {
		return nil, err
	}
	if !utf8.Valid(raw) {
		return nil, f.wrong("is not UTF-8")
	}
	if deep(raw) {
		return nil, f.wrong("is nested too deeply")
	}
	f.line.Reset()
	if err := json.Compact(&f.line, raw); err != nil {
		return nil, err
	}
	return f.line.Bytes(), nil
}

func (f *file) item() (item, error) {
	f.n++
	raw, err := f.value()
	if err != nil {
		return item{}, err
	}
	f.sum(raw)
	var it item
	return it, f.strict(raw, &it)
}

func (f *file) strict(raw []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return f.wrong("is not what it should be")
	}
	return nil
}

func (f *file) sum(b []byte) {
	_, _ = f.h.Write(b) // never fails
	_, _ = f.h.Write([]byte{'\n'})
}

// deep reports whether JSON, which is valid, nests more than anything of ours.
func deep(b []byte) bool {
	depth, quoted := 0, false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case quoted:
			switch c {
			case '\\':
				i++
			case '"':
				quoted = false
			}
		case c == '"':
			quoted = true
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}

func bad(why string) *core.Error {
	return core.E(core.BadRequest, why, "jarvis session export SESSION -o talk.json   # makes a file that can be read", errFormat)
}

// wrong says what is wrong with the current entry, or with the head when there is none.
func (f *file) wrong(why string) *core.Error {
	if f.n == 0 {
		return bad("the head of the file " + why)
	}
	return bad(fmt.Sprintf("entry %d of the file %s", f.n, why))
}

func isSyntax(err error) bool {
	var s *json.SyntaxError
	return errors.As(err, &s)
}

// explain gives what the decoder says a sentence; what the reader or the sink say stands.
func (f *file) explain(err error) error {
	var ce *core.Error
	switch {
	case errors.As(err, &ce):
		return err
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return core.E(core.BadRequest, "the file is cut off", "jarvis session export SESSION -o talk.json   # makes a file that can be read", errors.Join(errFormat, err))
	case errors.Is(err, errEntry):
		e := f.wrong(fmt.Sprintf("is larger than %d MiB", maxEntry>>20))
		e.Code, e.Err = core.TooLarge, err
		return e
	case isSyntax(err):
		e := f.wrong("is no JSON")
		e.Err = errors.Join(errFormat, err)
		return e
	}
	return fmt.Errorf("read session: %w", err)
}

// meter bounds how much is read for one entry, before a decoder can hold all of it.
type meter struct {
	r    io.Reader
	left int64
}

var errEntry = errors.New("entry too large")

// open allows for one more value.
func (m *meter) open() { m.left = maxEntry }

func (m *meter) Read(p []byte) (int, error) {
	if m.left <= 0 {
		return 0, errEntry
	}
	n, err := m.r.Read(p[:min(int64(len(p)), m.left)])
	m.left -= int64(n)
	return n, err
}
