// Package locale says which language and time zone the caller's environment asks for, and holds the sentences that several
// of the programs say in common. The thin command, the screen and jarvisd link it, so it imports the standard library only
// and reads nothing but the environment and the name of the system's time zone.
package locale

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Lang is the language of the locale as its lower-case ISO 639 code ("de" of de_DE.UTF-8, de-DE or de), "" when the locale
// says nothing. As in POSIX the first of LC_ALL, LC_MESSAGES and LANG that is set decides.
func Lang(getenv func(string) string) string {
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		v := strings.ToLower(getenv(name))
		if v == "" {
			continue
		}
		if i := strings.IndexAny(v, "_-.@"); i >= 0 {
			v = v[:i]
		}
		if len(v) < 2 || len(v) > 3 || strings.Trim(v, "abcdefghijklmnopqrstuvwxyz") != "" {
			return "" // C, POSIX, or nothing that is a language
		}
		return v
	}
	return ""
}

// Zone is the caller's time zone as an IANA name ("Europe/Berlin"), "" when it cannot be told; the daemon may live in another.
func Zone(getenv func(string) string) string {
	tz := strings.TrimPrefix(getenv("TZ"), ":")
	if tz != "" && !filepath.IsAbs(tz) {
		return tz
	}
	if tz == "" {
		tz = "/etc/localtime"
	}
	if target, err := os.Readlink(tz); err == nil {
		tz = target
	}
	if _, name, ok := strings.Cut(tz, "/zoneinfo/"); ok {
		return name
	}
	if name := time.Local.String(); name != "Local" && name != "" {
		return name
	}
	return ""
}
