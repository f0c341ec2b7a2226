package prompt

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jarvis/core"
	"jarvis/core/llm"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestBlocks(t *testing.T) {
	tools := []llm.Tool{{Name: "time"}}
	for _, tc := range []struct {
		name string
		in   Input
		want []string
	}{
		{"plain", Input{}, []string{"Identity", "Conduct"}},
		{"tools", Input{Tools: tools}, []string{"Identity", "Tool rules", "Conduct"}},
		{"system", Input{Tools: tools, System: "Be a pirate."}, []string{"Identity", "Tool rules", "System prompt of the request"}},
		{"blank system", Input{System: " \n"}, []string{"Identity", "Conduct"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			blocks := Build(tc.in)
			var labels []string
			for _, b := range blocks {
				labels = append(labels, b.Label)
				if b.Icon == "" || b.Content == "" {
					t.Errorf("block %s is not complete", b.Label)
				}
			}
			if strings.Join(labels, ",") != strings.Join(tc.want, ",") {
				t.Errorf("blocks %v, want %v", labels, tc.want)
			}
			sys := Text(System(blocks))
			if len(sys) > 2048 {
				t.Errorf("the system prompt has %d bytes", len(sys))
			}
			if got := Context(blocks); got != "" {
				t.Errorf("context %q", got)
			}
		})
	}
}

func TestThePromptIsGolden(t *testing.T) {
	golden(t, "system.txt", Text(System(Build(Input{Tools: []llm.Tool{{Name: "time"}}})))+"\n")
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (go test -update writes it anew):\n%s", name, got)
	}
}

// msg reads "role type call text" shorthand.
func user(s string) core.Message {
	return core.Message{Role: core.RoleUser, Type: core.TypeText, Text: s}
}

func says(s string) core.Message {
	return core.Message{Role: core.RoleAssistant, Type: core.TypeText, Text: s}
}

func use(id, args string) core.Message {
	return core.Message{Role: core.RoleAssistant, Type: core.TypeToolUse, Tool: "t", Call: core.CallID(id), Input: json.RawMessage(args)}
}

func result(id, s string) core.Message {
	return core.Message{Role: core.RoleUser, Type: core.TypeToolResult, Tool: "t", Call: core.CallID(id), Text: s}
}

func thought(s string, signed bool) core.Message {
	m := core.Message{Role: core.RoleAssistant, Type: core.TypeReasoning, Text: s}
	if signed {
		m.Opaque = &core.Opaque{Provider: "p", Data: json.RawMessage(`1`)}
	}
	return m
}

func deleted(m core.Message) core.Message { m.Deleted = true; return m }
func partial(m core.Message) core.Message { m.Partial = true; return m }

func failed(s string) core.Message {
	return core.Message{Role: core.RoleAssistant, Type: core.TypeError, Text: s}
}

