package locale

import "strings"

// Common holds what more than one program says.
var Common = Table{
	"Try:":                           "Nächster Schritt:",
	"Warning:":                       "Warnung:",
	"Print the version":              "Die Version ausgeben",
	"%s: %s; trying again in %.1f s": "%s: %s; neuer Versuch in %.1f s",
	"form of the output: table, json or yaml":                                            "Form der Ausgabe: table, json oder yaml",
	"-o takes table, json or yaml, not %q":                                               "-o nimmt table, json oder yaml, nicht %q",
	"Show and change the configuration":                                                  "Die Konfiguration zeigen und ändern",
	"Write a systemd unit that runs the daemon":                                          "Eine systemd-Unit schreiben, die den Dienst laufen lässt",
	"Remove the systemd unit that install wrote":                                         "Die von install geschriebene systemd-Unit entfernen",
	"Examine the installation and say what to do":                                        "Die Einrichtung untersuchen und sagen, was zu tun ist",
	"Connect a language model":                                                           "Ein Sprachmodell anbinden",
	"Run the daemon in the foreground (for a service manager)":                           "Den Dienst im Vordergrund laufen lassen (für einen Dienstverwalter)",
	"start with an empty store when the old one is gone or was put aside":                "mit leerem Speicher beginnen, wenn der alte fehlt oder beiseitegelegt wurde",
	"unknown command %q for %q":                                                          "unbekannter Befehl %q für %q",
	"the answer ended without its end":                                                   "die Antwort hörte ohne ihr Ende auf",
	"stopped; what had come is kept":                                                     "angehalten; was gekommen war, bleibt",
	"stopped: the model called tools too many times in a row":                            "angehalten: das Modell rief zu oft hintereinander Werkzeuge",
	"stopped: the budget is used up":                                                     "angehalten: das Budget ist verbraucht",
	"stopped: the time is over":                                                          "angehalten: die Zeit ist um",
	"stopped: the model repeated the same call with the same result":                     "angehalten: das Modell wiederholte denselben Aufruf mit demselben Ergebnis",
	"interrupted: the daemon ended while this was being answered; what had come is kept": "unterbrochen: der Dienst endete während dieser Antwort; was gekommen war, bleibt",
	"stopped: nobody was reading any more":                                               "angehalten: niemand las mehr mit",
	"the model declined to answer":                                                       "das Modell wollte darauf nicht antworten",
}

// errorSentences are whole sentences that the daemon and its client say, in English as every program reads them.
var errorSentences = Table{
	"the daemon is not running":                                     "der Dienst läuft nicht",
	"the daemon is stopping":                                        "der Dienst hält gerade an",
	"the connection to the daemon broke":                            "die Verbindung zum Dienst brach ab",
	"the daemon ended before the answer was complete":               "der Dienst endete, ehe die Antwort vollständig war",
	"the daemon failed on this request":                             "der Dienst scheiterte an dieser Anfrage",
	"an internal error ended the chain":                             "ein innerer Fehler beendete die Antwort",
	"no language model is configured":                               "es ist kein Sprachmodell eingerichtet",
	"too many messages wait in this session":                        "in diesem Gespräch warten zu viele Nachrichten",
	"there is no earlier ask to continue":                           "es gibt keine frühere Frage, die sich fortsetzen ließe",
	"a todo needs a text":                                           "eine Aufgabe braucht einen Text",
	"this daemon belongs to another user of this machine":           "dieser Dienst gehört einem anderen Benutzer dieses Rechners",
	"the token of the socket is missing or wrong":                   "das Token des Sockets fehlt oder ist falsch",
	"the daemon is still ending: it lets its running chains finish": "der Dienst endet noch: er lässt laufende Antworten fertig werden",
}

// errorHeads are beginnings of such sentences; what follows is a name and stays.
var errorHeads = [][2]string{
	{"there is no session ", "es gibt kein Gespräch "},
	{"there is no chain ", "es gibt keine Antwort "},
	{"there is no todo ", "es gibt keine Aufgabe "},
	{"there is no model ", "es gibt kein Modell "},
	{"unknown model ", "unbekanntes Modell "},
	{"the daemon did not start: ", "der Dienst startete nicht: "},
	{"the daemon cannot be started: ", "der Dienst kann nicht gestartet werden: "},
}

// Message is an error's sentence in a language: the daemon speaks English, whoever asks it. What is not one of the usual
// sentences stays as it is.
func Message(lang, sentence string) string {
	if lang != "de" {
		return sentence
	}
	if g, ok := errorSentences[sentence]; ok {
		return g
	}
	for _, h := range errorHeads {
		if rest, ok := strings.CutPrefix(sentence, h[0]); ok {
			return h[1] + rest
		}
	}
	return sentence
}
