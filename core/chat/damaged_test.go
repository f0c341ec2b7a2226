package chat

import (
	"context"
	"errors"
	"iter"
	"testing"
	"testing/synctest"

	"jarvis/core"
)

// damagedFirst is a store with an open chain that cannot be read.
type damagedFirst struct{ *Memory }

func (d damagedFirst) Unfinished(ctx context.Context, self core.InstanceID) iter.Seq2[core.Chain, error] {
	return func(yield func(core.Chain, error) bool) {
		bad := core.E(core.StoreDamaged, "a record of the store is damaged", "", errors.New("checksum"))
		if !yield(core.Chain{ID: "01900000-0000-7000-8000-0000000000ff"}, bad) {
			return
		}
		for c, err := range d.Memory.Unfinished(ctx, self) {
			if !yield(c, err) {
				return
			}
		}
	}
}

func TestADamagedOpenChainKeepsNoOtherFromRunning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := NewMemory()
		w := newWorld(t, deps(&model{ref: "fake/one", play: []script{hangs()}}, st)).serve()
		first := w.ask(core.Ask{Text: "one"})
		synctest.Wait()
		waiting := w.ask(core.Ask{Text: "two", Session: first.Session})
		w.close()

		d := deps(&model{ref: "fake/one", play: []script{answers("b")}}, st)
		d.Store = damagedFirst{st}
		w2 := newWorld(t, d).serve()
		defer w2.close()
		if es := w2.events(waiting.ID, 0); es[len(es)-1].Text != "b" {
			t.Errorf("the queued one: %s", kinds(es))
		}
	})
}
