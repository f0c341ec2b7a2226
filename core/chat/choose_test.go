package chat

import (
	"context"
	"testing"
	"testing/synctest"

	"jarvis/core"
	"jarvis/core/llm"
)

// chooser stands for a small model without tools and one with them, as "auto" does on a machine with a local model alone.
type chooser struct {
	*model
	rules *model
	saw   llm.Request
}

func (c *chooser) Choose(r llm.Request) llm.Model { c.saw = r; return c.rules }

func (c *chooser) Resolve(context.Context, string) (llm.Model, error) { return c, nil }

func TestTheModelIsChosenByARequestWithAllTools(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rules := &model{ref: "builtin/rules", info: llm.Info{Window: 1 << 20, Tools: true}, play: []script{answers("408")}}
		c := &chooser{model: &model{ref: "local/small", info: llm.Info{Window: 8192}}, rules: rules}
		d := deps(c.model, NewMemory(), echo("calculate"))
		d.Models = c
		w := newWorld(t, d).serve()
		defer w.close()
		es := w.events(w.ask(core.Ask{Text: "17% of 2,400"}).ID, 0)
		if doneOf(t, es); len(c.requests()) != 0 {
			t.Error("the small model was asked")
		}
		if len(c.saw.Tools) != 1 || c.saw.Messages[0].Parts[0].Text != "17% of 2,400" {
			t.Errorf("chosen by %+v", c.saw)
		}
		if r := rules.requests(); len(r) != 1 || len(r[0].Tools) != 1 {
			t.Errorf("the chosen model's request has no tools: %+v", r)
		}
	})
}
