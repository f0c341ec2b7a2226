package offline

import "jarvis/daemon/locale"

// t is a sentence in the locale's language; the English one is the key.
func (a *App) t(s string) string { return messagesDE.Of(locale.Lang(a.Env.Get), s) }

func (a *App) tf(format string, args ...any) string {
	return messagesDE.Of(locale.Lang(a.Env.Get), format, args...)
}
