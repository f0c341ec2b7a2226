package cli

import (
	"bytes"
	"unicode/utf8"

	"jarvis/core"
)

// text refuses what no model can read.
func (a *App) text(b []byte) (string, error) {
	if i := bytes.IndexByte(b, 0); i >= 0 {
		return "", core.E(core.BadRequest, a.tf("the input has a NUL byte at offset %d, so it is not text", i), "jarvis ask -f FILE …", nil)
	}
	if !utf8.Valid(b) {
		i := 0
		for i < len(b) {
			r, n := utf8.DecodeRune(b[i:])
			if r == utf8.RuneError && n == 1 {
				break
			}
			i += n
		}
		return "", core.E(core.BadRequest, a.tf("the input is not UTF-8 at offset %d", i), "iconv -t UTF-8 …", nil)
	}
	return string(b), nil
}

// binary recognises the images and PDFs that may come through a pipe.
func binary(b []byte) bool {
	for _, magic := range []string{"\x89PNG\r\n\x1a\n", "\xff\xd8\xff", "GIF87a", "GIF89a", "%PDF-"} {
		if bytes.HasPrefix(b, []byte(magic)) {
			return true
		}
	}
	return len(b) > 12 && bytes.HasPrefix(b, []byte("RIFF")) && bytes.Equal(b[8:12], []byte("WEBP"))
}
