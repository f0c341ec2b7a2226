package offline

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"jarvis/core/tool/basic/calc"
)

// intent is what an utterance asks for.
type intent struct {
	class, topic string
	lang         string // of the utterance
	calls        []call // the first calls; todo_done calls more once it has seen the list
	day          day
	hasDay       bool
	past         bool
	zone         string
	text         string // of a todo
	ref          slotValue
	body         string // of a summary
	n            int
}

// call is one tool call.
type call struct {
	tool string
	args json.RawMessage
}

// understand reads an utterance. An unknown one has classNone and its language.
func (m *Model) understand(s, fallback string) intent {
	if ask, body, ok := cutSummary(s); ok {
		if in, ok := m.summaryOf(ask, body, fallback); ok {
			return in
		}
	}
	lang := "en"
	if strings.HasPrefix(strings.ToLower(fallback), "de") {
		lang = "de"
	}
	if s = strings.TrimSpace(s); len(s) > maxUtterance || s == "" {
		if toks, ok := tokenize(head(s)); ok {
			lang = m.words.language(toks, head(s), fallback)
		}
		return intent{lang: lang}
	}
	toks, ok := tokenize(s)
	if !ok {
		return intent{lang: lang}
	}
	lang = m.words.language(toks, s, fallback)
	if in, ok := m.match(s, toks, lang, false); ok {
		return in
	}
	if m.words.correct(toks) {
		lang2 := lang
		if m.words.undecided(toks) {
			lang2 = m.words.corrected(toks, lang)
		}
		if in, ok := m.match(s, toks, lang2, true); ok {
			return in
		}
	}
	return intent{lang: lang}
}

func head(s string) string { return strings.ToValidUTF8(s[:min(len(s), 200)], "") }

// undecided reports whether no word tells the language.
func (l *lexicon) undecided(toks []token) bool {
	for _, t := range toks {
		if l.unique[0][t.norm] || l.unique[1][t.norm] {
			return false
		}
	}
	return true
}

// corrected tells the language by what misspelt words may be.
func (l *lexicon) corrected(toks []token, lang string) string {
	var all []token
	for _, t := range toks {
		for _, a := range t.alts {
			all = append(all, token{norm: a})
		}
	}
	return l.language(all, "", lang)
}

// match tries the utterance's language, then the other one.
func (m *Model) match(s string, toks []token, lang string, fuzzy bool) (intent, bool) {
	mt := &matcher{s: s, toks: toks, fuzzy: fuzzy, memo: map[slotKey]slotValue{}}
	for _, own := range []bool{true, false} {
		for _, g := range m.grammars {
			if (g.lang == lang) != own {
				continue
			}
			mt.lang = g.lang
			if in, ok := mt.rules(g, own); ok {
				in.lang = g.lang
				return in, true
			}
			if !own {
				continue
			}
			if calcs, ok := mt.framed(g.lang); ok {
				if in, ok := calculation(rule{class: classPercent}, calcs); ok {
					in.lang = g.lang
					return in, true
				}
			}
		}
	}
	return intent{}, false
}

// rules tries every rule, first on the whole utterance, then without the politeness around it.
func (mt *matcher) rules(g *grammar, own bool) (intent, bool) {
	mt.end = len(mt.toks)
	starts := mt.starts(g.lead)
	ends := mt.ends(g.tail)
	for _, from := range starts {
		for _, to := range ends {
			if in, ok := mt.span(g, from, to, false); ok {
				return in, true
			}
		}
	}
	if !own {
		return intent{}, false
	}
	slices.Sort(starts)
	slices.Sort(ends)
	for _, from := range slices.Backward(starts) { // politeness is no part of free words
		for _, to := range ends {
			if in, ok := mt.span(g, from, to, true); ok {
				return in, true
			}
		}
	}
	return intent{}, false
}

// span tries every rule on the tokens from, to.
func (mt *matcher) span(g *grammar, from, to int, loose bool) (intent, bool) {
	if from >= to {
		return intent{}, false
	}
	for _, r := range g.rules {
		list := r.patterns
		if loose {
			list = r.loose
		}
		for _, p := range list {
			if !mt.fits(p, from, to) {
				continue
			}
			if in, ok := mt.intent(r.rule); ok {
				if first := mt.toks[mt.skip(from)].norm; loose && in.class == classTodoAdd && questions[first] {
					continue
				}
				return in, true
			}
		}
	}
	return intent{}, false
}

// starts lists where the request may begin: at the first word, and behind each phrase of politeness.
func (mt *matcher) starts(lead *pnode) []int {
	out := []int{0}
	seen := map[int]bool{0: true}
	for i := 0; i < len(out) && i < 12; i++ {
		mt.end = len(mt.toks)
		mt.match(lead, out[i], func(t int) bool {
			if t < len(mt.toks) && !seen[t] {
				seen[t] = true
				out = append(out, t)
			}
			return false
		})
	}
	return out
}

