package offline

import (
	"maps"
	"slices"
	"strings"

	"jarvis/core/tool/basic/calc"
	"jarvis/core/tool/basic/zone"
)

// The classes of requests.
const (
	classNone       = ""
	classHelp       = "help"
	classSmalltalk  = "smalltalk"
	classTime       = "time"
	classZone       = "zone_time"
	classDate       = "date"
	classArithmetic = "arithmetic"
	classPercent    = "percent"
	classUnits      = "units"
	classTodoAdd    = "todo_add"
	classTodoList   = "todo_list"
	classTodoDone   = "todo_done"
	classSummary    = "summary"
)

// rule is one entry of a grammar.
type rule struct {
	class    string
	topic    string   // finer than the class: which answer is worded
	patterns []string // any of them
	calc     []string // expressions to calculate, {x} being a slot's value
	past     bool     // "was": a date without year lies behind us
}

// source is a language's grammar as it is written.
type source struct {
	lang   string
	macros [][2]string // name, pattern; later ones may use earlier ones
	lead   []string    // what may stand before any request
	tail   []string    // and behind it
	rules  []rule
	common []string // further words of the language, for telling it and for not "correcting" them
}

// grammar is a compiled source.
type grammar struct {
	lang       string
	lead, tail *pnode
	rules      []compiled
	words      map[string]bool
}

type compiled struct {
	*rule
	patterns []*pnode
	loose    []*pnode // those that begin with free words; tried last
}

// compile panics on a pattern that cannot be parsed: the tables are constants, and every test runs through here.
func compile(s source) *grammar {
	macros := map[string]*pnode{}
	must := func(p string) *pnode {
		n, err := parsePattern(p, macros)
		if err != nil {
			panic(err)
		}
		return n
	}
	g := &grammar{lang: s.lang, words: map[string]bool{}}
	for _, m := range s.macros {
		macros[m[0]] = must(m[1])
	}
	g.lead, g.tail = must(strings.Join(s.lead, "|")), must(strings.Join(s.tail, "|"))
	note := func(w string) { g.words[w] = true }
	g.lead.words(note)
	g.tail.words(note)
	for i := range s.rules {
		c := compiled{rule: &s.rules[i]}
		for _, p := range s.rules[i].patterns {
			n := must(p)
			n.words(note)
			if n.loose() {
				c.loose = append(c.loose, n)
			} else {
				c.patterns = append(c.patterns, n)
			}
		}
		g.rules = append(g.rules, c)
	}
	for _, w := range s.common {
		note(umlauts.Replace(w))
	}
	for w := range summaryKeys[s.lang] {
		note(w)
	}
	for _, f := range frames {
		for _, w := range strings.Fields(f.words[s.lang] + " " + frameFillers[s.lang]) {
			note(umlauts.Replace(w))
		}
	}
	return g
}

// lexicon knows the words that may be meant when one is misspelt.
type lexicon struct {
	literals []string        // of the patterns
	values   []string        // of units, numbers and places
	known    map[string]bool // all of them
	unique   [2]map[string]bool
}

func newLexicon(en, de *grammar) *lexicon {
	l := &lexicon{known: map[string]bool{}, unique: [2]map[string]bool{{}, {}}}
	for i, g := range []*grammar{en, de} {
		other := []*grammar{de, en}[i]
		for w := range g.words {
			if !l.known[w] {
				l.known[w] = true
				l.literals = append(l.literals, w)
			}
			if !other.words[w] {
				l.unique[i][w] = true
			}
		}
	}
	values := map[string]bool{}
	value := func(w string) {
		if w = umlauts.Replace(strings.ToLower(w)); len(w) > 2 {
			values[w], l.known[w] = true, true
		}
	}
	for _, list := range [][]string{calc.Words(), zone.Words(), slices.Collect(maps.Keys(months)), slices.Collect(maps.Keys(weekdays)), slices.Collect(maps.Keys(relativeDays))} {
		for _, w := range list {
			value(w)
		}
	}
	l.values = slices.Sorted(maps.Keys(values))
	slices.Sort(l.literals)
	return l
}

// language tells which language an utterance is in by words that only one of them has; fallback when neither or both.
func (l *lexicon) language(toks []token, s, fallback string) string {
	score := 0
	for _, t := range toks {
		switch {
		case strings.ContainsAny(t.norm, "0123456789") || t.end <= len(s) && (strings.Contains(s[t.start:t.end], "iB") || (t.norm == "kw" || t.norm == "atm") && len(toks) > 1): // 16 GiB is no "gib"
		case l.unique[0][t.norm]:
			score++
		case l.unique[1][t.norm]:
			score--
		}
	}
	if strings.ContainsAny(s, "äöüßÄÖÜ") {
		score--
	}
	switch {
	case score > 0:
		return "en"
	case score < 0:
		return "de"
	case strings.HasPrefix(strings.ToLower(fallback), "de"):
		return "de"
	}
	return "en"
}

// correct notes for each unknown word what it may be a misspelling of; false when nothing or too much would change.
func (l *lexicon) correct(toks []token) bool {
	changed := 0
	for i := range toks {
		t := &toks[i]
		if len(t.norm) < 3 || l.known[t.norm] || strings.ContainsAny(t.norm, "0123456789") {
			continue
		}
		limit := 1
		if len(t.norm) > 7 {
			limit = 2
		}
		best := 9
		for _, w := range l.literals {
			if len(w) < 3 || distance(t.norm, w, limit) > limit {
				continue
			}
			if cost := weight(t.norm, w); len(toks) == 1 && cost < best { // one word alone: only the nearest ones
				best, t.alts = cost, nil
			} else if len(toks) == 1 && cost > best {
				continue
			}
			t.alts = append(t.alts, w)
		}
		best = 9
		for _, w := range l.values {
			if len(t.norm) < 4 || len(w) < 3 || distance(t.norm, w, 1) > 1 {
				continue
			}
			if cost := weight(t.norm, w); cost < best && (cost == 1 || len(t.norm) > 5) {
				best, t.fix = cost, w
			}
		}
		if len(t.alts) > 0 || t.fix != "" {
			changed++
		}
	}
	return changed > 0
}

// weight ranks words of distance one: a wrong letter is less likely what happened than a missing, doubled or swapped one.
func weight(a, b string) int {
	if len(a) != len(b) {
		return 1
	}
	diff := 0
	for i := range len(a) {
		if a[i] != b[i] {
			diff++
		}
	}
	if diff == 2 { // swapped
		return 1
	}
	return 2
}

// distance counts insertions, deletions, replacements and swaps of neighbours between two short words, or answers limit+1.
func distance(a, b string, limit int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit || len(a) > 40 {
		return limit + 1
	}
	prev2, prev, cur := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		best := cur[0]
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], prev2[j-2]+1)
			}
			best = min(best, cur[j])
		}
		if best > limit {
			return limit + 1
		}
		prev2, prev, cur = prev, cur, prev2
	}
	return prev[len(b)]
}
