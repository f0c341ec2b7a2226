package offline

import (
	"fmt"
	"strings"
)

// german reports whether the locale speaks German. Every other language gets English.
func (a *App) german() bool {
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if v := strings.ToLower(a.Env.Get(name)); v != "" {
			return v == "de" || strings.HasPrefix(v, "de_") || strings.HasPrefix(v, "de.") || strings.HasPrefix(v, "de-")
		}
	}
	return false
}

// t is a sentence in the locale's language; the English one is the key.
func (a *App) t(s string) string {
	if a.german() {
		if g, ok := messagesDE[s]; ok {
			return g
		}
	}
	return s
}

func (a *App) tf(format string, args ...any) string { return fmt.Sprintf(a.t(format), args...) }
