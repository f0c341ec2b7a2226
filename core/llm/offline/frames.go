package offline

import "strings"

// A frame understands a request about one percentage and one amount by its key words, in whatever order people put them:
// "how much is $80 with 15% off", "if something costs 75 and there is 20% discount, what is the price".
type frame struct {
	name  string
	words map[string]string // any of them, by language
	also  map[string]string // and any of these, when given
	not   map[string]string // and none of these
	calc  []string          // {p} is the percentage, {x} the amount
}

const (
	taxEN = "vat tax gst mwst net gross"
	taxDE = "mwst mehrwertsteuer ust umsatzsteuer steuer steuern netto brutto nettopreis bruttopreis nettobetrag bruttobetrag"
)

// frames in the order in which they are tried.
var frames = []frame{
	{
		name:  "tax taken out",
		words: map[string]string{"en": taxEN, "de": taxDE},
		also:  map[string]string{"en": "~out", "de": "~out"},
		calc:  []string{"({x}) / (1 + {p})", "{x} - ({x}) / (1 + {p})"},
	},
	{
		name:  "tax added",
		words: map[string]string{"en": taxEN, "de": taxDE},
		also:  map[string]string{"en": "~in", "de": "~in"},
		calc:  []string{"{x} + {p}", "{p} of ({x})"},
	},
	{
		name:  "tax on an amount",
		words: map[string]string{"en": taxEN, "de": taxDE},
		calc:  []string{"{p} of ({x})", "{x} + {p}"},
	},
	{
		name:  "tip, interest, fee",
		words: map[string]string{"en": "tip gratuity interest commission fee surcharge duty", "de": "trinkgeld zinsen provision gebühr zuschlag aufschlag kommission"},
		calc:  []string{"{p} of ({x})", "{x} + {p}"},
	},
	{
		name: "discount",
		words: map[string]string{"en": "discount discounted off reduced reduction rebate sale less cheaper reduce decrease decreased lower lowered minus deduct subtract save " +
			"savings spend spent left", "de": "rabatt nachlass skonto reduziert ermäßigt ermäßigung günstiger billiger weniger abzüglich verringern verringere verringert senken senke " +
			"reduziere reduzieren abziehen abzug preisnachlass runtergesetzt heruntergesetzt spare sparen"},
		calc: []string{"{x} - {p}", "{p} of ({x})"},
	},
	{
		name: "increase",
		words: map[string]string{
			"en": "increase increased raise raised markup surcharge higher add added rise rises plus up went",
			"de": "erhöhen erhöhe erhöht aufschlag aufschlagen zuschlag mehr steigt teurer drauf dazu steigern zuzüglich zzgl plus erhöhung gehaltserhöhung",
		},
		calc: []string{"{x} + {p}", "{p} of ({x})"},
	},
}

// frameFillers are words that say nothing in such a request.
var frameFillers = map[string]string{
	"en": "a an the what is are was how much do does i we you it that this if of on at for with by from to and after before there price cost costs " +
		"costing bill amount total final pay have need " +
		"give gives get got me be would will should leave in my net gross something item originally normally now when then so take tell calculate " +
		"compute please up reduced applied worth result left",
	"de": "ein eine einen einem einer der die das den dem was ist sind wie viel kostet kosten macht gibt es ich wir man zahle zahlen zahl muss bei mit " +
		"um von auf für nach zu und wenn etwas preis rechnung " +
		"betrag bitte dann noch wieviel beträgt werden wird endpreis gesamt insgesamt hat dafür davon netto brutto auf am ende rechne berechne sein " +
		"bleibt bleiben übrig soll geben welcher neue eines",
}

// taxWords say which way a tax is to be reckoned. Beside the amount, net and gross say what the amount is; elsewhere they say
// what is asked for.
var taxWords = map[string]map[string]bool{
	"contained": set("including incl inclusive included includes contains contained inklusive inkl enthalten einschliesslich enthält herausrechnen " +
		"herausgerechnet rausrechnen steckt stecken drin darin remove removed heraus raus ohne without"),
	"added": set("add added plus excluding excl exclusive on-top with zzgl zuzüglich dazu drauf exklusive aufschlagen mit addieren"),
	"net":   set("net netto nettopreis nettobetrag"),
	"gross": set("gross brutto bruttopreis bruttobetrag total"),
}

