package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"jarvis/core"
)

// The homes of which the larger one must answer as fast as the smaller one. -big is the larger one's sessions.
const (
	perSession = 100 // messages
	tenth      = 10  // the smaller home has a tenth of the sessions
)

// full is a filled home with its daemon.
type full struct {
	*testHome
	ids  []core.SessionID
	next int // sessions that are taken already, from the oldest on
}

// take gives a session that no earlier call gave.
func (f *full) take() string {
	id := f.ids[f.next%len(f.ids)]
	f.next++
	return string(id)
}

func (b *bench) newFull(name string, f filling) (*full, error) {
	t, err := b.emptyHome(name)
	if err != nil {
		return nil, err
	}
	start := time.Now()
	ids, err := b.fillHome(t, f)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(os.Stderr, "filled a home with %d messages in %d sessions in %s\n", f.sessions*f.messages, f.sessions, time.Since(start).Round(time.Millisecond))
	return &full{testHome: t, ids: ids}, nil
}

// command is one of jarvis as people type it, in a home.
type command struct {
	name string // what it is measured as; its words are also what jarvis must know
	args func(f *full) []string
}

// commands are those whose time must not grow with the home. One that this jarvis does not have is left out.
func commands() []command {
	one := func(name string, more ...string) command {
		return command{name, func(f *full) []string { return append(append(strings.Fields(name), f.take()), more...) }}
	}
	plain := func(name string, more ...string) command {
		return command{name, func(*full) []string { return append(strings.Fields(name), more...) }}
	}
	return []command{
		plain("session list"),
		one("session show"),
		one("session prompt"),
		one("session context"),
		one("session export"),
		plain("session search", "bakeli"),
		plain("session archives"),
		plain("usage"),
		plain("todo list"),
		one("session edit", "--title", "a new title"),
		plain("session new"),
		one("session fork"),
		plain("ask", "-n", "-m", "bench/text-20", "hello"),
		{"ask -s", func(f *full) []string { return []string{"ask", "-n", "-m", "bench/text-20", "-s", f.take(), "hello"} }},
		one("session archive"), // behind all that read what it takes away
	}
}

// scale: every command in a home against the same in one with a tenth of the sessions.
func (b *bench) scale() error {
	small, err := b.newFull("small", filling{b.big / tenth, perSession, true})
	if err != nil {
		return err
	}
	big, err := b.newFull("big", filling{b.big, perSession, true})
	if err != nil {
		return err
	}
	label := fmt.Sprintf("%d sessions, %d messages against a tenth: ", b.big, b.big*perSession)
	if err := b.starts(label, big, small); err != nil {
		return err
	}
	for _, f := range []*full{small, big} {
		if err := f.start(); err != nil {
			return err
		}
		defer f.stop()
	}
	if err := b.idle(small.testHome, label+"memory of the tenth's daemon", "–"); err != nil {
		return err
	}
	if err := b.idle(big.testHome, label+"memory of its daemon", "< 31 MiB"); err != nil {
		return err
	}
	if err := b.routes(label, big, small); err != nil {
		return err
	}
	for _, c := range commands() {
		if err := b.versus(label, c, b.n+1, big, small); err != nil {
			return err
		}
	}
	// At the end, because nothing can be asked of what is erased.
	rm := command{"session rm", func(f *full) []string { return []string{"session", "rm", "--yes", f.take()} }}
	if err := b.versus(label, rm, min(b.n+1, len(small.ids)/2), big, small); err != nil {
		return err
	}
	return b.idle(big.testHome, label+"memory of its daemon after all that", "–")
}

// versus times a command in both homes, in turn.
func (b *bench) versus(label string, c command, times int, big, small *full) error {
	if !b.knows(c) {
		return nil
	}
	var ours, bare []time.Duration
	for range times {
		for _, f := range []*full{small, big} {
			_, d, err := b.timed(f.env, filepath.Join(b.bin, "jarvis"), c.args(f)...)
			if err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			if f == big {
				ours = append(ours, d)
			} else {
				bare = append(bare, d)
			}
		}
	}
	b.pair(label+c.name, median(ours[1:]), median(bare[1:]), "≈ 1")
	return nil
}

