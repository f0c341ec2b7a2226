package offline

import (
	"strconv"
	"strings"
	"time"
	"unicode"
)

// day is a day as people say it, not yet resolved: it needs to know what day today is.
type day struct {
	kind    dayKind
	n       int // days, weeks, months or years from today; weekdays: -1 last, 0 this coming, 1 next
	y, m, d int // of a date; y 0 = not said
	easter  int // days from Easter Sunday
	nameEN  string
	nameDE  string
}

type dayKind int

const (
	dayOffset dayKind = iota
	dayWeeks
	dayMonths
	dayYears
	dayWeekday
	dayDate
	dayEaster
)

var relativeDays = map[string]int{
	"today": 0, "now": 0, "heute": 0, "jetzt": 0, "tomorrow": 1, "tomorrows": 1, "morgen": 1, "uebermorgen": 2, "yesterday": -1, "yesterdays": -1, "gestern": -1,
	"vorgestern": -2, "the day after tomorrow": 2, "day after tomorrow": 2, "the day before yesterday": -2, "day before yesterday": -2, "ueberuebermorgen": 3,
	"todays": 0, "heutiger tag": 0,
}

var weekdays = map[string]time.Weekday{
	"monday": 1, "tuesday": 2, "wednesday": 3, "thursday": 4, "friday": 5, "saturday": 6, "sunday": 0,
	"montag": 1, "dienstag": 2, "mittwoch": 3, "donnerstag": 4, "freitag": 5, "samstag": 6, "sonnabend": 6, "sonntag": 0,
}

var months = map[string]int{
	"january": 1, "february": 2, "march": 3, "april": 4, "may": 5, "june": 6, "july": 7, "august": 8, "september": 9, "october": 10, "november": 11, "december": 12,
	"jan": 1, "feb": 2, "mar": 3, "apr": 4, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "sept": 9, "oct": 10, "nov": 11, "dec": 12,
	"januar": 1, "jaenner": 1, "februar": 2, "maerz": 3, "mai": 5, "juni": 6, "juli": 7, "oktober": 10, "dezember": 12, "okt": 10, "dez": 12,
}

type feast struct {
	m, d   int
	easter int // with m 0: days from Easter Sunday
	en, de string
}

var feasts = map[string]feast{
	"christmas": {m: 12, d: 25, en: "Christmas", de: "Weihnachten"}, "christmas day": {m: 12, d: 25, en: "Christmas Day", de: "der 1. Weihnachtstag"},
	"weihnachten": {m: 12, d: 25, en: "Christmas", de: "Weihnachten"}, "christmas eve": {m: 12, d: 24, en: "Christmas Eve", de: "Heiligabend"},
	"heiligabend": {m: 12, d: 24, en: "Christmas Eve", de: "Heiligabend"}, "heilig abend": {m: 12, d: 24, en: "Christmas Eve", de: "Heiligabend"}, "heiligen abend": {m: 12, d: 24, en: "Christmas Eve", de: "Heiligabend"},
	"boxing day": {m: 12, d: 26, en: "Boxing Day", de: "der 2. Weihnachtstag"}, "new years eve": {m: 12, d: 31, en: "New Year's Eve", de: "Silvester"},
	"silvester": {m: 12, d: 31, en: "New Year's Eve", de: "Silvester"}, "new year": {m: 1, d: 1, en: "New Year's Day", de: "Neujahr"}, "new years": {m: 1, d: 1, en: "New Year's Day", de: "Neujahr"},
	"new years day": {m: 1, d: 1, en: "New Year's Day", de: "Neujahr"}, "neujahr": {m: 1, d: 1, en: "New Year's Day", de: "Neujahr"},
	"halloween": {m: 10, d: 31, en: "Halloween", de: "Halloween"}, "valentines day": {m: 2, d: 14, en: "Valentine's Day", de: "der Valentinstag"}, "valentinstag": {m: 2, d: 14, en: "Valentine's Day", de: "der Valentinstag"},
	"nikolaus": {m: 12, d: 6, en: "St Nicholas' Day", de: "Nikolaus"}, "tag der deutschen einheit": {m: 10, d: 3, en: "German Unity Day", de: "der Tag der Deutschen Einheit"},
	"easter": {en: "Easter", de: "Ostern"}, "easter sunday": {en: "Easter Sunday", de: "Ostersonntag"}, "ostern": {en: "Easter", de: "Ostern"}, "ostersonntag": {en: "Easter Sunday", de: "Ostersonntag"},
	"good friday": {easter: -2, en: "Good Friday", de: "Karfreitag"}, "karfreitag": {easter: -2, en: "Good Friday", de: "Karfreitag"},
	"easter monday": {easter: 1, en: "Easter Monday", de: "Ostermontag"}, "ostermontag": {easter: 1, en: "Easter Monday", de: "Ostermontag"},
	"pentecost": {easter: 49, en: "Pentecost", de: "Pfingsten"}, "pfingsten": {easter: 49, en: "Pentecost", de: "Pfingsten"},
}