// taxWay is "~out" when the amount holds the tax already, "~in" when it is to be added, "" when nothing tells.
func (m *matcher) taxWay(seen map[string]bool, from, to int) string {
	near := func(kind string) bool {
		return from > 0 && taxWords[kind][m.toks[from-1].norm] || to < len(m.toks) && taxWords[kind][m.toks[to].norm]
	}
	said := func(kind string) bool {
		for w := range seen {
			if taxWords[kind][w] {
				return true
			}
		}
		return false
	}
	switch {
	case seen["minus"], seen["less"], seen["abzueglich"], seen["weniger"]:
		return "~never"
	case seen["include"]:
		return "~in"
	case said("contained"), from > 0 && m.toks[from-1].norm == "in":
		return "~out"
	case near("net"):
		return "~in"
	case near("gross"):
		return "~out"
	case said("net"):
		return "~out"
	case said("gross"), said("added"):
		return "~in"
	}
	return ""
}

// maxStrange is how many other words a request may hold: "the price of a winter jacket".
const maxStrange = 3

func has(words map[string]string, lang string, seen map[string]bool) bool {
	for w := range strings.FieldsSeq(umlauts.Replace(words[lang])) {
		if seen[w] {
			return true
		}
	}
	return false
}

// framed tries the frames; ok only when there is exactly one percentage and one amount and few unknown words.
func (m *matcher) framed(lang string) (calcs []string, ok bool) {
	if len(m.toks) > 25 {
		return nil, false
	}
	m.end = len(m.toks)
	var share, amount string
	var at span
	seen := map[string]bool{}
	for t := 0; t < len(m.toks); {
		if v, n := m.longest("p", t); n > 0 {
			if share != "" {
				return nil, false
			}
			share, t = v, t+n
			continue
		}
		if v, n := m.longest("x", t); n > 0 && strings.ContainsAny(v, "0123456789") {
			if amount != "" {
				return nil, false
			}
			amount, at, t = v, span{t, t + n}, t+n
			continue
		}
		if w := m.toks[t]; w.norm != "" {
			seen[w.norm] = true
			if m.fuzzy {
				for _, a := range w.alts {
					seen[a] = true
				}
			}
		}
		t++
	}
	if share == "" || amount == "" {
		return nil, false
	}
	seen[m.taxWay(seen, at.from, at.to)] = true
	for _, f := range frames {
		if seen["~never"] && strings.HasPrefix(f.name, "tax") && has(f.words, lang, seen) { // "119 minus 19% VAT" may mean two things
			return nil, false
		}
		if !has(f.words, lang, seen) || f.also != nil && !has(f.also, lang, seen) || f.not != nil && has(f.not, lang, seen) {
			continue
		}
		if m.strange(lang) > maxStrange {
			return nil, false
		}
		for _, c := range f.calc {
			calcs = append(calcs, strings.NewReplacer("{p}", share, "{x}", amount).Replace(c))
		}
		return calcs, true
	}
	return nil, false
}

// longest reads a value of up to four words at t, articles and number words that are part of a phrase left out.
func (m *matcher) longest(kind string, t int) (string, int) {
	switch m.toks[t].norm { // these are key words here, not signs
	case "plus", "minus":
		return "", 0
	}
	for n := min(4, len(m.toks)-t); n > 0; n-- {
		if m.toks[t].norm == "a" || m.toks[t].norm == "an" || m.toks[t].norm == "ein" || m.toks[t].norm == "eine" || m.toks[t].norm == "einen" || m.toks[t].norm == "einer" {
			return "", 0
		}
		if v := m.value(kind, t, t+n); v.ok && (kind == "p" || single(v.text)) {
			return v.text, n
		}
	}
	return "", 0
}

// single reports whether a canonical expression is one number, perhaps with a unit.
func single(s string) bool { return !strings.ContainsAny(s, "+*/^%(") && !strings.Contains(s, " - ") }

// strange counts the words that are neither key words nor fillers nor values.
func (m *matcher) strange(lang string) int {
	known := map[string]bool{}
	for w := range strings.FieldsSeq(umlauts.Replace(frameFillers[lang])) {
		known[w] = true
	}
	for _, kind := range taxWords {
		for w := range kind {
			known[w] = true
		}
	}
	for _, f := range frames {
		for _, set := range []map[string]string{f.words, f.also, f.not} {
			for w := range strings.FieldsSeq(umlauts.Replace(set[lang])) {
				known[w] = true
			}
		}
	}
	n := 0
	for _, t := range m.toks {
		if t.norm == "" || t.norm == "%" || strings.ContainsAny(t.norm, "0123456789") || known[t.norm] || len(t.alts) > 0 && m.fuzzy {
			continue
		}
		n++
	}
	return n
}
