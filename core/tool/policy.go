package tool

import (
	"fmt"
	"slices"
	"strings"

	"jarvis/core"
)

// Decision is what the policy says to a plan. Reason is one sentence for the model and the person when it is denied.
type Decision struct {
	Allowed bool
	Reason  string
}

// Decide judges a plan: one without effects, or that only reads, may run. Everything else needs a person's permission, and
// until the question can be put to one, nobody can be asked: it is denied at once, with the reason.
func Decide(name string, p Plan, responder core.Responder) Decision {
	var needs []string
	for _, e := range p.Effects {
		if e != Reads && !slices.Contains(needs, string(e)) {
			needs = append(needs, string(e))
		}
	}
	if len(needs) == 0 {
		return Decision{Allowed: true}
	}
	why := "and this request has nobody who can be asked"
	if responder == core.RespondUser {
		why = "which cannot be asked for yet"
	}
	return Decision{Reason: fmt.Sprintf("denied: %s needs permission (%s), %s", name, strings.Join(needs, ", "), why)}
}
