package cli

import (
	"bufio"
	"io"
	"strings"

	"jarvis/core"
	"jarvis/daemon/api"
)

// confirm asks before something is destroyed. Where nobody can be asked the answer is no.
func (a *App) confirm(yes bool, question string) error {
	if yes {
		return nil
	}
	if a.In == nil || !isTerminal(a.In) || !a.ErrTTY {
		return core.E(core.UserNotAllowed, question+" "+a.t("Nobody can be asked here"), a.withYes(), nil)
	}
	io.WriteString(a.Err, core.Printable(question)+" "+a.t("[y/N] ")) //nolint:errcheck // the terminal is all there is to tell
	line, err := bufio.NewReader(io.LimitReader(a.In, 1024)).ReadString('\n')
	if err != nil && line == "" {
		return exit{code: api.ExitError}
	}
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes", "j", "ja":
		return nil
	}
	a.talk("%s", a.t("Nothing was changed."))
	return exit{code: api.ExitError}
}

// withYes is this very command line with the answer to its question.
func (a *App) withYes() string {
	words := make([]string, 0, len(a.args)+2)
	words = append(words, "jarvis")
	yes := false
	for _, w := range a.args {
		if w == "--" && !yes {
			words, yes = append(words, "--yes"), true
		}
		words = append(words, shellQuote(w))
	}
	if !yes {
		words = append(words, "--yes")
	}
	return strings.Join(words, " ")
}
