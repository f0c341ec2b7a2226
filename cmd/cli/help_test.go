package cli

import (
	"strings"
	"testing"
)

func TestTheWholeHelpIsGerman(t *testing.T) {
	for _, args := range [][]string{{"--help"}, {"help"}, {"ask", "--help"}, {"model", "--help"}, {"session", "list", "--help"}, {"daemon", "logs", "-h"}} {
		app, out, errs := testApp(t, nil)
		inner := app.Getenv
		app.Getenv = func(k string) string {
			if k == "LANG" {
				return "de_DE.UTF-8"
			}
			return inner(k)
		}
		if code := app.Run(t.Context(), args); code != 0 || errs.Len() != 0 {
			t.Errorf("%q: exit %d, %q", args, code, errs)
		}
		if !strings.Contains(out.String(), "\nAufruf:\n") {
			t.Errorf("%q: no usage in\n%s", args, out)
		}
		for _, word := range []string{"Usage", "Flags:", "Commands:", "help for", "[command]", "[flags]", "(default", "Help about", "Generate"} {
			if strings.Contains(out.String(), word) {
				t.Errorf("%q: %q is left in\n%s", args, word, out)
			}
		}
	}
}
