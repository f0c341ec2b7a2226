package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"strings"
	"unicode/utf8"

	"jarvis/core"
	"jarvis/daemon/api"
)

// kinds are the contents that models take, by the endings that promise them. Everything else must be text.
var kinds = map[string]string{
	".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp", ".pdf": "application/pdf",
}

var kindNames = map[string]string{
	"image/png": "a PNG image", "image/jpeg": "a JPEG image", "image/gif": "a GIF image", "image/webp": "a WebP image",
	"application/pdf": "a PDF", textType: "text",
}

const textType = "text/plain"

// attachments checks a request's files and stores them, before the request itself names them. Those of a private request
// touch no disk.
func (s *Server) attachments(ctx context.Context, in []api.Attachment, private bool, limits Limits) ([]core.Attachment, error) {
	if len(in) > api.MaxAttachments {
		return nil, core.E(core.TooLarge, fmt.Sprintf("a request takes at most %d attachments", api.MaxAttachments), "", nil)
	}
	types := make([]string, len(in))
	for i := range in { // all are looked at before one is stored
		a := &in[i]
		a.Name = fileName(a.Name)
		if a.Blob != "" {
			data, err := s.blob(ctx, *a, limits.Attachment)
			if err != nil {
				return nil, err
			}
			a.Data = data
		}
		if int64(len(a.Data)) > limits.Attachment {
			return nil, tooLarge("the attachment "+a.Name, limits.Attachment)
		}
		var err error
		if types[i], err = mediaType(a.Name, a.MediaType, a.Data); err != nil {
			return nil, err
		}
	}
	put := s.c.Blobs.Put
	if private {
		put = s.c.Blobs.PutPrivate
	}
	var out []core.Attachment
	for i, a := range in {
		d, n, err := put(ctx, bytes.NewReader(a.Data))
		if err != nil {
			return nil, err
		}
		out = append(out, core.Attachment{Name: a.Name, MediaType: types[i], Size: n, Digest: d})
		in[i].Data = nil
	}
	return out, nil
}

// blob reads an attachment that is stored already. With one user, every blob is theirs.
func (s *Server) blob(ctx context.Context, a api.Attachment, limit int64) ([]byte, error) {
	unknown := core.E(core.NotFound, "there is no blob for "+a.Name, "", nil)
	if len(a.Data) > 0 {
		return nil, core.E(core.BadRequest, "give data or blob of "+a.Name+", not both", "", nil)
	}
	if d := string(a.Blob); len(d) != 64 || strings.Trim(d, "0123456789abcdef") != "" {
		return nil, unknown
	}
	r, err := s.c.Blobs.Get(ctx, a.Blob)
	if err != nil {
		if core.CodeOf(err) == core.NotFound {
			return nil, unknown
		}
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	return data, errors.Join(err, r.Close())
}

// fileName keeps a name's last part, without what could disturb a terminal or a prompt.
func fileName(name string) string {
	name = clip(path.Base(strings.ReplaceAll(strings.ToValidUTF8(name, ""), `\`, "/")))
	if name == "" || name == "." || name == "/" {
		return "attachment"
	}
	return name
}

// mediaType finds what a file is by its content and refuses one that is not what its name or its sender says.
func mediaType(name, said string, data []byte) (string, error) {
	if len(data) == 0 {
		return "", core.E(core.BadRequest, "the attachment "+name+" is empty", "", nil)
	}
	is := detect(data)
	said, _, _ = strings.Cut(strings.ToLower(said), ";")
	promised := kinds[strings.ToLower(path.Ext(name))]
	if promised == "" && kindNames[said] != "" && said != textType {
		promised = said
	}
	if promised == "" && strings.HasPrefix(said, "text/") {
		promised = textType
	}
	if promised != "" && is != promised {
		what := "not " + kindNames[promised]
		if kindNames[is] != "" {
			what += " but " + kindNames[is]
		}
		return "", core.E(core.BadRequest, "the attachment "+name+" is "+what, "", nil)
	}
	if is == "" {
		return "", core.E(core.BadRequest, "the attachment "+name+" is neither text nor a PNG, JPEG, GIF or WebP image nor a PDF", "", nil)
	}
	return is, nil
}

// detect names the content when it is of a kind that models take, "" otherwise.
func detect(data []byte) string {
	t, _, _ := strings.Cut(http.DetectContentType(data), ";")
	if kindNames[t] != "" && t != textType {
		return t
	}
	if head := data[:min(len(data), 1024)]; bytes.Contains(head, []byte("%PDF-")) && !utf8.Valid(data) {
		return "application/pdf" // some writers put a few bytes before the mark
	}
	if utf8.Valid(data) && bytes.IndexByte(data, 0) < 0 {
		return textType
	}
	return ""
}
