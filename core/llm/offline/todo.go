package offline

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"jarvis/core"
	"jarvis/core/llm"
)

// entry is one line of what todo_read answers.
type entry struct {
	n      int
	status string
	text   string
}

var entryLine = regexp.MustCompile(`^#(\d+) \[([ x~])\] (.*)$`)

var states = map[string]string{" ": core.TodoPending, "x": core.TodoCompleted, "~": core.TodoInProgress}

// readTodos reads a list; false when a line is not an entry (the text was cut), so that nothing is lost by writing it back.
func readTodos(s string) ([]entry, bool) {
	var out []entry
	for line := range strings.SplitSeq(s, "\n") {
		m := entryLine.FindStringSubmatch(line)
		if m == nil {
			return out, len(out) == 0 && line == s && !strings.HasPrefix(s, "#")
		}
		n, err := strconv.Atoi(m[1])
		if err != nil {
			return nil, false
		}
		out = append(out, entry{n: n, status: states[m[2]], text: m[3]})
	}
	return out, true
}

// listAnswer shows what is open; what is done is only counted.
func listAnswer(lang, result string) string {
	list, ok := readTodos(result)
	if !ok {
		return result
	}
	var b strings.Builder
	open, done := 0, 0
	for _, e := range list {
		if e.status == core.TodoCompleted {
			done++
			continue
		}
		open++
		fmt.Fprintf(&b, "\n%d. %s", e.n, e.text)
		if e.status == core.TodoInProgress {
			b.WriteString(say(lang, "in progress"))
		}
	}
	if open == 0 {
		return say(lang, "nothing open")
	}
	s := fmt.Sprintf(say(lang, "open"), open) + b.String()
	if done > 0 {
		s += "\n" + fmt.Sprintf(say(lang, "done too"), done)
	}
	return s
}

// doneAnswer finds the entry that is meant, writes the list back with it completed, and tells.
func (in intent) doneAnswer(results []llm.Part) (string, []call) {
	list, ok := readTodos(results[0].Text)
	if !ok {
		return say(in.lang, "list too long"), nil
	}
	i, problem := in.find(list)
	if i < 0 {
		return problem, nil
	}
	if len(results) > 1 {
		return fmt.Sprintf(say(in.lang, "done"), list[i].n, list[i].text), nil
	}
	if list[i].status == core.TodoCompleted {
		return fmt.Sprintf(say(in.lang, "done before"), list[i].n, list[i].text), nil
	}
	type item struct {
		Content string `json:"content"`
		Status  string `json:"status"`
	}
	items := make([]item, len(list))
	for k, e := range list {
		items[k] = item{e.text, e.status}
	}
	items[i].Status = core.TodoCompleted
	return "", []call{{"todo_write", encode(map[string]any{"todos": items})}}
}

// find gives the entry's place, or -1 and what to say.
func (in intent) find(list []entry) (int, string) {
	if len(list) == 0 {
		return -1, say(in.lang, "nothing open")
	}
	if in.ref.n != 0 && in.ref.text == "place" {
		k := in.ref.n - 1
		if in.ref.n < 0 {
			k = len(list) - 1
		}
		if k < len(list) {
			return k, ""
		}
	}
	if in.ref.n > 0 {
		for i, e := range list {
			if e.n == in.ref.n {
				return i, ""
			}
		}
		return -1, fmt.Sprintf(say(in.lang, "no number"), in.ref.n)
	}
	best, score, twice := -1, 0.0, false
	for i, e := range list {
		s := alike(in.ref.text, e.text)
		if e.status == core.TodoCompleted {
			s *= 0.9
		}
		switch {
		case s > score:
			best, score, twice = i, s, false
		case s == score:
			twice = true
		}
	}
	switch {
	case best < 0 || score < 0.5:
		return -1, fmt.Sprintf(say(in.lang, "no text"), in.ref.text)
	case twice:
		return -1, fmt.Sprintf(say(in.lang, "several"), in.ref.text)
	}
	return best, ""
}

// alike is 1 for the same words, less for a part of them, 0 for none.
func alike(ref, text string) float64 {
	a, b := content(normalizeText(ref)), content(normalizeText(text))
	if len(a) == 0 || len(b) == 0 {
		if strings.EqualFold(ref, text) {
			return 1
		}
		return 0
	}
	hit := 0
	for _, w := range a {
		for _, v := range b {
			if w == v || len(w) > 4 && distance(w, v, 2) <= len(w)/5 {
				hit++
				break
			}
		}
	}
	return 2 * float64(hit) / float64(len(a)+len(b))
}

func normalizeText(s string) string { return umlauts.Replace(strings.ToLower(s)) }
