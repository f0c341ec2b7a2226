package offline

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"jarvis/core"
	"jarvis/core/llm"
	"jarvis/core/tool/basic/calc"
)

// reply is what one request is answered with: text, or calls.
type reply struct {
	class, lang string
	text        string
	calls       []llm.Part
}

// reply works out the next step of the newest request: the first calls, further ones, or the answer.
func (m *Model) reply(r llm.Request) reply {
	t, ok := newest(r.Messages)
	if !ok {
		return reply{text: say(r.Lang, "unknown")}
	}
	in := m.understand(t.text, r.Lang)
	rep := reply{class: in.class, lang: in.lang}
	if t.blob {
		rep.text = say(in.lang, "blob")
		return rep
	}
	for _, c := range in.calls {
		if !offers(r, c.tool) {
			rep.text = fmt.Sprintf(say(in.lang, "no tool"), c.tool)
			return rep
		}
	}
	if len(t.results) < len(in.calls) {
		rep.calls = parts(in.calls[len(t.results):], t.uses)
		return rep
	}
	if len(t.results) > 0 {
		if last := t.results[len(t.results)-1]; last.IsError {
			rep.text = failure(in, last.Text)
			return rep
		}
	}
	var more []call
	rep.text, more = in.answer(t.results, t.text)
	for _, c := range more {
		if !offers(r, c.tool) {
			rep.text = fmt.Sprintf(say(in.lang, "no tool"), c.tool)
			return rep
		}
	}
	if len(more) > 0 {
		rep.text, rep.calls = "", parts(more, t.uses)
	}
	return rep
}

func parts(calls []call, uses int) []llm.Part {
	out := make([]llm.Part, len(calls))
	for i, c := range calls {
		out[i] = llm.Part{Type: llm.PartToolUse, Call: core.CallID(fmt.Sprintf("offline_%d", uses+i+1)), Name: c.tool, Args: c.args}
	}
	return out
}

func (in intent) answer(results []llm.Part, said string) (string, []call) {
	switch in.class {
	case classHelp:
		return say(in.lang, "help"), nil
	case classSmalltalk:
		return say(in.lang, in.topic), nil
	case classTime:
		c, ok := readClock(results[0].Text)
		if !ok {
			return results[0].Text, nil
		}
		return fmt.Sprintf(say(in.lang, "time"), c.hm, c.zone), nil
	case classZone:
		return in.zoneAnswer(results), nil
	case classDate:
		c, ok := readClock(results[0].Text)
		if !ok {
			return results[0].Text, nil
		}
		return in.dateAnswer(c.day), nil
	case classArithmetic, classPercent, classUnits:
		return in.calcAnswer(results), nil
	case classTodoAdd:
		text := strings.TrimPrefix(results[0].Text, "Added ")
		return fmt.Sprintf(say(in.lang, "added"), strings.Replace(text, "[ ] ", "", 1)), nil
	case classTodoList:
		return listAnswer(in.lang, results[0].Text), nil
	case classTodoDone:
		return in.doneAnswer(results)
	case classSummary:
		return summarize(in.body, in.n) + "\n\n" + say(in.lang, "extract"), nil
	}
	return notUnderstood(in.lang, said), nil
}

// notUnderstood admits it, and says so when it is a thing that will be possible.
func notUnderstood(lang, said string) string {
	toks, ok := tokenize(head(said))
	if ok {
		for _, t := range toks {
			for _, l := range later {
				if l.words[t.norm] {
					return fmt.Sprintf(say(lang, "later"), l.name[lang]) + say(lang, "connect")
				}
			}
		}
	}
	return say(lang, "unknown")
}

func (in intent) calcAnswer(results []llm.Part) string {
	lines := make([]string, len(results))
	for i, r := range results {
		asked, sign, answer := splitResult(r.Text)
		if e, err := calc.Parse(asked, "en"); err == nil {
			asked = e.Asked(in.lang)
		}
		lines[i] = asked + " " + sign + " " + calc.Localize(answer, in.lang)
	}
	return strings.Join(lines, "\n")
}

// splitResult reads "17% of 2400 = 408".
func splitResult(s string) (asked, sign, answer string) {
	for _, sign := range []string{"≈", "="} {
		if i := strings.LastIndex(s, " "+sign+" "); i >= 0 {
			return s[:i], sign, s[i+len(sign)+2:]
		}
	}
	return s, "=", s
}

// noRate is what the calculator's error about currencies holds.
const noRate = "exchange rate"

