package tui

import "jarvis/daemon/locale"

// speech is the language of what the screen itself says; the English sentence is the key.
type speech struct{ lang string }

func speechFor(getenv func(string) string) speech { return speech{lang: locale.Lang(getenv)} }

func (s speech) of(format string, args ...any) string { return german.Of(s.lang, format, args...) }

var german = locale.Table{
	"thinking…":       "denkt nach …",
	"waiting in line": "wartet",
	"older messages are now a summary: %d → %d tokens": "ältere Nachrichten sind jetzt eine Zusammenfassung: %d → %d Tokens",
	"waiting in line, position %d":                     "wartet, Platz %d",
	"waiting for permission":                           "wartet auf eine Erlaubnis",

	"usage: jarvis-tui render [--width N]":         "Aufruf: jarvis-tui render [--width N]",
	"usage: jarvis chat [-m MODEL] [-c | SESSION]": "Aufruf: jarvis chat [-m MODELL] [-c | SITZUNG]",

	"%s answers": "es antwortet %s",

	"Ctrl-D leaves, Ctrl-C stops an answer, /help shows the rest.":                                                           "Strg-D beendet, Strg-C hält eine Antwort an, /help zeigt den Rest.",
	"No language model is connected yet: it can tell the time, calculate and keep your todo list. Connect one: jarvis setup": "Noch ist kein Sprachmodell verbunden: Uhrzeit, Rechnen und die Aufgabenliste gehen schon. Eines verbinden: jarvis setup",
	"Ctrl-C again or Ctrl-D leaves.":           "Noch einmal Strg-C oder Strg-D beendet.",
	"Come back with: jarvis chat %s":           "Hier geht es weiter: jarvis chat %s",
	"earlier messages: jarvis session show %s": "frühere Nachrichten: jarvis session show %s",

	"The settings were changed: language %s, theme %s.": "Die Einstellungen wurden geändert: Sprache %s, Farben %s.",

	"asked elsewhere:": "anderswo gefragt:",

	"stopping …":        "wird angehalten …",
	"then: %s":          "danach: %s",
	"[pasted text]":     "[eingefügter Text]",
	"[pasted %s lines]": "[%s Zeilen eingefügt]",

	"There is no command %s. Type /help for those there are, or //… to send a text that begins with a slash.": "Den Befehl %s gibt es nicht. /help zeigt alle; //… sendet einen Text, der mit einem Schrägstrich beginnt.",

	"show this":                "zeigt das hier",
	"begin a new conversation": "beginnt ein neues Gespräch",

	"show the models, or ask NAME from now on": "zeigt die Modelle, oder fragt ab jetzt NAME",
	"list the newest conversations":            "zeigt die neuesten Gespräche",

	"leave":            "beendet",
	"Up, Down":         "Auf, Ab",
	"Ctrl-C":           "Strg-C",
	"Ctrl-D":           "Strg-D",
	"send":             "sendet",
	"begin a new line": "beginnt eine neue Zeile",
	"earlier messages": "frühere Nachrichten",

	"stop the answer; twice at an empty line: leave": "hält die Antwort an; zweimal in leerer Zeile: beendet",

	"This conversation is new.": "Dieses Gespräch ist schon neu.",

	"A new conversation. Back to the other one: jarvis chat %s": "Ein neues Gespräch. Zurück zum anderen: jarvis chat %s",

	"From now on %s answers.": "Ab jetzt antwortet %s.",

	"No model is connected. Connect one: jarvis setup": "Kein Modell ist verbunden. Eines verbinden: jarvis setup",
	"There is no conversation yet.":                    "Es gibt noch kein Gespräch.",

	"Open one: jarvis chat ID": "Eines öffnen: jarvis chat ID",

	"a message of more than 10 MiB; send it as a file": "eine Nachricht von mehr als 10 MiB; besser als Datei senden",
}
