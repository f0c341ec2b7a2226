package prompt

import (
	"fmt"
	"slices"
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

// The heads of the blocks that quote.
const (
	contextHead = "About this conversation:\n"
	markedHead  = "Messages of this conversation that the user has marked as important:\n"
)

// The bounds of the marked messages there: a mark on a long answer must not fill the window turn after turn.
const (
	markRunes = 1500 // of each
	markBytes = 6000 // of all, the newest first
)

// Facts are what the volatile part tells.
type Facts struct {
	Now     time.Time
	TZ      string // IANA name of the user's zone; "" or unknown = that of Now
	Context string // the session's, as the person wrote it
	Marked  []core.Message
	Todos   []core.Todo
}

// Volatile gives the blocks that change from turn to turn: the session's context, its marked messages, the date and the open
// todos. With nothing but the date there are none, so that a plain question is sent as it was typed; the date alone has a tool.
func Volatile(f Facts) []Block {
	var blocks []Block
	if c := strings.TrimSpace(f.Context); c != "" {
		blocks = append(blocks, Block{Icon: "✎", Label: "Session context", Volatile: true, Content: contextHead + harmless(c)})
	}
	if m := marked(f.Marked); m != "" {
		blocks = append(blocks, Block{Icon: "★", Label: "Marked messages", Volatile: true, Content: markedHead + m})
	}
	todos := todos(f.Todos)
	if todos == "" && len(blocks) == 0 {
		return nil
	}
	blocks = append(blocks, Block{Icon: "◷", Label: "Date", Volatile: true, Content: "Today is " + date(f.Now, f.TZ) + "."})
	if todos != "" {
		blocks = append(blocks, Block{Icon: "☐", Label: "Open todos", Volatile: true, Content: "Open todos of the user:\n" + todos})
	}
	return blocks
}

// todos lists the open ones, "" when there are none.
func todos(all []core.Todo) string {
	var lines []string
	open := 0
	for _, t := range all {
		if t.Status == core.TodoCompleted {
			continue
		}
		if open++; open > todoEntries {
			continue
		}
		line := fmt.Sprintf("- %d. %s", t.N, shorten(t.Content, todoRunes))
		if t.Status == core.TodoInProgress {
			line += " (in progress)"
		}
		lines = append(lines, line)
	}
	if more := open - len(lines); more > 0 {
		lines = append(lines, fmt.Sprintf("- and %d more", more))
	}
	return strings.Join(lines, "\n")
}

// marked lists marked messages in the order in which they were said, "" when there are none. The newest ones go first into the
// room that there is.
func marked(ms []core.Message) string {
	room := markBytes
	var lines []string
	left := 0
	for _, m := range slices.Backward(ms) {
		text := strings.TrimSpace(m.Text)
		if m.Deleted || text == "" {
			continue
		}
		who := "user"
		if m.Role == core.RoleAssistant {
			who = "you"
		}
		line := "- " + who + ": " + strings.ReplaceAll(shorten(text, markRunes), "\n", "\n  ")
		if left > 0 || len(line) > room {
			left++
			continue
		}
		room -= len(line)
		lines = append(lines, line)
	}
	if left > 0 {
		lines = append(lines, fmt.Sprintf("- %d older ones are left out", left))
	}
	slices.Reverse(lines)
	return strings.Join(lines, "\n")
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

// shorten cuts a text to n characters and takes from it what would end the part that it stands in.
func shorten(s string, n int) string {
	s = harmless(s)
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}

// harmless takes from a text what would end the part that it stands in.
func harmless(s string) string { return strings.ReplaceAll(s, contextName, "jarvis context") }

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

// Past gives messages of earlier chains without what was noted beside them, where that quotes: the newest message says how it is
// now, and what is unmarked, deleted or changed since must not be told for ever. Todos alone stay: they are short, and with
// them a provider's cache holds.
func Past(ms []core.Message) []core.Message {
	ms = slices.Clone(ms)
	for i := range ms {
		if c := ms[i].Context; strings.Contains(c, contextHead) || strings.Contains(c, markedHead) {
			ms[i].Context = ""
		}
	}
	return ms
}
