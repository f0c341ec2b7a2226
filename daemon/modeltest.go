package daemon

import (
	"context"
	"strings"
	"time"

	"jarvis/core"
	"jarvis/core/llm"
	"jarvis/daemon/api"
)

// testTime bounds the test of a model; a local one may have to be loaded first.
const testTime = 3 * time.Minute

// Test asks a model for one word, or only finds out which one a name means.
func (m *models) Test(ctx context.Context, t api.ModelTest) api.ModelTested {
	ctx, cancel := context.WithTimeout(ctx, testTime)
	defer cancel()
	out := api.ModelTested{Model: t.Model}
	model, err := m.Resolve(ctx, t.Model)
	if err == nil {
		out.Model = model.Ref()
		if !t.Resolve {
			err = tryModel(ctx, model, &out)
		}
	}
	if err != nil {
		out.Error = errorBody(coreError(err))
		if strings.HasPrefix(out.Error.Hint, "jarvis model test ") { // that is what has just failed
			out.Error.Hint = "jarvis model list   # another model"
		}
	}
	out.OK = err == nil
	return out
}

// tryModel streams one short answer into out.
func tryModel(ctx context.Context, model llm.Model, out *api.ModelTested) error {
	start := time.Now()
	var answer strings.Builder
	var usage core.Usage
	req := llm.Request{
		Messages:  []llm.Message{{Role: core.RoleUser, Parts: []llm.Part{{Type: llm.PartText, Text: "Say hello in one short sentence."}}}},
		MaxTokens: 256, Lang: "en",
	}
	for d, err := range model.Stream(ctx, req) {
		if err != nil {
			return err
		}
		switch d.Kind {
		case llm.DeltaText, llm.DeltaReasoning:
			if out.FirstMS == 0 {
				out.FirstMS = max(1, time.Since(start).Milliseconds())
			}
			if d.Kind == llm.DeltaText {
				answer.WriteString(d.Text)
			}
		case llm.DeltaModel:
			out.Model = d.Text
		case llm.DeltaUsage:
			if d.Usage != nil {
				usage = *d.Usage
			}
		}
	}
	out.DurationMS = time.Since(start).Milliseconds()
	out.Answer = strings.TrimSpace(answer.String())
	out.Usage = &core.DoneData{
		Model: out.Model, StopReason: core.EndTurn, Iterations: 1, Tokens: usage.Tokens(), CostUSD: usage.CostUSD(), DurationMS: out.DurationMS,
	}
	return nil
}

func errorBody(err error) *api.ErrorBody {
	var e *core.Error
	if !asCore(err, &e) {
		e = core.E(core.Internal, err.Error(), "jarvis daemon logs", err)
	}
	return &api.ErrorBody{Code: e.Code, Message: e.Message, Status: api.StatusOf(e.Code), Hint: e.Hint}
}