// knows reports whether this jarvis has a command.
func (b *bench) knows(c command) bool {
	words := strings.Fields(c.name)
	for len(words) > 1 && strings.HasPrefix(words[len(words)-1], "-") {
		words = words[:len(words)-1]
	}
	out, err := exec.CommandContext(b.ctx, filepath.Join(b.bin, "jarvis"), append(words, "--help")...).Output()
	return err == nil && strings.Contains(string(out), "jarvis "+strings.Join(words, " ")+" ")
}

// starts is how long a daemon of either home takes to be ready.
func (b *bench) starts(label string, big, small *full) error {
	var times [2][]time.Duration
	for range 5 {
		for i, f := range []*full{big, small} {
			start := time.Now()
			if err := f.start(); err != nil {
				return err
			}
			times[i] = append(times[i], time.Since(start))
			f.stop()
		}
	}
	b.pair(label+"daemon start", median(times[0]), median(times[1]), "≈ 1")
	return nil
}

// routes are the same without the time that a program takes to begin, which is most of a command's.
func (b *bench) routes(label string, big, small *full) error {
	ctx := b.ctx
	last := func(f *full) string { return string(f.ids[len(f.ids)-1]) }
	for _, r := range []struct {
		name string
		call func(f *full) error
	}{
		{"GET /api/sessions", func(f *full) error { _, err := f.c.Sessions(ctx, false, core.Page{}); return err }},
		{"GET /api/sessions/{short id}", func(f *full) error { _, err := f.c.Session(ctx, core.Short(last(f))); return err }},
		{"GET …/messages", func(f *full) error { _, err := f.c.Messages(ctx, last(f), core.Page{}); return err }},
		{"GET /api/usage by day", func(f *full) error { _, err := f.c.Usage(ctx, core.ByDay, "", ""); return err }},
		{"GET /api/usage by model", func(f *full) error { _, err := f.c.Usage(ctx, core.ByModel, "", ""); return err }},
		{"GET /api/status", func(f *full) error { _, err := f.c.Status(ctx); return err }},
		{"GET /api/models", func(f *full) error { _, err := f.c.Models(ctx); return err }},
	} {
		var times [2][]time.Duration
		for range b.n + 1 {
			for i, f := range []*full{big, small} {
				start := time.Now()
				if err := r.call(f); err != nil {
					return fmt.Errorf("%s: %w", r.name, err)
				}
				times[i] = append(times[i], time.Since(start))
			}
		}
		b.add(label+r.name, us(median(times[0][1:])), us(median(times[1][1:])), ratio(median(times[0][1:]), median(times[1][1:])), "≈ 1")
	}
	return nil
}

// list: opening the session list of a home with ten thousand sessions, against one with a hundred.
func (b *bench) list() error {
	const many, few = 10_000, 100
	big, err := b.newFull("many", filling{many, 2, false})
	if err != nil {
		return err
	}
	small, err := b.newFull("few", filling{few, 2, false})
	if err != nil {
		return err
	}
	for _, f := range []*full{small, big} {
		if err := f.start(); err != nil {
			return err
		}
		defer f.stop()
	}
	label := "10,000 sessions against 100: "
	for _, c := range []struct {
		name string
		args []string
	}{
		{"session list", []string{"session", "list"}},
		{"TAB behind session show", []string{"__complete", "session", "show", ""}},
	} {
		var times [2][]time.Duration
		for range b.n + 1 {
			for i, f := range []*full{big, small} {
				_, d, err := b.timed(f.env, filepath.Join(b.bin, "jarvis"), c.args...)
				if err != nil {
					return err
				}
				times[i] = append(times[i], d)
			}
		}
		b.pair(label+c.name, median(times[0][1:]), median(times[1][1:]), "≈ 1")
	}
	start, seen := time.Now(), 0
	for cursor := core.Cursor(""); ; {
		page, err := big.c.Sessions(b.ctx, true, core.Page{After: cursor, Limit: 1000})
		if err != nil {
			return err
		}
		seen += len(page.Items)
		if cursor = page.NextCursor; cursor == "" {
			break
		}
	}
	if seen != many {
		return errors.New("the list of sessions is not whole")
	}
	b.add("10,000 sessions, all of them in ten pages", ms(time.Since(start)), "", "", "–")
	return b.idle(big.testHome, "10,000 sessions: memory of the daemon after listing them", "< 31 MiB")
}

func us(d time.Duration) string {
	return fmt.Sprintf("%.0f µs", float64(d)/float64(time.Microsecond))
}

func ratio(a, b time.Duration) string { return fmt.Sprintf("%.2f", float64(a)/float64(b)) }
