package prompt

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"jarvis/core"
)

// The bounds of the todos in the volatile part: a plain request stays small, and the whole list has a tool.
const (
	todoEntries = 20  // of the open ones, the first
	todoRunes   = 120 // of each
)

const contextName = "jarvis-context"

// Facts are what the volatile part tells.
type Facts struct {
	Now   time.Time
	TZ    string // IANA name of the user's zone; "" or unknown = that of Now
	Todos []core.Todo
}

// Volatile gives the blocks that change from turn to turn: the date and the open todos. Without an open todo there are none,
// so that a plain question is sent as it was typed; the date alone has a tool.
func Volatile(f Facts) []Block {
	var lines []string
	open := 0
	for _, t := range f.Todos {
		if t.Status == core.TodoCompleted {
			continue
		}
		if open++; open > todoEntries {
			continue
		}
		line := fmt.Sprintf("- %d. %s", t.N, shorten(t.Content))
		if t.Status == core.TodoInProgress {
			line += " (in progress)"
		}
		lines = append(lines, line)
	}
	if open == 0 {
		return nil
	}
	if more := open - len(lines); more > 0 {
		lines = append(lines, fmt.Sprintf("- and %d more", more))
	}
	return []Block{
		{Icon: "◷", Label: "Date", Volatile: true, Content: "Today is " + date(f.Now, f.TZ) + "."},
		{Icon: "☐", Label: "Open todos", Volatile: true, Content: "Open todos of the user:\n" + strings.Join(lines, "\n")},
	}
}

// date is the day only: within a day it is the same bytes.
func date(now time.Time, tz string) string {
	if tz != "" {
		if loc, err := time.LoadLocation(tz); err == nil {
			now = now.In(loc)
		}
	}
	return now.Format("Monday, 2 January 2006")
}

// shorten cuts a todo and takes from it what would end the part that it stands in.
func shorten(s string) string {
	s = strings.ReplaceAll(s, contextName, "jarvis context")
	if utf8.RuneCountInString(s) <= todoRunes {
		return s
	}
	return string([]rune(s)[:todoRunes-1]) + "…"
}

// Context is the volatile part as it is stored with the newest user message, "" when there is none.
func Context(blocks []Block) string {
	var parts []string
	for _, b := range blocks {
		if b.Volatile {
			parts = append(parts, b.Content)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "<" + contextName + ">\nNoted by jarvis, not typed by the user; of use only where the message asks for it.\n\n" +
		strings.Join(parts, "\n\n") + "\n</" + contextName + ">"
}
