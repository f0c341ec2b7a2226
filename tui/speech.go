package tui

import (
	"fmt"
	"strings"
)

// speech is the language of what the screen itself says; the English sentence is the key.
type speech struct{ lang string }

func speechFor(getenv func(string) string) speech {
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		v := getenv(name)
		if v == "" {
			continue
		}
		code, _, _ := strings.Cut(v, ".")
		code, _, _ = strings.Cut(code, "_")
		if code == "C" || code == "POSIX" || len(code) > 3 {
			return speech{}
		}
		return speech{lang: strings.ToLower(code)}
	}
	return speech{}
}

func (s speech) of(format string, args ...any) string {
	if s.lang == "de" {
		if g, ok := german[format]; ok {
			format = g
		}
	}
	if len(args) == 0 {
		return format
	}
	return fmt.Sprintf(format, args...)
}

var german = map[string]string{
	"thinking…":                            "denkt nach …",
	"waiting in line":                      "wartet",
	"waiting in line, position %d":         "wartet, Platz %d",
	"waiting for permission":               "wartet auf eine Erlaubnis",
	"%s: %s; trying again in %.1f s":       "%s: %s; neuer Versuch in %.1f s",
	"usage: jarvis-tui render [--width N]": "Aufruf: jarvis-tui render [--width N]",
}
