package cli

import (
	"errors"
	"testing"

	"jarvis/core"
)

func TestTheHintIsTheCommandWithYes(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"session", "rm", "3fa9c1"}, "jarvis session rm 3fa9c1 --yes"},
		{[]string{"model", "rm", "local/a b"}, "jarvis model rm 'local/a b' --yes"},
		{[]string{"session", "rm", "--", "3fa9c1"}, "jarvis session rm --yes -- 3fa9c1"},
	} {
		app, _, _ := testApp(t, nil)
		app.args = tt.args
		var e *core.Error
		if err := app.confirm(false, "Erase it?"); !errors.As(err, &e) || e.Hint != tt.want {
			t.Errorf("%q: hint %q, want %q", tt.args, e.Hint, tt.want)
		}
	}
}
