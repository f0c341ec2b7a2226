package chat

import (
	"context"
	"fmt"
	"io"
	"mime"
	"strings"
	"unicode/utf8"

	"jarvis/core"
	"jarvis/core/llm"
)

// attachments turns the request's files into parts: images and PDFs stay blobs, text is put in as text under its name.
// What the model cannot take is core.Unsupported.
func (t *turn) attachments(ctx context.Context, as []core.Attachment) ([]llm.Part, error) {
	if len(as) == 0 {
		return nil, nil
	}
	parts := make([]llm.Part, 0, len(as))
	left := t.set.Prompt
	for _, a := range as {
		media, _, err := mime.ParseMediaType(a.MediaType)
		if err != nil {
			media = strings.ToLower(strings.TrimSpace(a.MediaType))
		}
		switch {
		case llm.IsImage(media):
			if known(t.info) && !t.info.Images && !t.info.MaybeImages {
				return nil, t.cannot(a, "images")
			}
		case media == llm.MediaPDF:
			if known(t.info) && !t.info.PDF && !t.info.MaybePDF {
				return nil, t.cannot(a, "PDF files")
			}
		default:
			text, err := t.textFile(ctx, a, media, left)
			if err != nil {
				return nil, err
			}
			left -= len(text)
			parts = append(parts, llm.Part{Type: llm.PartText, Text: "File " + a.Name + ":\n\n" + text})
			continue
		}
		parts = append(parts, llm.Part{Type: llm.PartBlob, Name: a.Name, Blob: a.Digest, MediaType: media})
	}
	return parts, nil
}

func (t *turn) cannot(a core.Attachment, what string) error {
	return core.E(core.Unsupported, fmt.Sprintf("%s does not take %s, so %s was not sent", t.model.Ref(), what, a.Name),
		"jarvis model list", nil)
}

// textFile reads a file that must be text.
func (t *turn) textFile(ctx context.Context, a core.Attachment, media string, limit int) (string, error) {
	if a.Size > int64(limit) {
		return "", core.E(core.TooLarge, fmt.Sprintf("%s has %d bytes of text, the limit is %d", a.Name, a.Size, limit),
			"jarvis config get limits.prompt", nil)
	}
	if t.s.d.Blobs == nil {
		return "", core.E(core.Unsupported, "attachments are not supported here", "", nil)
	}
	rc, err := t.s.d.Blobs.Get(ctx, a.Digest)
	if err != nil {
		return "", fmt.Errorf("read attachment: %w", err)
	}
	defer func() { _ = rc.Close() }()
	b, err := io.ReadAll(io.LimitReader(rc, int64(limit)+1))
	if err != nil {
		return "", fmt.Errorf("read attachment: %w", err)
	}
	if len(b) > limit {
		return "", core.E(core.TooLarge, fmt.Sprintf("%s is larger than %d bytes", a.Name, limit), "", nil)
	}
	if !utf8.Valid(b) || strings.IndexByte(string(b), 0) >= 0 {
		return "", t.cannot(a, "files of type "+media)
	}
	return string(b), nil
}
