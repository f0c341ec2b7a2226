package offline

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of a summary: what is read of the text, and what is kept of it.
const (
	summaryBytes     = 256 << 10
	summarySentences = 3000
	maxSentence      = 600 // bytes of one sentence that is shown
)

// cutSummary splits "summarize this, blank line, text"; false when the request has no second part.
func cutSummary(s string) (ask, body string, ok bool) {
	head := s[:min(len(s), maxUtterance)]
	i := strings.Index(head, "\n")
	if i < 0 {
		if i = strings.Index(head, ": "); i < 0 || len(sentences(s[i+2:])) < 2 {
			return "", "", false
		}
	}
	ask, body = s[:i], strings.TrimSpace(s[i+1:])
	return strings.TrimSpace(ask), body, strings.TrimSpace(ask) != "" && body != ""
}

var stopWords = buildStopWords()

func buildStopWords() map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(`the a an and or but of to in on at by for with from as is are was were be been has have had will would can could should may might
		it its this that these those he she they we you i his her their our your not no so than then there which who whom whose what when where how all any each more most
		some such only own same very also into over after before between about up down out if because while do does did
		der die das den dem des ein eine einen einem einer eines und oder aber von zu im in an auf aus bei mit nach seit vor für durch über unter um ist sind war waren
		sein hat haben hab habe hatte wird werden wurde kann können soll es er sie wir ihr ich sich nicht kein keine so als wie wenn dass daß weil auch nur noch schon mehr sehr
		man was wer wo diese dieser dieses jede jeder jedes zum zur vom beim am ihre seine`) {
		m[w] = true
	}
	return m
}

// summarize picks the n sentences whose words are the most frequent ones of the text, in their order.
func summarize(text string, n int) string {
	if len(text) > summaryBytes {
		text = text[:summaryBytes]
		for !utf8.ValidString(text[max(0, len(text)-4):]) && len(text) > 0 {
			text = text[:len(text)-1]
		}
	}
	list := sentences(text)
	if len(list) > summarySentences {
		list = list[:summarySentences]
	}
	if n <= 0 {
		n = min(3, max(1, (len(list)+1)/2))
	}
	words := make([][]string, len(list))
	count := map[string]int{}
	for i, s := range list {
		words[i] = content(s)
		for _, w := range words[i] {
			count[w]++
		}
	}
	type scored struct {
		i     int
		score float64
	}
	order := make([]scored, len(list))
	for i, ws := range words {
		sum := 0.0
		for _, w := range ws {
			if count[w] > 1 {
				sum += float64(count[w])
			}
		}
		order[i] = scored{i, sum / math.Sqrt(float64(len(ws)+4))}
		if i == 0 {
			order[i].score *= 1.2 // texts say what they are about at the start
		}
	}
	slices.SortStableFunc(order, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	order = order[:min(n, len(order))]
	slices.SortFunc(order, func(a, b scored) int { return a.i - b.i })
	out := make([]string, len(order))
	for k, o := range order {
		out[k] = clip(list[o.i])
	}
	return strings.Join(out, " ")
}

func clip(s string) string {
	if len(s) <= maxSentence {
		return s
	}
	s = s[:maxSentence]
	if i := strings.LastIndexByte(s, ' '); i > 0 {
		s = s[:i]
	}
	return strings.ToValidUTF8(s, "") + " …"
}

// content lists a sentence's words without stop words, cut so that forms of one word meet.
func content(s string) []string {
	var out []string
	for _, w := range strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if stopWords[w] || len(w) < 3 {
			continue
		}
		for _, end := range []string{"ern", "en", "es", "er", "s", "n", "e"} {
			if cut, ok := strings.CutSuffix(w, end); ok && len(cut) > 3 {
				w = cut
				break
			}
		}
		out = append(out, w)
	}
	return out
}

// sentences cuts a text at the ends of sentences and at blank lines. A point after a number or a single letter ends none
// (14. Januar, z. B.).
func sentences(text string) []string {
	var out []string
	start := 0
	add := func(end int) {
		if s := strings.Join(strings.Fields(strings.ToValidUTF8(text[start:end], "")), " "); s != "" {
			out = append(out, s)
		}
		start = end
	}
	for i := 0; i < len(text) && len(out) <= summarySentences; i++ {
		switch text[i] {
		case '.', '!', '?':
			if i+1 < len(text) && !strings.ContainsRune(" \n\r\t\"')", rune(text[i+1])) {
				continue
			}
			if text[i] == '.' && abbreviated(text[start:i], text[i+1:]) {
				continue
			}
			add(i + 1)
		case '\n':
			if i+1 < len(text) && (text[i+1] == '\n' || strings.ContainsRune("-*•#", rune(text[i+1]))) {
				add(i + 1)
			}
		}
	}
	add(len(text))
	return out
}

func abbreviated(before, after string) bool {
	last := before[strings.LastIndexAny(before, " \n")+1:]
	if last == "" || len(last) == 1 {
		return true
	}
	digits := strings.Trim(last, "0123456789") == ""
	next := strings.TrimLeft(after, " \n")
	return digits && len(last) < 3 && next != "" // 14. Januar
}
