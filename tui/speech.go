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
	"usage: jarvis chat [SESSION]":         "Aufruf: jarvis chat [SITZUNG]",
	"Try: %s":                              "Weiter mit: %s",
	"%s answers":                           "es antwortet %s",
	"Ctrl-D leaves, Ctrl-C stops an answer, /help shows the rest.":                                                           "Strg-D beendet, Strg-C hält eine Antwort an, /help zeigt den Rest.",
	"No language model is connected yet: it can tell the time, calculate and keep your todo list. Connect one: jarvis setup": "Noch ist kein Sprachmodell verbunden: Uhrzeit, Rechnen und die Aufgabenliste gehen schon. Eines verbinden: jarvis setup",
	"Ctrl-C again or Ctrl-D leaves.":           "Noch einmal Strg-C oder Strg-D beendet.",
	"Come back with: jarvis chat %s":           "Hier geht es weiter: jarvis chat %s",
	"earlier messages: jarvis session show %s": "frühere Nachrichten: jarvis session show %s",
	"stopping …":                       "wird angehalten …",
	"then: %s":                         "danach: %s",
	"[pasted text]":                    "[eingefügter Text]",
	"[pasted %s lines]":                "[%s Zeilen eingefügt]",
	"the answer ended without its end": "die Antwort brach ohne Abschluss ab",
	"stopped; what had come is kept":   "angehalten; was gekommen war, bleibt",
	"stopped: the model called tools too many times in a row":                                                 "angehalten: das Modell hat zu oft hintereinander Werkzeuge gerufen",
	"stopped: the budget is used up":                                                                          "angehalten: das Budget ist aufgebraucht",
	"stopped: the time is over":                                                                               "angehalten: die Zeit ist um",
	"stopped: the model repeated the same call with the same result":                                          "angehalten: das Modell hat denselben Aufruf mit demselben Ergebnis wiederholt",
	"interrupted: the daemon ended while this was being answered; what had come is kept":                      "abgebrochen: der Daemon endete während der Antwort; was gekommen war, bleibt",
	"stopped: nobody was reading any more":                                                                    "angehalten: niemand las mehr mit",
	"the model declined to answer":                                                                            "das Modell wollte darauf nicht antworten",
	"There is no command %s. Type /help for those there are, or //… to send a text that begins with a slash.": "Den Befehl %s gibt es nicht. /help zeigt alle; //… sendet einen Text, der mit einem Schrägstrich beginnt.",
	"show this":                "zeigt das hier",
	"begin a new conversation": "beginnt ein neues Gespräch",
	"show the models, or ask NAME from now on": "zeigt die Modelle, oder fragt ab jetzt NAME",
	"list the newest conversations":            "zeigt die neuesten Gespräche",
	"leave":                                    "beendet",
	"Up, Down":                                 "Auf, Ab",
	"Ctrl-C":                                   "Strg-C",
	"Ctrl-D":                                   "Strg-D",
	"send":                                     "sendet",
	"begin a new line":                         "beginnt eine neue Zeile",
	"earlier messages":                         "frühere Nachrichten",
	"stop the answer; twice at an empty line: leave":            "hält die Antwort an; zweimal in leerer Zeile: beendet",
	"This conversation is new.":                                 "Dieses Gespräch ist schon neu.",
	"A new conversation. Back to the other one: jarvis chat %s": "Ein neues Gespräch. Zurück zum anderen: jarvis chat %s",
	"From now on %s answers.":                                   "Ab jetzt antwortet %s.",
	"No model is connected. Connect one: jarvis setup":          "Kein Modell ist verbunden. Eines verbinden: jarvis setup",
	"There is no conversation yet.":                             "Es gibt noch kein Gespräch.",
	"Open one: jarvis chat ID":                                  "Eines öffnen: jarvis chat ID",
	"a message of more than 1 MiB; send it as a file":           "eine Nachricht von mehr als 1 MiB; besser als Datei senden",
}
