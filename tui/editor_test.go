package tui

import (
	"strings"
	"testing"
	"time"
)

func typed(e *editor, keys ...string) {
	for _, k := range keys {
		if t, ok := strings.CutPrefix(k, "="); ok {
			e.typed(t)
		} else {
			e.key(k)
		}
	}
}

func TestEditor(t *testing.T) {
	for _, c := range []struct {
		name string
		keys []string
		want string // | is the cursor
	}{
		{"types", []string{"=abc"}, "abc|"},
		{"moves by graphemes", []string{"=한글👨‍👩‍👧B", "left", "left", "=x"}, "한글x|👨‍👩‍👧B"},
		{"removes a whole grapheme", []string{"=a👨‍👩‍👧", "backspace"}, "a|"},
		{"joins a combining mark", []string{"=e", "=\u0301", "backspace"}, "|"},
		{"home and delete", []string{"=abc", "home", "delete"}, "|bc"},
		{"end", []string{"=abc", "ctrl+a", "ctrl+e", "=d"}, "abcd|"},
		{"words", []string{"=one two three", "alt+b", "alt+b", "=x"}, "one x|two three"},
		{"cuts a word and puts it back", []string{"=one two", "ctrl+w", "home", "ctrl+y"}, "two|one "},
		{"cuts to the end", []string{"=one two", "home", "alt+f", "ctrl+k"}, "one|"},
		{"cuts to the beginning", []string{"=one two", "alt+b", "ctrl+u"}, "|two"},
		{"a new line", []string{"=a", "alt+enter", "=b"}, "a\nb|"},
		{"a backslash makes a new line", []string{`=a\`, "enter", "=b"}, "a\nb|"},
		{"up inside the text", []string{"=abc", "ctrl+j", "=de", "up", "=x"}, "abx|c\nde"},
		{"down inside the text", []string{"=abc", "ctrl+j", "=de", "up", "home", "down", "=x"}, "abc\nx|de"},
		{"nothing before the beginning", []string{"backspace", "left", "delete", "alt+b", "ctrl+k", "ctrl+y"}, "|"},
		{"the newest message", []string{"up"}, "two|"},
		{"an older one", []string{"up", "up"}, "one|"},
		{"back to what was typed", []string{"=new", "up", "up", "down", "down"}, "new|"},
		{"completes a command", []string{"=/he", "tab"}, "/help |"},
		{"not when two are possible", []string{"=/", "tab"}, "/|"},
		{"drops control characters", []string{"=a\x1b[31mb\x00"}, "a[31mb|"},
	} {
		e := &editor{names: []string{"/help", "/new"}}
		e.remember("one")
		e.remember("two")
		typed(e, c.keys...)
		var b strings.Builder
		for i, cell := range e.cells {
			if i == e.cur {
				b.WriteByte('|')
			}
			b.WriteString(cell.Text)
		}
		if e.cur == len(e.cells) {
			b.WriteByte('|')
		}
		if b.String() != c.want {
			t.Errorf("%s: %q, want %q", c.name, b.String(), c.want)
		}
	}
}

func TestLongPasteIsFoldedAndWhole(t *testing.T) {
	e := &editor{folded: foldLabel(speech{})}
	text := strings.Repeat("line of text\n", 80_000) // 1 MB
	begin := time.Now()
	e.paste(text)
	e.typed(" end")
	if d := time.Since(begin); d > 100*time.Millisecond {
		t.Errorf("1 MB took %v", d)
	}
	if len(e.cells) != 5 || e.cells[0].Label != "[pasted 80001 lines]" || e.text() != text+" end" {
		t.Errorf("%d cells, label %q", len(e.cells), e.cells[0].Label)
	}
	e.paste(text)
	if len(e.text()) > maxTyped {
		t.Errorf("%d bytes typed", len(e.text()))
	}
}

func TestKeys(t *testing.T) {
	for _, c := range []struct {
		name string
		in   []string // one read each; "!" lets the time for more run out
		want string
	}{
		{"text", []string{"ab"}, "'a' 'b'"},
		{"a character in two reads", []string{"\xe6\xbc", "\xa2"}, "'漢'"},
		{"arrows", []string{"\x1b[A\x1b[D", "\x1b[", "C"}, "up left right"},
		{"control", []string{"\x03\x04\x01"}, "ctrl+c ctrl+d ctrl+a"},
		{"enter and its kin", []string{"\r", "\n", "\x1b\r", "\x1b[13;2u"}, "enter ctrl+j alt+enter shift+enter"},
		{"escape alone", []string{"\x1b", "!"}, "esc"},
		{"backspace", []string{"\x7f"}, "backspace"},
		{"paste", []string{"\x1b[200~a\rb\x1b[201~c"}, "[a\rb] 'c'"},
		{"a paste in pieces", []string{"\x1b[20", "0~a", "b\x1b[20", "1~"}, "[ab]"},
		{"a paste without an end", []string{"\x1b[200~abc", "!", "d"}, "[abc] 'd'"},
		{"keys inside a paste", []string{"\x1b[200~\x03\x04\x1b[A\x1b[201~"}, "[\x03\x04\x1b[A]"},
	} {
		var k keys
		var got []string
		for _, in := range c.in {
			var ks []key
			if in == "!" {
				if k.wait() == 0 {
					t.Errorf("%s: waits for nothing", c.name)
				}
				ks = k.expire()
			} else {
				ks = k.feed([]byte(in))
			}
			for _, one := range ks {
				switch {
				case one.paste:
					got = append(got, "["+one.text+"]")
				case one.text != "":
					got = append(got, "'"+one.text+"'")
				default:
					got = append(got, one.name)
				}
			}
		}
		if g := strings.Join(got, " "); g != c.want {
			t.Errorf("%s: %q, want %q", c.name, g, c.want)
		}
	}
}

func FuzzKeys(f *testing.F) {
	f.Add([]byte("\x1b[200~x\x1b[201~\x1b[A\x1bO"), uint8(3))
	f.Add([]byte("\x1b]11;rgb:ffff/ffff/ffff\x07\x1bP1$r\x1b\\"), uint8(1))
	f.Fuzz(func(t *testing.T, b []byte, size uint8) {
		var k keys
		e := &editor{folded: foldLabel(speech{})}
		for len(b) > 0 {
			n := min(1+int(size), len(b))
			for _, key := range k.feed(b[:n]) {
				if key.paste {
					e.paste(key.text)
				} else if key.text != "" {
					e.typed(key.text)
				} else {
					e.key(key.name)
				}
			}
			b = b[n:]
		}
		k.expire()
		if len(k.buf) > 0 && k.wait() == 0 || e.cur < 0 || e.cur > len(e.cells) || e.size != len(e.text()) {
			t.Fatalf("cursor %d of %d, size %d of %d", e.cur, len(e.cells), e.size, len(e.text()))
		}
	})
}
