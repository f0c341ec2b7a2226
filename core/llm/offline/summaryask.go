package offline

import "strings"

// summaryOf reads the first line of a request with a text behind it.
func (m *Model) summaryOf(ask, body, fallback string) (intent, bool) {
	toks, ok := tokenize(ask)
	if !ok || len(toks) > 20 {
		return intent{}, false
	}
	lang := m.words.language(toks, ask, fallback)
	for _, l := range []string{lang, map[string]string{"en": "de", "de": "en"}[lang]} {
		for range 2 {
			if n, ok := summaryRequest(toks, l); ok {
				return intent{class: classSummary, lang: l, body: body, n: n}, true
			}
			if !m.words.correct(toks) {
				break
			}
		}
		for i := range toks {
			toks[i].alts, toks[i].fix = nil, ""
		}
	}
	return intent{}, false
}

// summaryRequest reports whether words ask for a summary and nothing else, and for how many sentences (0 = not said).
func summaryRequest(toks []token, lang string) (n int, ok bool) {
	all := make([]string, 0, len(toks))
	for _, t := range toks {
		all = append(all, t.norm)
	}
	key, corrected := false, 0
	for _, p := range summaryPhrases[lang] {
		key = key || strings.Contains(strings.Join(all, " "), p)
	}
	for i, t := range toks {
		if t.norm == "" {
			continue
		}
		if isNumber := readWhole(t.norm, lang); isNumber.ok && i+1 < len(toks) && strings.HasPrefix(toks[i+1].norm, map[string]string{"en": "sentence", "de": "saetz"}[lang]) {
			n = min(isNumber.n, 20)
			continue
		}
		k, filler := summaryKeys[lang][t.norm], summaryFillers[lang][t.norm]
		if !k && !filler && len(t.norm) > 4 {
			if corrected++; corrected > 1 {
				return 0, false
			}
			for _, w := range t.alts {
				k = k || summaryKeys[lang][w]
				filler = filler || summaryFillers[lang][w]
			}
		}
		key = key || k
		if !k && !filler {
			return 0, false
		}
	}
	return n, key
}

func set(s string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(umlauts.Replace(s)) {
		m[w] = true
	}
	return m
}

// summaryPhrases ask for one without a word that says so.
var summaryPhrases = map[string][]string{
	"en": {"does this text say", "does the text say", "does this say", "does it say", "does this article say", "does this email say"},
	"de": {"um was geht", "was steht in", "was steht da", "was steht hier", "was steht im", "was sagt d"},
}

// summaryKeys ask for a summary; summaryFillers may stand around them.
var (
	summaryKeys = map[string]map[string]bool{
		"en": set("summarize summarise summary summaries summarized summarised sum tldr tl;dr tl dr shorten shorter condense condensed recap gist digest " +
			"abstract overview boil about brief briefly points takeaways essence nutshell essence main essentials"),
		"de": set("zusammenfassen zusammen zusammengefasst zusammenfassung kurzfassung fasse fass kürzer kürzen kürze tldr überblick worum darum inhalt " +
			"kernaussage kernaussagen hauptpunkte wesentliche wesentlichen wichtigste wichtigsten knapp tl;dr tl dr resümee stichpunkte quintessenz kern " +
			"kürzen verkürzen verkürze kürzer"),
	}
	summaryFillers = map[string]map[string]bool{
		"en": set("please can could would you up the this that these it of a an in few couple some one two three sentences sentence words text article email " +
			"mail message report document paragraph passage story note notes for me to make what is are does say tell give key main most important " +
			"following below down just quickly short long content contents version i need want my all read and point whole thing so hey jarvis do write " +
			"provide create with from here really ll summary one by on too down"),
		"de": set("bitte kannst könntest können könnten du sie mir uns den die das der diesen dieses diese dem folgenden folgende folgendes text artikel mail " +
			"bericht nachricht abschnitt dokument in wenigen paar ein einem eine einen zwei drei sätzen satz sätze kurz ganz mal kurze kurzen mach " +
			"machen gib geben geht es in diesem im auf was steht drin sind ist und für mit worten worte eigenen fassen schreib erstelle brauche ich " +
			"hätte gern den inhalt hier unten stehenden von davon dieser nachricht um uns was sagt da hier diesen schreib so wie möglich des textes " +
			"artikels nur alles doch"),
	}
)
