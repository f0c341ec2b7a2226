//go:build unix

package tui

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"

	"jarvis/tui/view"
)

// slowReader gives its chunks one a read; the clock jumps on at each, so that every chunk is worth a frame.
type slowReader struct {
	chunks []string
	clock  *atomic.Int64
}

func (r *slowReader) Read(p []byte) (int, error) {
	if len(r.chunks) == 0 {
		return 0, io.EOF
	}
	r.clock.Add(int64(time.Second))
	n := copy(p, r.chunks[0])
	r.chunks = r.chunks[1:]
	return n, nil
}

func cut(r *rand.Rand, s string, most int) []string {
	var out []string
	for len(s) > 0 {
		n := min(1+r.IntN(most), len(s))
		out = append(out, s[:n])
		s = s[n:]
	}
	return out
}

// terminal is a pseudo-terminal whose other end is an emulator.
type terminal struct {
	*vt.Emulator
	mu   sync.Mutex // guards the emulator: its own safe form hands out cells that it goes on writing to
	tty  *os.File
	ptm  *os.File
	done chan struct{}
}

func newTerminal(t *testing.T, w, h int) *terminal {
	t.Helper()
	ptm, tty, err := pty.Open()
	if err != nil {
		t.Skip("no pseudo-terminal here:", err)
	}
	if err := pty.Setsize(ptm, &pty.Winsize{Rows: uint16(h), Cols: uint16(w)}); err != nil {
		t.Fatal(err)
	}
	e := &terminal{Emulator: vt.NewEmulator(w, h), tty: tty, ptm: ptm, done: make(chan struct{})}
	e.SetScrollbackSize(10_000)
	go func() {
		defer close(e.done)
		buf, tail := make([]byte, 32<<10), ""
		for !strings.Contains(tail, endMark) {
			n, err := ptm.Read(buf)
			e.mu.Lock()
			_, _ = e.Write(buf[:n])
			e.mu.Unlock()
			if err != nil {
				return
			}
			tail = tail[max(0, len(tail)-len(endMark)):] + string(buf[:n])
		}
	}()
	t.Cleanup(func() { _ = ptm.Close() })
	return e
}

// endMark is a sequence that shows nothing. The hang-up of a pseudo-terminal is no reliable end: a read that is under way may
// miss it.
const endMark = "\x1b_end\x1b\\"

// finish waits until the emulator has seen everything, and closes.
func (e *terminal) finish() {
	_, _ = e.tty.WriteString(endMark)
	<-e.done
	_ = e.tty.Close()
}

// text is everything the terminal has shown, scrollback first, without trailing blanks.
func (e *terminal) text() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	var out []string
	for y := range e.ScrollbackLen() {
		out = append(out, rowText(e.Width(), func(x int) string {
			if c := e.ScrollbackCellAt(x, y); c != nil {
				return c.Content
			}
			return ""
		}, func(x int) int {
			if c := e.ScrollbackCellAt(x, y); c != nil {
				return c.Width
			}
			return 1
		}))
	}
	for y := range e.Height() {
		out = append(out, rowText(e.Width(), func(x int) string {
			if c := e.CellAt(x, y); c != nil {
				return c.Content
			}
			return ""
		}, func(x int) int {
			if c := e.CellAt(x, y); c != nil {
				return c.Width
			}
			return 1
		}))
	}
	for len(out) > 0 && out[len(out)-1] == "" {
		out = out[:len(out)-1]
	}
	return out
}

func rowText(w int, content func(int) string, width func(int) int) string {
	var b strings.Builder
	for x := 0; x < w; x += max(1, width(x)) {
		c := content(x)
		if c == "" {
			c = " "
		}
		b.WriteString(c)
	}
	return strings.TrimRight(b.String(), " ")
}

// TestScrollbackEqualsRenderingOnce replays every answer in random pieces through a pseudo-terminal and compares all that the
// terminal has shown, scrollback included, with writing the answer rendered once.
func TestScrollbackEqualsRenderingOnce(t *testing.T) {
	files, err := filepath.Glob("view/testdata/answers/*.md")
	if err != nil || len(files) < 20 {
		t.Fatal("answers are missing", err)
	}
	r := rand.New(rand.NewPCG(3, 4))
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, width := range []int{40, 80, 120} {
			for _, height := range []int{10, 24} {
				t.Run(fmt.Sprintf("%s/%dx%d", filepath.Base(file), width, height), func(t *testing.T) {
					opt := view.Options{Width: width, Theme: view.Dark()}
					want := once(t, string(b), opt, width, height)
					got := replay(t, cut(r, string(b), 60), opt, width, height)
					if equal(got, want) || tallTable(string(b), opt, height) && equal(wordsOf(got), wordsOf(want)) {
						return
					}
					t.Errorf("the scrollback differs\n%s", difference(got, want))
				})
			}
		}
	}
}

func once(t *testing.T, src string, o view.Options, w, h int) []string {
	t.Helper()
	e := newTerminal(t, w, h)
	sc := newScreen(e.tty, w, h, false)
	if err := sc.paint(view.Render(src, o), nil); err != nil {
		t.Fatal(err)
	}
	e.finish()
	return e.text()
}

func replay(t *testing.T, chunks []string, o view.Options, w, h int) []string {
	t.Helper()
	e := newTerminal(t, w, h)
	var clock atomic.Int64
	out := &counter{w: e.tty}
	f := &filter{
		in: &slowReader{chunks: chunks, clock: &clock}, out: out, tty: e.tty, opt: o,
		now: func() time.Time { return time.Unix(0, clock.Load()) },
	}
	if err := f.run(); err != nil {
		t.Fatal(err)
	}
	e.finish()
	if e.CursorHidden() {
		t.Error("the cursor stays hidden")
	}
	if len(chunks) > 10 && out.n < len(chunks)/2 {
		t.Errorf("%d pieces, only %d frames", len(chunks), out.n)
	}
	return e.text()
}

// tallTable tells the documented exception: a table taller than the window keeps the column widths it had when its first
// rows scrolled away.
func tallTable(src string, o view.Options, height int) bool {
	rows := 0
	for _, l := range view.Render(src, o) {
		if strings.Contains(l.Text, "│") || strings.Contains(l.Text, "┼") {
			rows++
		}
	}
	return rows >= height-1
}

func wordsOf(lines []string) []string {
	return strings.FieldsFunc(strings.Join(lines, "\n"), func(r rune) bool { return strings.ContainsRune(" \n│─┼", r) })
}

func equal(a, b []string) bool { return strings.Join(a, "\n") == strings.Join(b, "\n") }

func difference(got, want []string) string {
	for i := range max(len(got), len(want)) {
		a, b := "<none>", "<none>"
		if i < len(got) {
			a = got[i]
		}
		if i < len(want) {
			b = want[i]
		}
		if a != b {
			return fmt.Sprintf("row %d\ngot  %q\nwant %q", i, a, b)
		}
	}
	return ""
}