// ends lists where the request may end, the last word first.
func (mt *matcher) ends(tail *pnode) []int {
	out := []int{len(mt.toks)}
	seen := map[int]bool{len(mt.toks): true}
	for i := 0; i < len(out) && i < 12; i++ {
		mt.end = out[i]
		for from := out[i] - 1; from > 0 && from >= out[i]-6; from-- {
			if !seen[from] && mt.match(tail, from, func(t int) bool { return mt.skip(t) == out[i] }) {
				seen[from] = true
				out = append(out, from)
			}
		}
	}
	return out
}

// intent makes of a fitting rule what is to be done; false when its values do not work out.
func (mt *matcher) intent(r *rule) (intent, bool) {
	get := func(name string) (slotValue, bool) {
		sp, ok := mt.slots[name]
		if !ok {
			return slotValue{}, false
		}
		return mt.value(strings.TrimRight(name, "0123456789"), sp.from, sp.to), true
	}
	if len(r.calc) > 0 {
		repl := []string{}
		for name := range mt.slots {
			v, _ := get(name)
			repl = append(repl, "{"+name+"}", v.text)
		}
		re := strings.NewReplacer(repl...)
		exprs := make([]string, len(r.calc))
		for i, c := range r.calc {
			exprs[i] = re.Replace(c)
		}
		return calculation(*r, exprs)
	}
	in := intent{class: r.class, topic: r.topic, past: r.past}
	if v, ok := get("when"); ok {
		in.day, in.hasDay = v.day, true
	}
	if v, ok := get("text"); ok {
		in.text = v.text
	}
	in.ref, _ = get("ref")
	if v, ok := get("num"); ok {
		in.ref = v
	}
	for _, name := range []string{"zone", "zone1"} {
		if v, ok := get(name); ok {
			in.zone = v.text
		}
	}
	switch r.class {
	case classTime, classDate:
		in.calls = []call{{"time", json.RawMessage(`{}`)}}
	case classZone:
		in.calls = []call{{"time", args("zone", in.zone)}}
		if v, ok := get("zone2"); ok {
			in.text = v.text
			in.calls = append(in.calls, call{"time", args("zone", v.text)})
		} else if r.topic == "difference" {
			in.calls = append(in.calls, call{"time", json.RawMessage(`{}`)})
		}
	case classTodoAdd:
		in.text = polite.ReplaceAllString(in.text, "")
		if first, _, _ := strings.Cut(strings.ToLower(in.text), " "); notTodos[first] || mt.aboutDone(in.text) {
			return intent{}, false
		}
		in.calls = []call{{"add_todo", args("text", in.text)}}
	case classTodoList, classTodoDone:
		in.calls = []call{{"todo_read", json.RawMessage(`{}`)}}
	}
	return in, true
}

// aboutDone reports whether a text says that an entry is done, perhaps misspelt: "1 erleedigt".
func (mt *matcher) aboutDone(text string) bool {
	ws := strings.Fields(normalizeText(text))
	if len(ws) < 2 || len(ws) > 3 || !readWhole(ws[0], mt.lang).ok {
		return false
	}
	for _, w := range []string{"done", "finished", "completed", "complete", "erledigt", "fertig", "abgehakt", "erledigen", "abhaken"} {
		if last := ws[len(ws)-1]; distance(last, w, 2) <= len(w)/4 {
			return true
		}
	}
	return false
}

// questions begin what nobody means as an entry, when only the end of a request tells that it is one.
var questions = set("is are what who how do does can could show where when which was were why will would give tell list read wie wer wo wann was welche welcher welches hat habe steht zeig zeige ist sind gibt kann warum nenn lies i ich there")

// polite ends what people dictate and is no part of an entry.
var polite = regexp.MustCompile(`(?i)[\s,]+(please|thanks|thank you|bitte|danke)[.!]?$`)

// notTodos begin what is no entry: "create a todo app", "make a list of …".
var notTodos = set("app apps application list website program tracker manager api component for in with about on it that this them list list: liste app anwendung programm webseite")

func args(name, value string) json.RawMessage {
	b, err := json.Marshal(map[string]string{name: value})
	if err != nil {
		return json.RawMessage(`{}`)
	}
	return b
}

// calculation makes calls of expressions in the form without language.
func calculation(r rule, exprs []string) (intent, bool) {
	in := intent{class: r.class, topic: r.topic}
	for _, x := range exprs {
		e, err := calc.Parse(x, "en")
		if err != nil {
			return intent{}, false
		}
		text := e.Text("")
		if in.class == classArithmetic {
			switch {
			case e.Converts() && !strings.HasSuffix(text, "%"):
				in.class = classUnits
			case strings.Contains(text, "%"):
				in.class = classPercent
			}
		}
		in.calls = append(in.calls, call{"calculate", args("expression", text)})
	}
	return in, true
}
