package chat

import (
	"context"
	"fmt"

	"jarvis/core"
	"jarvis/core/llm"
)

// maxRepairs is how often a model is asked again for an answer that is not valid.
const maxRepairs = 2

// validate takes the final answer of a request with a schema. Only the valid value is shown and kept; before that the model
// is told what is wrong, twice.
func (t *turn) validate(ctx context.Context, ans *answer) (stop core.StopReason, again bool, err error) {
	text := ans.text()
	value, verr := t.s.d.ValidateJSON(t.c.Params.Schema, []byte(text))
	if verr == nil {
		shown := string(value)
		if err := t.w.event(core.EventText, shown, nil); err != nil {
			return core.Failed, false, unkept(err)
		}
		t.shown.WriteString(shown)
		m := core.Message{Role: core.RoleAssistant, Type: core.TypeText, Text: shown}
		t.keep(append(ans.whole(true), m))
		return core.EndTurn, false, nil
	}
	t.w.record("invalid", failRecord{Now: t.s.d.Now(), Error: line(verr)})
	if t.repairs == maxRepairs {
		return core.Failed, false, core.E(core.UpstreamUnavailable, "the answer is not valid for the schema: "+line(verr),
			"jarvis model list", verr)
	}
	t.repairs++
	if err := t.flush(ctx); err != nil {
		stop, err := t.ended(ctx, unkept(err))
		return stop, false, err
	}
	t.extra = append(t.extra,
		llm.Message{Role: core.RoleAssistant, Parts: []llm.Part{{Type: llm.PartText, Text: text}}},
		llm.Message{Role: core.RoleUser, Parts: []llm.Part{{Type: llm.PartText, Text: fmt.Sprintf(
			"That is not valid for the schema: %s. Answer again with exactly one JSON value that is valid, and nothing else.", line(verr))}}},
	)
	return "", true, nil
}
