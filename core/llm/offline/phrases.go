package offline

import "strings"

// say gives a phrase in a language; English for every language but German.
func say(lang, key string) string {
	if strings.HasPrefix(strings.ToLower(lang), "de") {
		return phrases[key][1]
	}
	return phrases[key][0]
}

// phrases by key: English, German.
var phrases = map[string][2]string{
	"help": {
		`Without a language model I understand a fixed set of requests:
- time and date: "what time is it in Tokyo?", "what day is 24 December?", "which week is it?"
- calculating: "17% of 2,400", "3 * (4 + 5)", "20% off 80"
- units: "5 km in miles", "100 F to C", "2 h 30 min in minutes"
- todo list: "add buy milk to my todo list", "show my todos", "mark todo 1 as done"
- extracting the main sentences of a text: cat notes.txt | jarvis ask "summarize this"
For everything else connect a language model: jarvis setup`,
		`Ohne Sprachmodell verstehe ich eine feste Auswahl:
- Uhrzeit und Datum: „Wie spät ist es in Tokio?“, „Welcher Wochentag ist der 24. Dezember?“, „Welche Kalenderwoche haben wir?“
- Rechnen: „17 % von 2.400“, „3 * (4 + 5)“, „80 minus 20 %“
- Einheiten: „5 km in Meilen“, „100 F in C“, „2 h 30 min in Minuten“
- Todo-Liste: „Setz Milch kaufen auf meine Todo-Liste“, „Zeig meine Todos“, „Todo 1 erledigt“
- die wichtigsten Sätze eines Textes: cat notizen.txt | jarvis ask "Fasse das zusammen"
Für alles andere braucht es ein Sprachmodell: jarvis setup`,
	},
	"greeting": {
		`Hello! I am jarvis, without a language model for now. Ask "what can you do?" to see what I understand.`,
		`Hallo! Ich bin jarvis, im Moment ohne Sprachmodell. „Was kannst du?“ zeigt, was ich verstehe.`,
	},
	"thanks": {"You are welcome.", "Gern geschehen."},
	"bye":    {"Goodbye!", "Bis bald!"},
	"night":  {"Good night!", "Gute Nacht!"},
	"how": {
		`All is running, thank you. Ask "what can you do?" to see what I understand.`,
		`Alles läuft, danke. „Was kannst du?“ zeigt, was ich verstehe.`,
	},
	"identity": {
		"I am jarvis. What answers here is builtin/offline: a fixed set of rules, not a language model. To connect one: jarvis setup",
		"Ich bin jarvis. Hier antwortet builtin/offline: eine feste Auswahl von Regeln, kein Sprachmodell. Eines verbinden: jarvis setup",
	},
	"unknown": {
		"I have not understood that: without a language model I know only a fixed set of requests (help). Connect one with: jarvis setup",
		"Das habe ich nicht verstanden: Ohne Sprachmodell kenne ich nur eine feste Auswahl (hilfe). Eines verbinden: jarvis setup",
	},
	"later": {"I cannot do that: %s are not possible yet.", "Das kann ich nicht: %s sind noch nicht möglich."},
	"connect": {
		" For other requests connect a language model: jarvis setup",
		" Für anderes braucht es ein Sprachmodell: jarvis setup",
	},
	"blob": {
		"I cannot look at attachments: that needs a language model. Connect one with: jarvis setup",
		"Anhänge kann ich nicht ansehen: Dafür braucht es ein Sprachmodell. Eines verbinden: jarvis setup",
	},
	"no tool": {
		"I have understood that, but the tool for it (%s) is not allowed in this conversation.",
		"Das habe ich verstanden, aber das Werkzeug dafür (%s) ist in diesem Gespräch nicht erlaubt.",
	},
	"no result":   {"That has no result: %s.", "Das hat kein Ergebnis: %s."},
	"tool failed": {"That did not work: %s", "Das hat nicht geklappt: %s"},
	"time":        {"It is %s (%s).", "Es ist %s Uhr (%s)."},
	"zone":        {"%s: %s, %s – %s.", "%s: %s Uhr, %s – %s."},
	"here":        {"here", "hier"},
	"ahead":       {"%s is %s h ahead of %s: %s there, %s here.", "%s ist %s Std. vor %s: dort %s Uhr, hier %s Uhr."},
	"behind":      {"%s is %s h behind %s: %s there, %s here.", "%s ist %s Std. hinter %s: dort %s Uhr, hier %s Uhr."},
	"same time":   {"%s and %s have the same time: %s.", "%s und %s haben dieselbe Zeit: %s Uhr."},
	"week":        {"Week %d (%s).", "Kalenderwoche %d (%s)."},
	"days":        {"%d days, until %s.", "%d Tage, bis %s."},
	"days ago":    {"%d days, since %s.", "%d Tage, seit %s."},
	"added":       {"Added to your todo list: %s", "Auf der Todo-Liste: %s"},
	"open":        {"Open todos: %d", "Offene Todos: %d"},
	"done too":    {"(%d completed)", "(%d erledigt)"},
	"in progress": {" (in progress)", " (in Arbeit)"},
	"nothing open": {
		"There is nothing open on your todo list.",
		"Auf der Todo-Liste ist nichts offen.",
	},
	"list too long": {"The todo list is too long to change it here; use: jarvis todo done N", "Die Todo-Liste ist zu lang, um sie hier zu ändern; es geht mit: jarvis todo done N"},
	"done":          {"Done: %d. %s", "Erledigt: %d. %s"},
	"done before":   {"That was done already: %d. %s", "Das war schon erledigt: %d. %s"},
	"no number":     {"There is no todo %d; jarvis todo list shows the numbers.", "Es gibt kein Todo %d; jarvis todo list zeigt die Nummern."},
	"no text":       {"No todo says \"%s\"; jarvis todo list shows them.", "Kein Todo heißt „%s“; jarvis todo list zeigt sie."},
	"several":       {"Several todos fit \"%s\": give the number (jarvis todo list).", "Mehrere Todos passen zu „%s“: bitte die Nummer nennen (jarvis todo list)."},
	"extract":       {"(The main sentences as they stand in the text, picked by rules.)", "(Die wichtigsten Sätze, wie sie im Text stehen, nach Regeln ausgewählt.)"},
}

