package offline

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// utterance is one line of testdata: what is said, its class, and what a right answer holds ("|" separates alternatives,
// "*" is any answer of that class, "!" an admission).
type utterance struct{ text, class, want string }

func readUtterances(t *testing.T, name string) []utterance {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []utterance
	for sc := bufio.NewScanner(f); sc.Scan(); {
		c := strings.Split(sc.Text(), "\t")
		if len(c) != 3 {
			t.Fatalf("%s: %q has %d columns", name, sc.Text(), len(c))
		}
		out = append(out, utterance{strings.ReplaceAll(c[0], `\n`, "\n"), c[1], c[2]})
	}
	return out
}

type verdict int

const (
	right verdict = iota
	unknown
	wrong
)

// seed is the todo list that the utterances about done ones find.
var seed = []string{"buy milk", "pay the rent", "water the plants", "Milch kaufen", "Miete überweisen", "Blumen gießen", "Zahnarzt anrufen"}

func judge(t *testing.T, lang string, u utterance) (verdict, said) {
	t.Helper()
	w := newWorld(t, lang)
	for _, s := range seed {
		if _, err := w.store.AddTodo(t.Context(), "", s, testNow, 100); err != nil {
			t.Fatal(err)
		}
	}
	in := w.model.understand(u.text, lang)
	got := w.ask(u.text)
	admitted := in.class == classNone
	switch {
	case u.want == "!":
		if admitted && len(got.calls) == 0 && strings.Contains(got.text, "jarvis setup") {
			return right, got
		}
		return wrong, got
	case admitted:
		return unknown, got
	case u.want == "*":
		if in.class != u.class {
			return wrong, got
		}
		if u.class == classTodoDone && w.store.completed() != 1 && in.ref.n != 0 {
			return wrong, got
		}
		return right, got
	case u.class == classTodoAdd:
		if len(got.calls) == 1 && strings.Contains(strings.ToLower(argument(got.calls[0], "text")), strings.ToLower(u.want)) && len(w.store.list) == len(seed)+1 {
			return right, got
		}
		return wrong, got
	}
	for alt := range strings.SplitSeq(u.want, " | ") {
		if strings.Contains(got.text, alt) {
			return right, got
		}
	}
	return wrong, got
}

// run judges a whole file and reports every miss.
func run(t *testing.T, lang, name string) (n int, counts [3]int) {
	t.Helper()
	for _, u := range readUtterances(t, name) {
		v, got := judge(t, lang, u)
		counts[v]++
		n++
		if v != right {
			t.Logf("%s %s %.70q: want %.50q, got %.90q %.90v", map[verdict]string{unknown: "NOT UNDERSTOOD", wrong: "WRONG"}[v], u.class, u.text, u.want, got.text, got.calls)
		}
	}
	t.Logf("%s: %d of %d right, %d not understood, %d wrong", name, counts[right], n, counts[unknown], counts[wrong])
	return n, counts
}

func TestUtterances(t *testing.T) {
	for _, lang := range []string{"en", "de"} {
		t.Run(lang, func(t *testing.T) {
			n, c := run(t, lang, "utterances."+lang+".tsv")
			if n < 300 || 100*c[right] < 95*n {
				t.Errorf("%d of %d right, want 95%%", c[right], n)
			}
		})
	}
}

// The sealed utterances were run once, after the last rule was written (GRAMMAR.md, Measured).
func TestSealed(t *testing.T) {
	for _, lang := range []string{"en", "de"} {
		t.Run(lang, func(t *testing.T) {
			n, c := run(t, lang, "sealed."+lang+".tsv")
			if n != 100 || 100*c[right] < 95*n {
				t.Errorf("%d of %d right, want 95%%", c[right], n)
			}
		})
	}
}