func failure(in intent, message string) string {
	switch in.class {
	case classArithmetic, classPercent, classUnits:
		more := ""
		if strings.Contains(message, noRate) { // not wrong, but beyond the rules: that is an admission
			more = say(in.lang, "connect")
		}
		if in.lang == "de" {
			for en, de := range calcErrors {
				if strings.Contains(message, en) {
					message = de
				}
			}
		}
		return fmt.Sprintf(say(in.lang, "no result"), message) + more
	}
	return fmt.Sprintf(say(in.lang, "tool failed"), message)
}

// clockText is what the time tool answers.
type clockText struct {
	day      time.Time // midnight UTC of that date
	hm, zone string
	minutes  int // of the offset from UTC
}

func readClock(s string) (clockText, bool) {
	var c clockText
	for line := range strings.SplitSeq(s, "\n") {
		k, v, _ := strings.Cut(line, ": ")
		switch k {
		case "date":
			t, err := time.Parse(time.DateOnly, v)
			if err != nil {
				return c, false
			}
			c.day = t
		case "time":
			c.hm = v
		case "zone":
			name, off, _ := strings.Cut(v, " (")
			c.zone = name
			if off = strings.TrimSuffix(off, ")"); off != name {
				c.zone += ", " + off
			}
			if i := strings.LastIndex(v, "(UTC"); i >= 0 {
				if t, err := time.Parse("-07:00", strings.TrimSuffix(v[i+4:], ")")); err == nil {
					_, off := t.Zone()
					c.minutes = off / 60
				}
			}
		}
	}
	return c, c.hm != "" && !c.day.IsZero()
}

func (in intent) zoneAnswer(results []llm.Part) string {
	c, ok := readClock(results[0].Text)
	if !ok {
		return results[0].Text
	}
	name := place(in.zone)
	if len(results) < 2 {
		return fmt.Sprintf(say(in.lang, "zone"), name, c.hm, longDate(c.day, in.lang), c.zone)
	}
	other, ok := readClock(results[1].Text)
	if !ok {
		return results[1].Text
	}
	second := say(in.lang, "here")
	if in.text != "" {
		second = place(in.text)
	}
	diff := c.minutes - other.minutes
	key := "ahead"
	if diff < 0 {
		key, diff = "behind", -diff
	}
	if diff == 0 {
		return fmt.Sprintf(say(in.lang, "same time"), name, second, c.hm)
	}
	hours := fmt.Sprint(diff / 60)
	if diff%60 != 0 {
		hours = fmt.Sprintf("%d:%02d", diff/60, diff%60)
	}
	return fmt.Sprintf(say(in.lang, key), name, hours, second, c.hm, other.hm)
}

// shortPlaces are names of at most four letters; what else is so short is a zone (utc, cest).
var shortPlaces = set("rom rome oslo riga lima bern peru iran irak kuba cuba wien prag bonn kiew kyiv bali")

// place writes a place as a name when it was typed in small letters.
func place(s string) string {
	if s != strings.ToLower(s) || strings.Contains(s, "/") {
		return s
	}
	if len(s) <= 4 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz") == "" && !shortPlaces[s] {
		return strings.ToUpper(s)
	}
	ws := strings.Fields(s)
	for i, w := range ws {
		r := []rune(w)
		ws[i] = strings.ToUpper(string(r[0])) + string(r[1:])
	}
	return strings.Join(ws, " ")
}

func (in intent) dateAnswer(today time.Time) string {
	t := today
	if in.hasDay {
		t = in.day.resolve(today, in.past)
	}
	if t.Year() < 1 || t.Year() > 9999 {
		return say(in.lang, "unknown")
	}
	long := longDate(t, in.lang)
	if in.hasDay && in.day.nameEN != "" {
		long = map[string]string{"en": in.day.nameEN, "de": in.day.nameDE}[in.lang] + ": " + long
	}
	switch in.topic {
	case "week":
		_, w := t.ISOWeek()
		return fmt.Sprintf(say(in.lang, "week"), w, long)
	case "until":
		days := int(t.Sub(today).Hours()) / 24
		return fmt.Sprintf(say(in.lang, "days"), days, long)
	case "since":
		days := int(today.Sub(t).Hours()) / 24
		return fmt.Sprintf(say(in.lang, "days ago"), days, long)
	}
	return long
}

// longDate is "Wednesday, 2 December 2026" or "Mittwoch, 2. Dezember 2026".
func longDate(t time.Time, lang string) string {
	if lang == "de" {
		return fmt.Sprintf("%s, %d. %s %d", germanDays[t.Weekday()], t.Day(), germanMonths[t.Month()-1], t.Year())
	}
	return fmt.Sprintf("%s, %d %s %d", t.Weekday(), t.Day(), t.Month(), t.Year())
}

var (
	germanDays   = []string{"Sonntag", "Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag"}
	germanMonths = []string{"Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November", "Dezember"}
)

func encode(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		return json.RawMessage(`{}`)
	}
	return b
}