// calcErrors are the calculator's sentences that people meet, in German.
var calcErrors = map[string]string{
	"too large":                    "die Zahl ist zu groß",
	"division by zero":             "durch null kann man nicht teilen",
	"root of a negative":           "eine Wurzel aus einer negativen Zahl ist keine reelle Zahl",
	noRate:                         "zum Umrechnen von Währungen braucht es den heutigen Kurs",
	"cannot be converted":          "diese Einheiten messen Verschiedenes",
	"cannot be added":              "das ist nicht von derselben Art",
	"factorial is of a whole":      "eine Fakultät gibt es nur von ganzen Zahlen ab 0",
	"has no real result":           "es gibt keine reelle Zahl als Ergebnis",
	"temperatures on different":    "Temperaturen verschiedener Skalen lassen sich nicht addieren",
	"there is no unit for":         "dafür gibt es keine Einheit",
	"cannot be divided by":         "das lässt sich nicht teilen",
	"exponent has no unit":         "ein Exponent hat keine Einheit",
	"remainder is of plain":        "einen Rest gibt es nur von Zahlen ohne Einheit",
	"a root is of a plain number":  "eine Wurzel gibt es nur von Zahlen ohne Einheit",
	"round to between":             "runden geht auf -30 bis 30 Stellen",
	"common divisors are of":       "gemeinsame Teiler gibt es nur von positiven ganzen Zahlen",
	"that function takes an angle": "diese Funktion braucht einen Winkel",
}

// later are requests whose tools do not exist yet, by words that tell them.
var later = []struct {
	words map[string]bool
	name  map[string]string
}{
	{
		set("timer timers alarm alarms countdown wecker stoppuhr stopwatch remind reminder reminders erinnere erinnerung erinnerungen wecke weck"),
		map[string]string{"en": "timers and reminders", "de": "Timer und Erinnerungen"},
	},
	{
		set("note notes notiz notizen notiere notier remember merke merk"),
		map[string]string{"en": "notes and memory", "de": "Notizen und Gedächtnis"},
	},
	{
		set("file files datei dateien folder ordner verzeichnis directory"),
		map[string]string{"en": "files", "de": "Dateien"},
	},
}