// show writes messages one a line.
func show(ms []llm.Message) string {
	var b strings.Builder
	for _, m := range ms {
		b.WriteString(m.Role + ":")
		for _, p := range m.Parts {
			switch p.Type {
			case llm.PartText:
				b.WriteString(" " + p.Text)
			case llm.PartToolUse:
				b.WriteString(" use(" + string(p.Call) + string(p.Args) + ")")
			case llm.PartToolResult:
				b.WriteString(" result(" + string(p.Call) + " " + p.Text + ")")
				if p.IsError {
					b.WriteString("!")
				}
			case llm.PartBlob:
				b.WriteString(" blob(" + p.Name + ")")
			default:
				b.WriteString(" " + p.Type + "(" + p.Text + ")")
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestHistory(t *testing.T) {
	const lost = " result(2 " + Interrupted + ")!"
	picture := user("look")
	picture.Attachments = []core.Attachment{{Name: "a.png", MediaType: "image/png", Size: 7}}
	marked := user("hi")
	marked.Context = "<jarvis-context>\nx\n</jarvis-context>"
	for _, tc := range []struct {
		name        string
		in          []core.Message
		whole, text string
	}{
		{"plain", []core.Message{user("a"), says("b")}, "user: a\nassistant: b\n", ""},
		{
			"tools",
			[]core.Message{user("a"), thought("hm", true), says("b"), use("1", `{"x":1}`), use("2", ""), result("1", "r1"), result("2", "r2"), says("c")},
			"user: a\nassistant: reasoning(hm) b use(1{\"x\":1}) use(2{})\nuser: result(1 r1) result(2 r2)\nassistant: c\n",
			"user: a\nassistant: b c\n",
		},
		{"results out of order", []core.Message{user("a"), use("1", "{}"), use("2", "{}"), result("2", "r2"), result("1", "r1")}, "user: a\nassistant: use(1{}) use(2{})\nuser: result(1 r1) result(2 r2)\n", "user: a\n"},
		{"a result is missing", []core.Message{user("a"), use("1", "{}"), use("2", "{}"), result("1", "r1"), says("c")}, "user: a\nassistant: use(1{}) use(2{})\nuser: result(1 r1)" + lost + "\nassistant: c\n", "user: a\nassistant: c\n"},
		{"all results are missing", []core.Message{user("a"), use("2", "{}")}, "user: a\nassistant: use(2{})\nuser:" + lost + "\n", "user: a\n"},
		{"a result without a call", []core.Message{user("a"), result("9", "r"), says("b")}, "user: a\nassistant: b\n", ""},
		{"a result twice", []core.Message{user("a"), use("1", "{}"), result("1", "r"), result("1", "s")}, "user: a\nassistant: use(1{})\nuser: result(1 r)\n", "user: a\n"},
		{"a call twice", []core.Message{user("a"), use("1", "{}"), use("1", "{}"), result("1", "r")}, "user: a\nassistant: use(1{})\nuser: result(1 r)\n", "user: a\n"},
		{"text behind calls", []core.Message{user("a"), use("1", "{}"), says("b"), result("1", "r"), says("c")}, "user: a\nassistant: use(1{}) b\nuser: result(1 r)\nassistant: c\n", "user: a\nassistant: b c\n"},
		{"unsigned reasoning", []core.Message{user("a"), thought("hm", false), says("b")}, "user: a\nassistant: b\n", ""},
		{"reasoning alone", []core.Message{user("a"), thought("hm", true)}, "user: a\n", ""},
		{"an error", []core.Message{user("a"), partial(says("b")), failed("no money")}, "user: a\nassistant: b\n", ""},
		{"deleted answer", []core.Message{user("a"), deleted(says("b"))}, "user: a\n", ""},
		{"deleted question", []core.Message{deleted(user("a")), says("b")}, "", ""},
		{"deleted question of an answer with tools", []core.Message{deleted(user("a")), use("1", "{}"), result("1", "r"), says("b"), use("1", "{}"), result("1", "s")}, "", ""},
		{"deleted result", []core.Message{user("a"), use("2", "{}"), deleted(result("2", "r"))}, "user: a\n", ""}, // it did run: nothing may say that it perhaps did not
		{"deleted call", []core.Message{user("a"), deleted(use("1", "{}")), use("2", "{}"), result("1", "r1"), result("2", "r2"), says("c")}, "user: a\nassistant: use(2{})\nuser: result(2 r2)\nassistant: c\n", "user: a\nassistant: c\n"},
		{"empty texts", []core.Message{user("a"), says(" \n"), says("")}, "user: a\n", ""},
		{"attachment", []core.Message{picture, says("nice")}, "user: [attachment of an earlier message: a.png, image/png, 7 bytes] look\nassistant: nice\n", ""},
		{"context", []core.Message{marked, says("b")}, "user: <jarvis-context>\nx\n</jarvis-context> hi\nassistant: b\n", ""},
		{"nothing", nil, "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := show(Whole(tc.in, nil)); got != tc.whole {
				t.Errorf("whole:\n%s\nwant:\n%s", got, tc.whole)
			}
			want := tc.text
			if want == "" {
				want = tc.whole
			}
			if got := show(TextOnly(tc.in)); got != want {
				t.Errorf("text only:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}

func TestJoin(t *testing.T) {
	a, b := TextOnly([]core.Message{user("a")}), Whole([]core.Message{user("b"), use("1", "{}"), result("1", "r")}, nil)
	c := Whole([]core.Message{user("c")}, []llm.Part{{Type: llm.PartBlob, Name: "f.png"}})
	want := "user: a b\nassistant: use(1{})\nuser: result(1 r) blob(f.png) c\n"
	for range 2 { // joining must not change what it joins
		if got := show(Join(a, b, c)); got != want {
			t.Errorf("joined:\n%s\nwant:\n%s", got, want)
		}
	}
	if got := show(Join(Whole([]core.Message{deleted(user("a")), says("x")}, nil), c)); got != "user: blob(f.png) c\n" {
		t.Errorf("joined:\n%s", got)
	}
}

func TestCutResult(t *testing.T) {
	for _, tc := range []struct {
		in  string
		cut bool
		end string
	}{
		{"", false, ""},
		{strings.Repeat("x", ResultLimit), false, "x"},
		{strings.Repeat("ü", ResultLimit), false, "ü"},
		{strings.Repeat("x", ResultLimit+1), true, "x\n[cut: 1 more characters]"},
		{strings.Repeat("ü", ResultLimit+100), true, "ü\n[cut: 100 more characters]"},
	} {
		got, cut := CutResult(tc.in)
		if cut != tc.cut || !strings.HasSuffix(got, tc.end) || (!cut && got != tc.in) {
			t.Errorf("%d bytes: cut %t, ends in %q", len(tc.in), cut, got[max(0, len(got)-40):])
		}
	}
}

// FuzzWhole holds that no stored history, however broken, becomes a request that strict providers refuse.
func FuzzWhole(f *testing.F) {
	f.Add([]byte("uaturra"))
	f.Add([]byte("tttrrr"))
	f.Add([]byte("urtartd"))
	f.Add([]byte{8, 2, 3, 1, 2, 3, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		var ms []core.Message
		for i, c := range b {
			id := string(rune('0' + i%4))
			switch c % 8 {
			case 0:
				if m := user("u"); c%16 < 8 {
					ms = append(ms, m)
				} else {
					ms = append(ms, deleted(m))
				}
			case 1:
				ms = append(ms, says("a"))
			case 2:
				ms = append(ms, use(id, "{}"))
			case 3:
				ms = append(ms, result(id, "r"))
			case 4:
				ms = append(ms, thought("t", c%16 < 8))
			case 5:
				ms = append(ms, deleted(use(id, "{}")))
			case 6:
				ms = append(ms, says(" "))
			case 7:
				ms = append(ms, failed("f"))
			}
		}
		out := Join(Whole(ms, nil), Whole([]core.Message{user("now")}, nil))
		for i, m := range out {
			if len(m.Parts) == 0 || (i == 0) != (m.Role == core.RoleUser && i == 0) || (i > 0 && out[i-1].Role == m.Role) {
				t.Fatalf("%q:\n%s", b, show(out))
			}
			open := map[core.CallID]bool{}
			for _, p := range m.Parts {
				if i == 0 && p.Type == llm.PartToolResult {
					t.Fatalf("%q: begins with a result\n%s", b, show(out))
				}
				if p.Type == llm.PartToolUse {
					if open[p.Call] || i+1 == len(out) {
						t.Fatalf("%q:\n%s", b, show(out))
					}
					open[p.Call] = true
				}
			}
			if i+1 < len(out) {
				for _, p := range out[i+1].Parts {
					if p.Type == llm.PartToolResult {
						if !open[p.Call] {
							t.Fatalf("%q: a result without a call\n%s", b, show(out))
						}
						delete(open, p.Call)
					}
				}
			}
			if len(open) > 0 {
				t.Fatalf("%q: a call without a result\n%s", b, show(out))
			}
		}
	})
}
