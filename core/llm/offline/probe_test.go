package offline

import (
	"os"
	"strings"
	"testing"
)

func TestProbe(t *testing.T) {
	f := os.Getenv("PROBE")
	if f == "" {
		t.Skip()
	}
	lang := os.Getenv("PLANG")
	b, _ := os.ReadFile(f)
	for l := range strings.SplitSeq(strings.TrimSpace(string(b)), "\n") {
		w := newWorld(t, lang)
		for _, s := range seed {
			w.store.AddTodo(t.Context(), "", s, testNow, 100)
		}
		l = strings.ReplaceAll(l, `\n`, "\n")
		in := w.model.understand(l, lang)
		got := w.ask(l)
		txt := strings.ReplaceAll(got.text, "\n", " / ")
		if in.class == classNone {
			txt = "-"
		}
		if len(txt) > 110 {
			txt = txt[:110]
		}
		a := ""
		if in.class == classTodoAdd {
			a = got.calls[0]
		}
		t.Logf("%-10s %-55.55s %s %s", in.class, l, txt, a)
	}
}
