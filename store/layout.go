package store

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"jarvis/core"
)

// ManifestName is the last entry of a backup.
const ManifestName = "manifest.json"

const (
	formatVersion = 1
	block         = 512
	tarEnd        = 2 * block
	sumRecord     = "JARVIS.sha256" // in the manifest's header: the manifest's own digest
	linePrefix    = "sha256 "
	lineSize      = len(linePrefix) + 64 + 1

	maxManifest = 512 << 20 // bytes
	maxEntries  = 2 << 20
	maxName     = 1024    // bytes
	maxPax      = 8 << 10 // bytes of the records before a header
	maxDepth    = 32      // folders
)

// Entry is one file of a backup.
type Entry struct {
	Name   string      `json:"name"` // slashes, below the home
	Size   int64       `json:"size"` // bytes
	Mode   fs.FileMode `json:"mode"` // permission bits
	SHA256 string      `json:"sha256"`
}

// Manifest is the list of a backup's entries.
type Manifest struct {
	Version int     `json:"version"` // of the format
	Made    string  `json:"made"`    // RFC 3339, UTC
	Jarvis  string  `json:"jarvis"`  // the build that made it
	Secrets bool    `json:"secrets"` // keys are in it
	Entries []Entry `json:"entries"`
}

// header is the one form in which an entry's header is written: Verify holds what it reads against it.
func header(name string, size int64, mode fs.FileMode, sum string) ([]byte, error) {
	h := &tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: int64(mode.Perm())}
	if sum != "" {
		h.Format, h.PAXRecords = tar.FormatPAX, map[string]string{sumRecord: sum}
	}
	var b bytes.Buffer
	if err := tar.NewWriter(&b).WriteHeader(h); err != nil {
		return nil, fmt.Errorf("header of %s: %w", name, err)
	}
	return b.Bytes(), nil
}

// padding is how many bytes of zeros follow size bytes.
func padding(size int64) int64 { return (block - size%block) % block }

// ValidName reports whether a name stays below the folder that a backup is restored to, on every system.
func ValidName(name string) bool {
	if name == "" || len(name) > maxName || !utf8.ValidString(name) || strings.Contains(name, `\`) || name == ManifestName {
		return false
	}
	if strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return false
	}
	return fs.ValidPath(name) && name != "." && filepath.IsLocal(filepath.FromSlash(name)) && strings.Count(name, "/") < maxDepth
}

// names refuses what two entries cannot both be: the same file, or a file and the folder of another.
type names map[string]bool // false = a folder

func (n names) add(name string) error {
	if !ValidName(name) {
		return fmt.Errorf("the name %q leaves the folder or cannot be a file's", core.Printable(clip(name)))
	}
	if _, taken := n[name]; taken {
		return fmt.Errorf("the name %q stands twice", core.Printable(clip(name)))
	}
	n[name] = true
	for i := strings.LastIndexByte(name, '/'); i > 0; i = strings.LastIndexByte(name[:i], '/') {
		if n[name[:i]] {
			return fmt.Errorf("the name %q is a file and a folder", core.Printable(clip(name[:i])))
		}
		n[name[:i]] = false
	}
	return nil
}

func clip(s string) string {
	if len(s) > 80 {
		return strings.ToValidUTF8(s[:80], "") + "…"
	}
	return s
}

func (m *Manifest) encode() ([]byte, error) {
	b, err := json.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("manifest: %w", err)
	}
	return append(b, '\n'), nil
}
