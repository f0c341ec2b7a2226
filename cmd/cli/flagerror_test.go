package cli

import (
	"strings"
	"testing"

	"jarvis/daemon/api"
)

// TestFlagErrorsAreWords: nobody reads Go's.
func TestFlagErrorsAreWords(t *testing.T) {
	for args, says := range map[string]string{
		"ask --max-cost potato x": `--max-cost does not take "potato"`,
		"ask --timeout 30 x":      `--timeout does not take "30"`,
		"session list -n many":    `--number does not take "many"`,
		"session search a -word":  "behind --",
	} {
		app, _, errs := testApp(t, nil)
		code := app.Run(t.Context(), strings.Fields(args))
		if code != api.ExitUsage || !strings.Contains(errs.String(), says) || strings.Contains(errs.String(), "strconv") {
			t.Errorf("%s: code %d, %s", args, code, errs)
		}
	}
}