// readDay reads a day of up to eight words.
func readDay(toks []token, fuzzy bool) (day, bool) {
	var ws []string
	for _, t := range toks {
		w := t.norm
		if fuzzy && t.fix != "" {
			w = t.fix
		}
		switch w {
		case "", "on", "am", "den", "der", "dem", "of", "the", "des":
			if w == "the" && len(ws) == 0 && len(toks) > 3 && toks[len(toks)-1].norm == "tomorrow" {
				ws = append(ws, w)
			}
		default:
			ws = append(ws, w)
		}
	}
	phrase := strings.Join(ws, " ")
	if n, ok := relativeDays[phrase]; ok {
		return day{n: n}, true
	}
	if f, ok := feasts[strings.TrimSuffix(phrase, " this year")]; ok {
		d := day{kind: dayDate, m: f.m, d: f.d, nameEN: f.en, nameDE: f.de}
		if f.m == 0 {
			d.kind, d.easter = dayEaster, f.easter
		}
		return d, true
	}
	if d, ok := readSpan(ws); ok {
		return d, true
	}
	if d, ok := readWeekday(ws); ok {
		return d, true
	}
	return readDate(ws)
}

var spanUnits = map[string]dayKind{
	"day": dayOffset, "days": dayOffset, "tag": dayOffset, "tage": dayOffset, "tagen": dayOffset, "week": dayWeeks, "weeks": dayWeeks, "woche": dayWeeks, "wochen": dayWeeks,
	"month": dayMonths, "months": dayMonths, "monat": dayMonths, "monate": dayMonths, "monaten": dayMonths, "year": dayYears, "years": dayYears, "jahr": dayYears, "jahre": dayYears, "jahren": dayYears,
}

// readSpan reads "in 3 weeks", "3 days ago", "10 days from now", "vor zwei Wochen", "a week from today".
func readSpan(ws []string) (day, bool) {
	sign := 1
	switch {
	case len(ws) > 2 && ws[0] == "in":
		ws = ws[1:]
	case len(ws) > 2 && ws[0] == "vor":
		ws, sign = ws[1:], -1
	case len(ws) > 2 && ws[len(ws)-1] == "ago":
		ws, sign = ws[:len(ws)-1], -1
	case len(ws) > 3 && ws[len(ws)-2] == "from" && (ws[len(ws)-1] == "now" || ws[len(ws)-1] == "today"):
		ws = ws[:len(ws)-2]
	default:
		return day{}, false
	}
	if len(ws) != 2 {
		return day{}, false
	}
	unit, ok := spanUnits[ws[1]]
	if !ok {
		return day{}, false
	}
	n := 1
	switch ws[0] {
	case "a", "an", "one", "einem", "einer", "ein", "eine":
	default:
		v := readWhole(ws[0], "en")
		if !v.ok {
			v = readWhole(ws[0], "de")
		}
		if !v.ok || v.n > 100_000 {
			return day{}, false
		}
		n = v.n
	}
	return day{kind: unit, n: sign * n}, true
}

func readWeekday(ws []string) (day, bool) {
	n := 0
	if len(ws) == 2 {
		switch ws[0] {
		case "next", "naechster", "naechsten", "naechste", "kommender", "kommenden":
			n = 1
		case "last", "letzter", "letzten", "vergangenen":
			n = -1
		case "this", "coming", "diesen", "dieser":
		default:
			return day{}, false
		}
		ws = ws[1:]
	}
	if len(ws) != 1 {
		return day{}, false
	}
	w, ok := weekdays[ws[0]]
	return day{kind: dayWeekday, d: int(w), n: n}, ok
}

// readDate reads 24 December 2026, December 24th, 24.12.2026, 2026-12-24.
func readDate(ws []string) (day, bool) {
	if len(ws) > 1 {
		if _, ok := weekdays[ws[0]]; ok {
			ws = ws[1:]
		}
	}
	switch len(ws) {
	case 1:
		return readNumericDate(ws[0])
	case 2, 3:
		m, d := months[ws[1]], dayNumber(ws[0])
		if m == 0 {
			m, d = months[ws[0]], dayNumber(ws[1])
		}
		y := 0
		if len(ws) == 3 {
			var err error
			if y, err = strconv.Atoi(ws[2]); err != nil || y < 1 || y > 9999 || len(ws[2]) < 3 {
				return day{}, false
			}
		}
		return checkDate(y, m, d)
	}
	return day{}, false
}

