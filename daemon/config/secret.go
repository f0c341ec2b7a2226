package config

import (
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"regexp"
	"strings"

	"jarvis/core"
)

// mask stands for a secret wherever one is printed.
const mask = "***"

// maxSecret bounds a key file, in bytes.
const maxSecret = 64 << 10

// Secret is a key as the file has it (the text itself, ${ENV_NAME} or file:/path), or a resolved one. Every way of printing
// it gives the mask; Reveal gives the text.
type Secret string

// Reveal is the text itself, for the request that needs it.
func (s Secret) Reveal() string { return string(s) }

// String masks. A reference to a variable or a file is no secret and stays readable.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	if s.reference() {
		return string(s)
	}
	return mask
}

// GoString masks in %#v.
func (s Secret) GoString() string { return s.String() }

// LogValue masks in logs.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalYAML masks in output; the file itself is edited as text.
func (s Secret) MarshalYAML() (any, error) { return s.String(), nil }

// MarshalJSON masks in output.
func (s Secret) MarshalJSON() ([]byte, error) { return fmt.Appendf(nil, "%q", s.String()), nil }

var (
	envRef  = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)
	onlyRef = regexp.MustCompile(`^(\$\{[A-Za-z_][A-Za-z0-9_]*\}|file:[^\n]+)$`)
)

func (s Secret) reference() bool { return onlyRef.MatchString(string(s)) }

// Resolve reads the variable or file that s names. An unset variable gives "": the provider is then without a key. dir is
// where a relative file: path starts.
func (s Secret) Resolve(getenv func(string) string, dir string) (Secret, error) {
	text := string(s)
	if path, ok := strings.CutPrefix(text, "file:"); ok {
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		return readSecret(path)
	}
	missing := false
	text = envRef.ReplaceAllStringFunc(text, func(ref string) string {
		v := getenv(ref[2 : len(ref)-1])
		missing = missing || v == ""
		return v
	})
	if missing {
		return "", nil
	}
	return Secret(strings.TrimSpace(text)), nil
}

func readSecret(path string) (Secret, error) {
	fail := func(why string, err error) (Secret, error) {
		return "", core.E(core.BadRequest, "the key file "+path+" "+why, "jarvis setup", err)
	}
	f, err := openFile(path)
	if err != nil {
		return fail("cannot be read", err)
	}
	defer func() { _ = f.Close() }()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return fail("is not a file", err)
	}
	b, err := io.ReadAll(io.LimitReader(f, maxSecret+1))
	if err != nil {
		return fail("cannot be read", err)
	}
	text := strings.TrimSpace(string(b))
	switch {
	case len(b) > maxSecret:
		return fail("is too large for a key", nil)
	case text == "":
		return fail("is empty", nil)
	case strings.ContainsAny(text, "\n\r\x00"):
		return fail("has more than one line", nil)
	}
	return Secret(text), nil
}

// IsSecret reports whether the value at path is a key.
func IsSecret(path string) bool {
	keys, err := ParsePath(path)
	if err != nil {
		return false
	}
	f, err := fieldAt(keys)
	return err == nil && f.secret()
}

// Literal reports whether a secret's text is the key itself and not the name of where it is.
func Literal(value string) bool { return value != "" && !Secret(value).reference() }
