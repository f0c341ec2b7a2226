package session

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"unicode/utf8"

	"jarvis/core"
	"jarvis/core/transcript"
)

// Blobs keeps the content of attachments.
type Blobs interface {
	Put(ctx context.Context, r io.Reader) (core.Digest, int64, error)
	Get(ctx context.Context, d core.Digest) (io.ReadCloser, error)
}

// The formats of an export.
const (
	Markdown = "md"
	JSON     = "json"
	HTML     = "html"
)

// Exporting says how a session is written to a file.
type Exporting struct {
	Format        string // "" = Markdown
	NoAttachments bool   // leave the content of attachments out
	Lang          string // of what stands around the messages: "de", else English
}

// CheckFormat refuses a format that there is not.
func (e Exporting) CheckFormat() error {
	switch e.Format {
	case "", Markdown, JSON, HTML:
		return nil
	}
	return core.E(core.BadRequest, "an export has the format md, json or html", "jarvis session export --help", nil)
}

// Export writes the ended chains of a session as they come. An error after the first byte means that the file is none.
func (s *Service) Export(ctx context.Context, user core.UserID, id core.SessionID, e Exporting, w io.Writer) error {
	if err := e.CheckFormat(); err != nil {
		return err
	}
	sess, err := s.Get(ctx, user, id)
	if err != nil {
		return err
	}
	end, err := s.last(ctx, id)
	if err != nil {
		return err
	}
	view := core.ViewLive // people read what they have left in view; a file that is read back has everything
	if e.Format == JSON {
		view = core.ViewAll
	}
	src := transcript.Source{Session: sess, Lang: e.Lang, Entries: s.walk(ctx, id, end, view)}
	if !e.NoAttachments {
		src.Blob = func(d core.Digest) (io.ReadCloser, error) { return s.d.Blobs.Get(ctx, d) }
	}
	switch e.Format {
	case JSON:
		return transcript.JSON(w, src)
	case HTML:
		if s.d.Math != nil {
			src.Math = s.d.Math()
		}
		return transcript.HTML(w, src)
	}
	return transcript.Markdown(w, src)
}

// Imported is a session that was read from a file.
type Imported struct {
	Session core.Session
	transcript.Report
}

// Import reads an exported session and makes a new one of it, whole or not at all; all ids are new.
func (s *Service) Import(ctx context.Context, user core.UserID, r io.Reader, limits transcript.Limits) (Imported, error) {
	var out Imported
	var err error
	out.Session, err = s.write(ctx, core.Session{User: user}, func(w *writer) (core.Session, error) {
		sess, report, err := transcript.Read(r, limits, &importer{writer: w, types: map[core.Digest]string{}})
		out.Report = report
		sess.Modified = s.d.Now()
		return sess, err
	})
	if err != nil {
		return Imported{}, err
	}
	return out, nil
}

// importer is a writer that also takes attachments and looks at what they are.
type importer struct {
	*writer
	types map[core.Digest]string
}

// Blob stores the content of an attachment.
func (i *importer) Blob(r io.Reader) (core.Digest, int64, error) {
	look := &looker{r: r, text: true}
	d, n, err := i.s.d.Blobs.Put(i.ctx, look)
	if err == nil {
		i.types[d] = look.mediaType()
	}
	return d, n, err
}

// Message takes a message whose attachments are what it says.
func (i *importer) Message(m core.Message) error {
	for _, a := range m.Attachments {
		if i.types[a.Digest] != a.MediaType {
			return core.E(core.BadRequest, "an attachment in the file is not what its message says", "jarvis session export --help", nil)
		}
	}
	return i.writer.Message(m)
}

// looker looks at content as it goes by, to tell what it is.
type looker struct {
	r    io.Reader
	head []byte
	rest []byte // of a character whose end has not come
	text bool   // it is text so far
}

func (l *looker) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	if room := 1024 - len(l.head); room > 0 {
		l.head = append(l.head, p[:min(n, room)]...)
	}
	if l.text {
		l.look(p[:n], errors.Is(err, io.EOF))
	}
	return n, err
}

// look goes on checking that the content is UTF-8 without NUL.
func (l *looker) look(p []byte, last bool) {
	b := append(l.rest, p...)
	end := len(b)
	if !last { // the last character may go on
		for back := 1; back < utf8.UTFMax && back <= len(b); back++ {
			if at := len(b) - back; utf8.RuneStart(b[at]) {
				if !utf8.FullRune(b[at:]) {
					end = at
				}
				break
			}
		}
	}
	l.text = utf8.Valid(b[:end]) && bytes.IndexByte(b[:end], 0) < 0
	l.rest = append([]byte(nil), b[end:]...)
}

// mediaType names content of a kind that models take, "" otherwise.
func (l *looker) mediaType() string {
	t, _, _ := strings.Cut(http.DetectContentType(l.head), ";")
	isText := l.text && len(l.rest) == 0
	switch {
	case strings.HasPrefix(t, "image/"), t == "application/pdf":
		return t
	case bytes.Contains(l.head, []byte("%PDF-")) && !isText:
		return "application/pdf"
	case isText && len(l.head) > 0:
		return "text/plain"
	}
	return ""
}
