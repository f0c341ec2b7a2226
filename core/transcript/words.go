package transcript

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"

	"jarvis/core"
)

// words are what a page says around the messages.
type words struct {
	user, assistant, system, reasoning, call, result, failed, failure, cut, noTitle, lost, from string
}

var (
	english = words{
		user: "You", assistant: "Assistant", system: "System", reasoning: "Reasoning", call: "Tool call", result: "Result",
		failed: "Failed", failure: "Error", cut: "cut off", noTitle: "Conversation", lost: "not kept",
		from: "A conversation of",
	}
	german = words{
		user: "Sie", assistant: "Assistent", system: "System", reasoning: "Überlegung", call: "Werkzeugaufruf", result: "Ergebnis",
		failed: "Fehlgeschlagen", failure: "Fehler", cut: "abgebrochen", noTitle: "Gespräch",
		lost: "nicht aufbewahrt", from: "Ein Gespräch vom",
	}
)

func (s Source) words() words {
	if s.Lang == "de" {
		return german
	}
	return english
}

func (s Source) title() string {
	if s.Session.Title == "" {
		return s.words().noTitle
	}
	return s.Session.Title
}

// who names the author of a message.
func (w words) who(m core.Message) string {
	name := w.assistant
	switch {
	case m.Type == core.TypeError:
		return w.failure
	case m.Role == core.RoleUser:
		name = w.user
	case m.Role == core.RoleSystem:
		name = w.system
	case m.Agent != "":
		name = string(m.Agent)
	}
	return name
}

// visible spells out the control characters of a message: people also look at files with a terminal.
func visible(m core.Message) core.Message {
	m.Text, m.Tool = spell(m.Text), spell(m.Tool)
	return m
}

func spell(s string) string {
	control := func(r rune) bool { return r != '\n' && r != '\t' && unicode.IsControl(r) }
	if !strings.ContainsFunc(s, control) {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == '\r' && strings.HasPrefix(s[i+1:], "\n"):
		case control(r):
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func when(t time.Time) string {
	if t.IsZero() {
		return "–"
	}
	return t.UTC().Format("2006-01-02 15:04 UTC")
}

func bytesOf(n int64) string {
	switch {
	case n >= 1<<20:
		return strconv.FormatFloat(float64(n)/(1<<20), 'f', 1, 64) + " MiB"
	case n >= 1<<10:
		return strconv.FormatFloat(float64(n)/(1<<10), 'f', 1, 64) + " KiB"
	}
	return strconv.FormatInt(n, 10) + " B"
}
