package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"
)

// Size is a number of bytes, written 10MiB, 64KB or 4096.
type Size int64

var units = []struct {
	name  string
	bytes int64
}{
	{"GiB", 1 << 30},
	{"MiB", 1 << 20},
	{"KiB", 1 << 10},
	{"GB", 1e9},
	{"MB", 1e6},
	{"KB", 1e3},
	{"kB", 1e3},
	{"B", 1},
	{"", 1},
}

// ParseSize reads a size.
func ParseSize(s string) (Size, error) {
	for _, u := range units {
		digits, ok := strings.CutSuffix(strings.TrimSpace(s), u.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(digits), 10, 64)
		if err != nil || n < 0 || n > math.MaxInt64/u.bytes {
			break
		}
		return Size(n * u.bytes), nil
	}
	return 0, fmt.Errorf("%q is not a size such as 10MiB", s)
}

// String writes the largest unit that loses nothing.
func (s Size) String() string {
	for _, u := range units[:3] {
		if s != 0 && int64(s)%u.bytes == 0 {
			return strconv.FormatInt(int64(s)/u.bytes, 10) + u.name
		}
	}
	return strconv.FormatInt(int64(s), 10)
}

// UnmarshalYAML reads a scalar.
func (s *Size) UnmarshalYAML(n *yaml.Node) error {
	v, err := ParseSize(n.Value)
	*s = v
	return err
}

// MarshalYAML writes it as people do.
func (s Size) MarshalYAML() (any, error) { return s.String(), nil }

// MarshalJSON writes it as in YAML.
func (s Size) MarshalJSON() ([]byte, error) { return strconv.AppendQuote(nil, s.String()), nil }

// Duration is a time span, written 30s, 5m or 24h; 0 needs no unit.
type Duration time.Duration

// ParseDuration reads a duration, which is never negative.
func ParseDuration(s string) (Duration, error) {
	d, err := time.ParseDuration(strings.TrimSpace(s))
	if err != nil || d < 0 {
		return 0, fmt.Errorf("%q is not a duration such as 30s, 5m or 24h", s)
	}
	return Duration(d), nil
}

// String writes 5m instead of Go's 5m0s.
func (d Duration) String() string {
	if d == 0 {
		return "0"
	}
	s := time.Duration(d).String()
	if strings.HasSuffix(s, "m0s") {
		s = s[:len(s)-2]
	}
	if strings.HasSuffix(s, "h0m") {
		s = s[:len(s)-2]
	}
	return s
}

// UnmarshalYAML reads a scalar.
func (d *Duration) UnmarshalYAML(n *yaml.Node) error {
	v, err := ParseDuration(n.Value)
	*d = v
	return err
}

// MarshalYAML writes it as people do.
func (d Duration) MarshalYAML() (any, error) {
	if d == 0 {
		return 0, nil
	}
	return d.String(), nil
}

// MarshalJSON writes it as in YAML.
func (d Duration) MarshalJSON() ([]byte, error) { return strconv.AppendQuote(nil, d.String()), nil }

// TLS is off, auto, or a certificate and its key.
type TLS struct {
	Mode string // off, auto, files
	Cert string // with files
	Key  string // path of the key file, which is no secret itself
}

// On reports whether TLS is used at all.
func (t TLS) On() bool { return t.Mode != "off" && t.Mode != "" }

type tlsFiles struct {
	Cert string `yaml:"cert" json:"cert" doc:"Certificate, PEM."`
	Key  string `yaml:"key" json:"key" doc:"Its key, PEM."`
}

// UnmarshalYAML reads one of the three forms. yes, no, on and true are what YAML 1.1 makes of words; off is the only one meant.
func (t *TLS) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.MappingNode {
		var f tlsFiles
		if err := n.Decode(&f); err != nil {
			return err
		}
		if f.Cert == "" || f.Key == "" {
			return fmt.Errorf("needs both cert and key")
		}
		*t = TLS{Mode: "files", Cert: f.Cert, Key: f.Key}
		return nil
	}
	switch n.Value {
	case "off", "auto":
		*t = TLS{Mode: n.Value}
		return nil
	case "false", "":
		*t = TLS{Mode: "off"}
		return nil
	}
	return fmt.Errorf("%q is none of off, auto, {cert: FILE, key: FILE}", n.Value)
}

// MarshalYAML writes the form it was read from.
func (t TLS) MarshalYAML() (any, error) { return t.plain(), nil }

func (t TLS) plain() any {
	if t.Mode == "files" {
		return tlsFiles{Cert: t.Cert, Key: t.Key}
	}
	return t.Mode
}
