package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// lang is the language of the locale, "" when it says nothing.
func (a *App) lang() string {
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		v := a.Getenv(name)
		if v == "" {
			continue
		}
		code, _, _ := strings.Cut(v, ".")
		code, _, _ = strings.Cut(code, "_")
		if code == "C" || code == "POSIX" || len(code) > 3 {
			return ""
		}
		return strings.ToLower(code)
	}
	return ""
}

// t is the sentence in the locale's language; the English one is the key.
func (a *App) t(s string) string {
	if a.lang() == "de" {
		if g, ok := german[s]; ok {
			return g
		}
	}
	return s
}

func (a *App) tf(format string, args ...any) string { return fmt.Sprintf(a.t(format), args...) }

// zone is the caller's time zone as an IANA name, "" when it cannot be told; the daemon may live in another.
func (a *App) zone() string {
	tz := strings.TrimPrefix(a.Getenv("TZ"), ":")
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
	if name := time.Local.String(); name != "Local" {
		return name
	}
	return ""
}
