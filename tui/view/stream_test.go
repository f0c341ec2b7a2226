package view

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// answers are the texts of testdata/answers by file name.
func answers(t testing.TB) map[string]string {
	t.Helper()
	files, err := filepath.Glob("testdata/answers/*.md")
	if err != nil || len(files) < 20 {
		t.Fatal("answers are missing", err)
	}
	m := map[string]string{}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		m[filepath.Base(f)] = string(b)
	}
	return m
}

func join(lines []Line) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.Text)
		if !l.Soft {
			b.WriteByte('\n')
		} else {
			b.WriteByte('\r')
		}
	}
	return b.String()
}

// cut gives s in random pieces of up to most bytes.
func cut(r *rand.Rand, s string, most int) []string {
	var out []string
	for len(s) > 0 {
		n := min(1+r.IntN(most), len(s))
		out = append(out, s[:n])
		s = s[n:]
	}
	return out
}

func stream(chunks []string, o Options, open bool) []Line {
	s := NewStream(o)
	var got []Line
	for _, c := range chunks {
		s.Write(c)
		got = append(got, s.Take()...)
		if open {
			s.Open()
		}
	}
	return append(got, s.Close()...)
}

// whole parse: every top-level block of one parse of the whole text, without the stream's machinery.
func oracle(src string, o Options) []Line {
	s := NewStream(o)
	s.tail = []byte(src)
	pieces := split(s.blocks, s.tail, -1)
	return s.render(pieces, &s.at, nil, nil)
}

func TestStreamEqualsRenderingOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for name, src := range answers(t) {
		for _, width := range []int{40, 80, 120} {
			o := Options{Width: width, Theme: Dark()}
			want := join(Render(src, o))
			if got := join(oracle(src, o)); got != want {
				t.Errorf("%s at %d: the stream differs from one parse\n%s", name, width, firstDifference(got, want))
			}
			for _, most := range []int{1, 7, 40, 400} {
				if got := join(stream(cut(r, src, most), o, most == 40)); got != want {
					t.Errorf("%s at %d in pieces of %d:\n%s", name, width, most, firstDifference(got, want))
				}
			}
		}
	}
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(g), len(w)) {
		a, b := "<none>", "<none>"
		if i < len(g) {
			a = g[i]
		}
		if i < len(w) {
			b = w[i]
		}
		if a != b {
			return "got  " + a + "\nwant " + b
		}
	}
	return ""
}