func readNumericDate(w string) (day, bool) {
	var order string
	var parts []string
	switch {
	case strings.Count(w, "-") == 2:
		parts, order = strings.Split(w, "-"), "ymd"
	case strings.Count(w, ".") == 2 || strings.Count(w, ".") == 1 && !strings.Contains(w, ","):
		parts, order = strings.Split(w, "."), "dmy"
	case strings.Count(w, "/") == 2:
		parts, order = strings.Split(w, "/"), "dmy"
		if len(parts[0]) == 4 {
			order = "ymd"
		}
	default:
		return day{}, false
	}
	n := make([]int, 3)
	for i, p := range parts {
		v, err := strconv.Atoi(p)
		if err != nil {
			return day{}, false
		}
		n[i] = v
	}
	if order == "ymd" {
		if len(parts[0]) != 4 {
			return day{}, false
		}
		return checkDate(n[0], n[1], n[2])
	}
	y := 0
	if len(parts) == 3 {
		if y = n[2]; len(parts[2]) == 2 {
			y += 2000
		}
	}
	if strings.Contains(w, "/") { // 7/4/2027 may be either: only what cannot be the other is read
		switch {
		case n[0] > 12:
			return checkDate(y, n[1], n[0])
		case n[1] > 12:
			return checkDate(y, n[0], n[1])
		}
		return day{}, false
	}
	return checkDate(y, n[1], n[0])
}

func checkDate(y, m, d int) (day, bool) {
	probe := y
	if y == 0 {
		probe = 2024 // has a 29 February
	}
	if m < 1 || m > 12 || d < 1 || time.Date(probe, time.Month(m), d, 0, 0, 0, 0, time.UTC).Day() != d {
		return day{}, false
	}
	return day{kind: dayDate, y: y, m: m, d: d}, true
}

func dayNumber(w string) int {
	digits := strings.TrimRightFunc(w, unicode.IsLetter)
	switch strings.TrimPrefix(w, digits) {
	case "", "st", "nd", "rd", "th":
		n, err := strconv.Atoi(digits)
		if err != nil || n > 31 {
			return 0
		}
		return n
	}
	v := readOrdinal([]token{{norm: w}})
	if v.ok && v.n > 0 && v.n < 32 {
		return v.n
	}
	return 0
}

// resolve finds the day. A date without year is the next one, or the last one when past is said.
func (d day) resolve(today time.Time, past bool) time.Time {
	switch d.kind {
	case dayOffset:
		return today.AddDate(0, 0, d.n)
	case dayWeeks:
		return today.AddDate(0, 0, 7*d.n)
	case dayMonths:
		return today.AddDate(0, d.n, 0)
	case dayYears:
		return today.AddDate(d.n, 0, 0)
	case dayWeekday:
		ahead := (d.d - int(today.Weekday()) + 7) % 7
		if d.n > 0 && ahead == 0 {
			ahead = 7
		}
		if d.n < 0 || past && ahead > 0 {
			ahead -= 7
		}
		return today.AddDate(0, 0, ahead)
	case dayEaster:
		t := easter(today.Year()).AddDate(0, 0, d.easter)
		if t.Before(today) && !past {
			t = easter(today.Year()+1).AddDate(0, 0, d.easter)
		}
		return t
	}
	y := d.y
	if y == 0 {
		y = today.Year()
		for k := 0; k < 8; k++ {
			t := time.Date(y, time.Month(d.m), d.d, 0, 0, 0, 0, time.UTC)
			if t.Day() == d.d && (past && !t.After(today) || !past && !t.Before(today)) {
				break
			}
			if past {
				y--
			} else {
				y++
			}
		}
	}
	return time.Date(y, time.Month(d.m), d.d, 0, 0, 0, 0, time.UTC)
}

// easter is Easter Sunday by the Gregorian computus.
func easter(y int) time.Time {
	a, b, c := y%19, y/100, y%100
	d := (19*a + b - b/4 - (b-(b+8)/25+1)/3 + 15) % 30
	e := (32 + 2*(b%4) + 2*(c/4) - d - c%4) % 7
	f := d + e - 7*((a+11*d+22*e)/451) + 114
	return time.Date(y, time.Month(f/31), f%31+1, 0, 0, 0, 0, time.UTC)
}
