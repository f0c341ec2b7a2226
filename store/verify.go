package store

import (
	"archive/tar"
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"strconv"

	"jarvis/core"
)

// Verify reads a backup to its end and checks every byte. core.BadRequest names the place of the first one that is wrong.
func Verify(ctx context.Context, r io.Reader) (*Manifest, error) { return read(ctx, r, nil) }

// taker gets each file of a backup while it is read; its bytes are checked afterwards.
type taker func(e Entry, r io.Reader) error

func read(ctx context.Context, r io.Reader, take taker) (*Manifest, error) {
	v := &reader{r: bufio.NewReaderSize(ctxReader{ctx, r}, 256<<10), all: sha256.New(), take: take, seen: names{}}
	m, err := v.run()
	if err != nil {
		return nil, err
	}
	return m, nil
}

type reader struct {
	r    *bufio.Reader
	all  hash.Hash
	take taker
	seen names
	got  []Entry
}

// wrong is damage at a place.
func wrong(place, why string, err error) error {
	return core.E(core.BadRequest, "the backup is damaged in "+place+": "+why, "jarvis backup list", err)
}

// after names a header, whose own name is not to be trusted.
func (v *reader) after() string {
	if len(v.got) == 0 {
		return "the header of the first entry"
	}
	return "the header of the entry after " + quoted(v.got[len(v.got)-1].Name)
}

func quoted(name string) string { return strconv.Quote(core.Printable(name)) }

func (v *reader) run() (*Manifest, error) {
	for {
		h, err := v.header()
		if err != nil {
			return nil, err
		}
		if h.Name == ManifestName {
			m, err := v.manifest(h)
			if err != nil {
				return nil, err
			}
			return m, v.end()
		}
		if err := v.entry(h); err != nil {
			return nil, err
		}
	}
}

// fill reads exactly len(b) bytes of a place.
func (v *reader) fill(b []byte, place string) error {
	_, err := io.ReadFull(v.r, b)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return wrong(place, "the file ends there", err)
	}
	if err != nil {
		return fmt.Errorf("read backup: %w", err)
	}
	_, _ = v.all.Write(b) // never fails
	return nil
}

// header reads one header with the records before it, and holds it against the only form it may have.
func (v *reader) header() (*tar.Header, error) {
	place := v.after()
	raw := make([]byte, block)
	if err := v.fill(raw, place); err != nil {
		return nil, err
	}
	if !summed(raw) {
		return nil, wrong(place, "its checksum does not fit", nil)
	}
	if raw[156] == tar.TypeXHeader {
		size, err := strconv.ParseInt(string(bytes.Trim(raw[124:136], " \x00")), 8, 64)
		if err != nil || size < 0 || size > maxPax {
			return nil, wrong(place, "its records are too long", err)
		}
		rest := make([]byte, size+padding(size)+block)
		if err := v.fill(rest, place); err != nil {
			return nil, err
		}
		raw = append(raw, rest...)
	}
	h, err := tar.NewReader(bytes.NewReader(raw)).Next()
	if err != nil {
		return nil, wrong(place, "it cannot be read", err)
	}
	if h.Typeflag != tar.TypeReg {
		return nil, wrong(place, "it is no plain file, and links, folders and devices are none of a backup", nil)
	}
	want, err := header(h.Name, h.Size, h.FileInfo().Mode(), h.PAXRecords[sumRecord])
	if err != nil || !bytes.Equal(raw, want) {
		return nil, wrong(place, "it is not as this program writes it", err)
	}
	return h, nil
}

// summed reports whether a header's own checksum fits.
func summed(b []byte) bool {
	sum := 8 * int64(' ')
	for i, c := range b {
		if i < 148 || i >= 156 {
			sum += int64(c)
		}
	}
	return string(b[148:156]) == fmt.Sprintf("%06o\x00 ", sum)
}

func (v *reader) entry(h *tar.Header) error {
	if err := v.seen.add(h.Name); err != nil {
		return wrong(v.after(), err.Error(), nil)
	}
	if len(v.got) == maxEntries {
		return wrong(v.after(), "it has too many files", nil)
	}
	sum := sha256.New()
	body := &io.LimitedReader{R: io.TeeReader(v.r, io.MultiWriter(sum, v.all)), N: h.Size}
	e := Entry{Name: h.Name, Size: h.Size, Mode: h.FileInfo().Mode().Perm()}
	if v.take != nil {
		if err := v.take(e, body); err != nil {
			return err
		}
	}
	if _, err := io.Copy(io.Discard, body); err != nil {
		return fmt.Errorf("read backup: %w", err)
	}
	if body.N > 0 {
		return wrong(quoted(h.Name), "the file ends there", nil)
	}
	e.SHA256 = hex.EncodeToString(sum.Sum(nil))
	v.got = append(v.got, e)
	return v.zeros(padding(h.Size), "the padding after "+quoted(h.Name))
}

func (v *reader) zeros(n int64, place string) error {
	b := make([]byte, n)
	if err := v.fill(b, place); err != nil {
		return err
	}
	if bytes.ContainsFunc(b, func(r rune) bool { return r != 0 }) {
		return wrong(place, "it is not zero", nil)
	}
	return nil
}

func (v *reader) manifest(h *tar.Header) (*Manifest, error) {
	if h.Size > maxManifest {
		return nil, wrong("the manifest", "it is too long", nil)
	}
	var text bytes.Buffer // grows with what is there, not with what the header promises
	n, err := io.Copy(io.MultiWriter(&text, v.all), io.LimitReader(v.r, h.Size))
	if err != nil {
		return nil, fmt.Errorf("read backup: %w", err)
	}
	if n < h.Size {
		return nil, wrong("the manifest", "the file ends there", nil)
	}
	if sum := sha256.Sum256(text.Bytes()); hex.EncodeToString(sum[:]) != h.PAXRecords[sumRecord] {
		return nil, wrong("the manifest", "its checksum does not fit", nil)
	}
	if err := v.zeros(padding(h.Size), "the padding after the manifest"); err != nil {
		return nil, err
	}
	var m Manifest
	if err := json.Unmarshal(text.Bytes(), &m); err != nil {
		return nil, wrong("the manifest", "it is not JSON", err)
	}
	if m.Version > formatVersion {
		return nil, core.E(core.Unsupported, fmt.Sprintf("the backup was made by a newer jarvis (format %d, this one knows %d)", m.Version, formatVersion), "jarvis version", nil)
	}
	if len(m.Entries) != len(v.got) {
		return nil, wrong("the manifest", fmt.Sprintf("it names %d files, and there are %d", len(m.Entries), len(v.got)), nil)
	}
	for i, e := range m.Entries {
		switch g := v.got[i]; {
		case e.Name != g.Name || e.Size != g.Size || e.Mode != g.Mode:
			return nil, wrong("the manifest", "it names other files than there are, at "+quoted(g.Name), nil)
		case e.SHA256 != g.SHA256:
			return nil, wrong(quoted(e.Name), "its content does not fit its checksum", nil)
		}
	}
	return &m, nil
}

func (v *reader) end() error {
	if err := v.zeros(tarEnd, "the end of the archive"); err != nil {
		return err
	}
	want := lastLine(v.all.Sum(nil))
	line := make([]byte, lineSize)
	if err := v.fill(line, "the last line"); err != nil {
		return err
	}
	if string(line) != want {
		return wrong("the last line", "it does not fit what is before it", nil)
	}
	if _, err := v.r.ReadByte(); !errors.Is(err, io.EOF) {
		return wrong("the last line", "something follows it", err)
	}
	return nil
}
