package cli

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"
)

// TestBashCompletesWithoutItsPackage: the script works in a shell that has loaded nothing else.
func TestBashCompletesWithoutItsPackage(t *testing.T) {
	var script bytes.Buffer
	app := &App{Out: &script, Err: &script, Getenv: func(string) string { return "" }}
	if code := app.Run(t.Context(), []string{"completion", "bash"}); code != 0 {
		t.Fatal(script.String())
	}
	if !strings.HasPrefix(script.String(), BashPrelude) || !strings.Contains(script.String(), "__start_jarvis") {
		t.Fatalf("%.200s", script.String())
	}
	bash, err := exec.LookPath("bash")
	if err != nil {
		return // nothing to run it in
	}
	script.WriteString(`
jarvis() { printf 'asked:%s\n' "$*"; }
COMP_LINE="jarvis todo do"; COMP_POINT=${#COMP_LINE}
_get_comp_words_by_ref -n =: cur prev words cword
printf '%s|%s|%s|%s\n' "$cur" "$prev" "$cword" "${words[*]}"
`)
	cmd := exec.CommandContext(t.Context(), bash, "--norc", "--noprofile")
	cmd.Stdin = &script
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "do|todo|2|jarvis todo do\n") {
		t.Errorf("%v\n%s", err, out)
	}
}
