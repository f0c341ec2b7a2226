package bolt

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"jarvis/core"
)

// maxUsageRows bounds one listing of usage, but for that by days; the largest rows are kept.
const maxUsageRows = 1000

// used is one row of usage: what a name used on a day.
type used struct {
	Usage    core.Usage `json:"usage"`
	Requests int64      `json:"requests,omitempty"`
	Chains   int64      `json:"chains,omitempty"`
	Last     time.Time  `json:"last,omitzero"`
}

func (u used) add(v used) used {
	u.Usage = u.Usage.Add(v.Usage)
	u.Requests += v.Requests
	u.Chains += v.Chains
	if v.Last.After(u.Last) {
		u.Last = v.Last
	}
	return u
}

// dayOf is the day that a step counts to; one of schema 1 has none of its own.
func dayOf(s core.Step) core.Period {
	if s.Day != "" {
		return s.Day
	}
	return core.Period(s.Done.UTC().Format(time.DateOnly))
}

// usageKeys are the rows that something counts to: of its day, model, agent and session.
func usageKeys(c core.Chain, day core.Period, model string) [][]byte {
	names := []struct {
		by   core.UsageBy
		name string
	}{{core.ByDay, string(day)}, {core.ByModel, model}, {core.ByAgent, string(c.Agent)}, {core.BySession, string(c.Session)}}
	ks := make([][]byte, 0, len(names))
	for _, n := range names {
		ks = append(ks, key(u64(c.User), str(n.by), str(day), str(n.name)))
	}
	return ks
}

// count adds to the rows of a chain's user.
func (t *tx) count(c core.Chain, day core.Period, model string, u used) error {
	for _, k := range usageKeys(c, day, model) {
		var row used
		if _, err := t.get(bUsage, k, &row); err != nil {
			return err
		}
		if err := t.put(bUsage, k, row.add(u)); err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) countStep(c core.Chain, s core.Step) error {
	return t.count(c, dayOf(s), s.Model, used{Usage: s.Usage, Requests: 1, Last: s.Done})
}

// endDay is the day that an ended chain counts to when its last step names none.
func endDay(c core.Chain) core.Period { return core.Period(c.Done.UTC().Format(time.DateOnly)) }

// countEnd counts an ended chain once: on the day of its last step, else of its end.
func (t *tx) countEnd(c core.Chain, last *core.Step) error {
	day := endDay(c)
	if last != nil && last.Day != "" {
		day = last.Day
	}
	return t.count(c, day, c.Model, used{Chains: 1, Last: c.Done})
}

// forgetSession takes an erased session out of its user's usage of a day: what it used still counts, under no name.
func (t *tx) forgetSession(c core.Chain, day core.Period) error {
	of := func(id core.SessionID) []byte { return key(u64(c.User), str(core.BySession), str(day), str(id)) }
	var row, rest used
	if ok, err := t.get(bUsage, of(c.Session), &row); err != nil || !ok {
		return err
	}
	if _, err := t.get(bUsage, of(""), &rest); err != nil {
		return err
	}
	if err := t.put(bUsage, of(""), rest.add(row)); err != nil {
		return err
	}
	return t.del(bUsage, of(c.Session))
}

// fillUsage makes the rows of usage anew from the steps and chains that are stored.
func fillUsage(t *tx) error {
	old, err := t.keys(bUsage, nil, int(^uint(0)>>1))
	if err != nil {
		return err
	}
	for _, k := range old {
		if err := t.del(bUsage, k); err != nil {
			return err
		}
	}
	err = t.each(bStep, nil, func(k, rec []byte) (bool, error) {
		var s core.Step
		if err := decode(bStep, k, rec, &s); err != nil {
			return false, err
		}
		c, err := t.chain(s.Chain)
		if core.CodeOf(err) == core.NotFound {
			return true, nil // its session is being erased
		}
		if err != nil {
			return false, err
		}
		return true, t.countStep(c, s)
	})
	if err != nil {
		return err
	}
	return t.each(bChain, nil, func(k, rec []byte) (bool, error) {
		var c core.Chain
		if err := decode(bChain, k, rec, &c); err != nil {
			return false, err
		}
		if c.State != core.Ended {
			return true, nil
		}
		return true, t.countEnd(c, nil)
	})
}

// Usage lists what a user used, by days in their order, everything else by cost, the largest first and at most 1,000 rows.
func (d *DB) Usage(ctx context.Context, q core.UsageQuery) ([]core.UsageRow, error) {
	sums := map[string]used{}
	err := d.view(ctx, "usage", func(t *tx) error {
		clear(sums)
		b, err := t.bucket(bUsage)
		if err != nil {
			return err
		}
		prefix := key(u64(q.User), str(q.By))
		c := b.Cursor()
		for k, rec := c.Seek(append(bytes.Clone(prefix), q.From...)); k != nil && bytes.HasPrefix(k, prefix); k, rec = c.Next() {
			t.reads++
			parts, err := splitKey(k)
			if err != nil || len(parts) != 4 {
				return damaged(errors.Join(errKey, err))
			}
			if q.To != "" && string(parts[2]) > string(q.To) {
				return nil
			}
			var row used
			if err := decode(bUsage, k, rec, &row); err != nil {
				return err
			}
			sums[string(parts[3])] = sums[string(parts[3])].add(row)
		}
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	return usageRows(sums, q.By), nil
}

func usageRows(sums map[string]used, by core.UsageBy) []core.UsageRow {
	rows := make([]core.UsageRow, 0, len(sums))
	for name, u := range sums {
		rows = append(rows, core.UsageRow{Name: name, Usage: u.Usage, Requests: u.Requests, Chains: u.Chains, Last: u.Last})
	}
	if by == core.ByDay {
		slices.SortFunc(rows, func(a, b core.UsageRow) int { return strings.Compare(a.Name, b.Name) })
		return rows
	}
	tokens := func(u core.Usage) int64 { return u.In + u.Out + u.CacheRead + u.CacheWrite }
	slices.SortFunc(rows, func(a, b core.UsageRow) int {
		return cmp.Or(cmp.Compare(b.Usage.Cost, a.Usage.Cost), cmp.Compare(tokens(b.Usage), tokens(a.Usage)), strings.Compare(a.Name, b.Name))
	})
	return rows[:min(len(rows), maxUsageRows)]
}
