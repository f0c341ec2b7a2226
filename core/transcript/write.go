package transcript

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"

	"jarvis/core"
)

// JSON writes a conversation whole, in the form that Read takes. A file that is cut off is none: it lacks its end.
func JSON(w io.Writer, s Source) error {
	j := &jsonFile{w: bufio.NewWriterSize(w, 64<<10), h: sha256.New(), s: s, have: map[core.Digest]bool{}}
	if err := j.write(); err != nil {
		return fmt.Errorf("write session: %w", err)
	}
	return nil
}

type jsonFile struct {
	w     *bufio.Writer
	h     hash.Hash
	s     Source
	tail  tail
	have  map[core.Digest]bool // attachments written
	buf   bytes.Buffer
	after bool // an entry was written
}

func (j *jsonFile) write() error {
	sess, err := j.encode(fromSession(j.s.Session))
	if err != nil {
		return err
	}
	j.sum(sess)
	fmt.Fprintf(j.w, "{\"format\":%q,\"version\":%d,\"attachments\":%v,\"session\":%s,\n\"entries\":[", Format, Version, j.s.Blob != nil, sess)
	for e, err := range j.s.Entries {
		if err != nil {
			return err
		}
		if err := j.entry(e); err != nil {
			return err
		}
	}
	j.tail.SHA256 = core.Digest(hex.EncodeToString(j.h.Sum(nil)))
	end, err := j.encode(j.tail)
	if err != nil {
		return err
	}
	fmt.Fprintf(j.w, "\n],\"end\":%s}\n", end)
	return j.w.Flush()
}

func (j *jsonFile) entry(e Entry) error {
	switch {
	case e.Chain != nil:
		j.tail.Chains++
		c := fromChain(*e.Chain, uint64(j.tail.Chains))
		return j.item(item{Chain: &c})
	case e.Summary != nil:
		j.tail.Summaries++
		s := fromSummary(*e.Summary)
		return j.item(item{Summary: &s})
	case e.Archive != nil:
		j.tail.Archives++
		return j.item(item{Archive: &archive{Title: e.Archive.Title, Ranges: e.Archive.Ranges, Created: e.Archive.Created}})
	case e.Message != nil:
		if j.s.Blob != nil {
			for _, a := range e.Message.Attachments {
				if err := j.attachment(a); err != nil {
					return err
				}
			}
		}
		j.tail.Messages++
		m := fromMessage(*e.Message)
		return j.item(item{Message: &m})
	}
	return nil
}

func (j *jsonFile) attachment(a core.Attachment) error {
	if j.have[a.Digest] {
		return nil
	}
	j.have[a.Digest] = true
	j.tail.Attachments++
	size, err := verify(j.s.Blob, a.Digest)
	if lost(err) {
		return j.item(item{Attachment: &attachment{Digest: a.Digest, Size: a.Size, Missing: true}})
	}
	if err != nil {
		return err
	}
	if err := j.item(item{Attachment: &attachment{Digest: a.Digest, Size: size}}); err != nil {
		return err
	}
	r, err := j.s.Blob(a.Digest)
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }() // only read
	part := make([]byte, chunk)
	for {
		n, err := io.ReadFull(r, part)
		if n > 0 {
			if err := j.data(part[:n]); err != nil {
				return err
			}
		}
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// data writes a part of an attachment, without a second copy of it.
func (j *jsonFile) data(p []byte) error {
	j.buf.Reset()
	j.buf.WriteString(`{"data":"`)
	enc := base64.NewEncoder(base64.StdEncoding, &j.buf)
	_, _ = enc.Write(p) // into memory
	_ = enc.Close()
	j.buf.WriteString(`"}`)
	return j.line(j.buf.Bytes())
}

func (j *jsonFile) item(it item) error {
	b, err := j.encode(it)
	if err != nil {
		return err
	}
	return j.line(b)
}

// encode gives compact JSON, valid until the next call.
func (j *jsonFile) encode(v any) ([]byte, error) {
	j.buf.Reset()
	enc := json.NewEncoder(&j.buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(j.buf.Bytes(), []byte("\n")), nil
}

func (j *jsonFile) line(b []byte) error {
	j.sum(b)
	if j.after {
		_ = j.w.WriteByte(',') // bufio remembers its error
	}
	j.after = true
	_ = j.w.WriteByte('\n')
	_, err := j.w.Write(b)
	return err
}

func (j *jsonFile) sum(b []byte) {
	_, _ = j.h.Write(b) // never fails
	_, _ = j.h.Write([]byte{'\n'})
}

// verify reads a blob once, so that a damaged one is known before the first byte of it is written anywhere.
func verify(open func(core.Digest) (io.ReadCloser, error), d core.Digest) (int64, error) {
	r, err := open(d)
	if err != nil {
		return 0, err
	}
	n, err := io.Copy(io.Discard, r)
	return n, errors.Join(err, r.Close())
}

// lost reports whether a blob cannot be had any more: a conversation outlives its attachments.
func lost(err error) bool {
	code := core.CodeOf(err)
	return code == core.NotFound || code == core.StoreDamaged
}
