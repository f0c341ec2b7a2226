package search

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"jarvis/core"
)

// The bounds of a query.
const (
	MaxQuery  = 2000 // bytes
	maxTerms  = 40
	minPrefix = 2 // letters before a star
)

const help = "jarvis session search --help"

// Parsed is a query whose session is still as it was typed.
type Parsed struct {
	core.Query
	Typed string // what session: was given; "" = none
}

// Parse reads a query: words, "a phrase", begin*, -without, and from: agent: session: before: after: type: is:marked. What
// looks like another field is taken as text. now and loc are for dates. It never fails on anything but a bound, a value that a
// field does not know, or a query that says nothing; those are core.BadRequest.
func Parse(text string, now time.Time, loc *time.Location) (Parsed, error) {
	var p Parsed
	if len(text) > MaxQuery {
		return p, core.E(core.BadRequest, fmt.Sprintf("a search has at most %d bytes; this one has %d", MaxQuery, len(text)), help, nil)
	}
	text = strings.ToValidUTF8(text, " ")
	for text = skipSpace(text); text != ""; text = skipSpace(text) {
		var w word
		w, text = next(text)
		if err := p.add(w, now.In(loc)); err != nil {
			return p, err
		}
		if len(p.Terms) > maxTerms {
			return p, core.E(core.BadRequest, fmt.Sprintf("a search has at most %d words", maxTerms), help, nil)
		}
	}
	if slices.Equal(p.Roles, []string{core.RoleUser}) && len(p.Types) == 0 {
		p.Types = []string{core.TypeText} // what tools answer goes to the model under the user's role, but no person said it
	}
	if !p.asks() {
		return p, core.E(core.BadRequest, "there is no word to look for", help, nil)
	}
	return p, nil
}

// asks reports whether a query narrows anything.
func (p *Parsed) asks() bool {
	return slices.ContainsFunc(p.Terms, func(t core.Term) bool { return !t.Not }) || p.Typed != "" || p.Marked ||
		len(p.Roles)+len(p.Agents)+len(p.Types) > 0 || !p.After.IsZero() || !p.Before.IsZero()
}

func skipSpace(s string) string { return strings.TrimLeftFunc(s, unicode.IsSpace) }

// word is one piece of a query.
type word struct {
	field  string // before the colon, in lower case; "" = none
	text   string
	not    bool
	quoted bool
}

// next takes the first piece off a text that begins with no space.
func next(s string) (word, string) {
	var w word
	if r, n := utf8.DecodeRuneInString(s); r == '-' || r == '−' {
		w.not, s = true, s[n:]
	}
	if i := strings.IndexFunc(s, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) }); i > 0 && s[i] == ':' && fields(strings.ToLower(s[:i])) {
		w.field, s = strings.ToLower(s[:i]), s[i+1:]
	}
	for _, q := range []struct{ open, end string }{{`"`, `"`}, {"„", "“"}, {"“", "”"}, {"«", "»"}} {
		if rest, ok := strings.CutPrefix(s, q.open); ok {
			w.quoted = true
			w.text, s, _ = strings.Cut(rest, q.end) // one that is not closed goes to the end
			return w, s
		}
	}
	end := strings.IndexFunc(s, unicode.IsSpace)
	if end < 0 {
		end = len(s)
	}
	w.text = s[:end]
	return w, s[end:]
}

func fields(name string) bool {
	return slices.Contains([]string{"from", "agent", "session", "before", "after", "type", "is"}, name)
}

func (p *Parsed) add(w word, now time.Time) error {
	if w.field == "" {
		return p.term(w)
	}
	if w.not {
		return core.E(core.BadRequest, "-"+w.field+": is not understood; a minus goes before a word", help, nil)
	}
	v := strings.TrimSpace(w.text)
	if v == "" {
		return core.E(core.BadRequest, w.field+": needs a value", help, nil)
	}
	switch w.field {
	case "from":
		return p.from(v)
	case "agent":
		p.Agents = append(p.Agents, core.AgentID(v))
	case "session":
		p.Typed = v
	case "type":
		return p.typ(v)
	case "is":
		if !strings.EqualFold(v, "marked") {
			return unknownValue("is", v, "marked")
		}
		p.Marked = true
	default:
		at, err := moment(v, now)
		if err != nil {
			return unknownValue(w.field, v, "a date such as 2026-03-14, yesterday or 7d")
		}
		if w.field == "after" {
			p.After = at
		} else {
			p.Before = at
		}
	}
	return nil
}

func unknownValue(field, v, want string) error {
	return core.E(core.BadRequest, fmt.Sprintf("%s: does not know %q; it takes %s", field, cut(v, 40), want), help, nil)
}

func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}

// term adds text. What has no letter and no digit says nothing.
func (p *Parsed) term(w word) error {
	t := core.Term{Text: w.text, Phrase: w.quoted, Not: w.not}
	if !w.quoted {
		t.Text, t.Prefix = strings.CutSuffix(w.text, "*")
	}
	letters := 0
	for _, r := range t.Text {
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			letters++
		}
	}
	if letters == 0 {
		return nil
	}
	if t.Prefix && letters < minPrefix {
		return core.E(core.BadRequest, fmt.Sprintf("%s* is too short; at least %d letters go before the star", cut(t.Text, 40), minPrefix), help, nil)
	}
	if !slices.Contains(p.Terms, t) {
		p.Terms = append(p.Terms, t)
	}
	return nil
}

func (p *Parsed) from(v string) error {
	switch strings.ToLower(v) {
	case "user", "me":
		p.Roles = append(p.Roles, core.RoleUser)
	case "assistant", "jarvis":
		p.Roles = append(p.Roles, core.RoleAssistant)
	case "system":
		p.Roles = append(p.Roles, core.RoleSystem)
	default:
		return unknownValue("from", v, "me or jarvis")
	}
	return nil
}

func (p *Parsed) typ(v string) error {
	switch v = strings.ToLower(v); v {
	case core.TypeText, core.TypeReasoning, core.TypeToolUse, core.TypeToolResult, core.TypeError:
		p.Types = append(p.Types, v)
	case "tool":
		p.Types = append(p.Types, core.TypeToolUse, core.TypeToolResult)
	default:
		return unknownValue("type", v, "text, reasoning, tool, tool_use, tool_result or error")
	}
	return nil
}

// moment reads a date: a year, a month, a day, a time, today, yesterday, or how long ago in hours, days or weeks.
func moment(v string, now time.Time) (time.Time, error) {
	day := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	switch v = strings.ToLower(v); v {
	case "today":
		return day, nil
	case "yesterday":
		return day.AddDate(0, 0, -1), nil
	}
	if n, err := strconv.Atoi(v[:len(v)-1]); err == nil && n > 0 && n < 100_000 && len(v) > 1 {
		switch v[len(v)-1] {
		case 'h':
			return now.Add(-time.Duration(n) * time.Hour), nil
		case 'd':
			return day.AddDate(0, 0, -n), nil
		case 'w':
			return day.AddDate(0, 0, -7*n), nil
		}
	}
	for _, layout := range []string{time.DateOnly, "2006-01", "2006", "2006-1-2", "2006-01-02t15:04", "2006-01-02t15:04:05", "2.1.2006"} {
		if t, err := time.ParseInLocation(layout, v, now.Location()); err == nil {
			return t, nil
		}
	}
	return time.Parse(time.RFC3339, strings.ToUpper(v))
}
