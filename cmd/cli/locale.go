package cli

import "jarvis/daemon/locale"

// lang is the language of the locale, "" when it says nothing.
func (a *App) lang() string { return locale.Lang(a.Getenv) }

// t is the sentence in the locale's language; the English one is the key.
func (a *App) t(s string) string { return german.Of(a.lang(), s) }

func (a *App) tf(format string, args ...any) string { return german.Of(a.lang(), format, args...) }

// zone is the caller's time zone, because the daemon may live in another.
func (a *App) zone() string { return locale.Zone(a.Getenv) }
