package cli

import (
	"bytes"
	"strings"
	"testing"
)

func TestAQuestionWithoutAskAndABadFormNameTheWay(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"What is 2+2?"}, "Try: jarvis ask 'What is 2+2?'"},
		{[]string{"ask", "-o", "foo", "x"}, "Try: jarvis ask --help"},
		{[]string{"todo", "-o", "foo"}, "Try: jarvis todo --help"},
	} {
		var out, errs bytes.Buffer
		app := &App{Out: &out, Err: &errs, Getenv: func(string) string { return "" }}
		if code := app.Run(t.Context(), c.args); code == 0 || !strings.Contains(errs.String(), c.want) {
			t.Errorf("%q: %d %q", c.args, code, errs.String())
		}
	}
}

func TestALineForPeopleBeginsALine(t *testing.T) {
	for _, c := range []struct {
		same bool
		out  string
		want string
	}{
		{true, "answer", "answer\nsummary\nmore\n"}, {true, "answer\n", "answer\nsummary\nmore\n"}, {true, "", "summary\nmore\n"}, {false, "answer", "answersummary\nmore\n"},
	} {
		var both bytes.Buffer
		app := &App{Out: &lastByte{w: &both, same: c.same}, Err: &both}
		_ = writeAll(app.Out, c.out)
		app.talk("summary")
		app.talk("more")
		if both.String() != c.want {
			t.Errorf("%+v: %q", c, both.String())
		}
	}
}
