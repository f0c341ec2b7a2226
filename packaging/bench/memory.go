package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/google/uuid"

	"jarvis/core"
	"jarvis/daemon/api"
	"jarvis/store/bolt"
)

// memory: the daemon idle, after 10,000 messages in one session, its start, and the last page of a long session.
func (b *bench) memory() error {
	h, err := b.emptyHome("memory")
	if err != nil {
		return err
	}
	long, err := b.fill(h, map[string]int{"short": 1_000, "long": 100_000, "ten": 10_000})
	if err != nil {
		return err
	}
	var starts []time.Duration
	for range 5 {
		start := time.Now()
		if err := h.start(); err != nil {
			return err
		}
		starts = append(starts, time.Since(start))
		h.stop()
	}
	b.add("daemon from start to ready (the command's own time in it)", ms(median(starts)), "", "", "aim 0.1 s")
	if err := h.start(); err != nil {
		return err
	}
	defer h.stop()
	if err := b.idle(h, "daemon idle, own memory (resident)", "< 31 MiB"); err != nil {
		return err
	}
	var times [2]time.Duration
	for i, name := range []string{"long", "short"} {
		var all []time.Duration
		for range b.n {
			start := time.Now()
			if _, err := h.c.Messages(b.ctx, string(long[name]), core.Page{Limit: 50, Backward: true}); err != nil {
				return err
			}
			all = append(all, time.Since(start))
		}
		times[i] = median(all)
	}
	b.pair("last page of 100,000 messages against 1,000", times[0], times[1], "≈ 1")
	for e, err := range h.c.Ask(b.ctx, api.Chat{Content: "hello", Session: long["ten"], Model: "bench/text-20"}) {
		if err != nil {
			return err
		}
		if e.Type == core.EventError {
			return fmt.Errorf("chain failed: %s", e.Data)
		}
	}
	return b.idle(h, "daemon after an answer in a session of 10,000 messages", "–")
}

func (b *bench) idle(h *testHome, what, bar string) error {
	time.Sleep(3 * time.Second) // what start or answer left over goes back to the system
	st, err := h.status()
	if err != nil {
		return err
	}
	own, resident, err := memory(st.PID)
	if err != nil {
		return err
	}
	b.add(what, fmt.Sprintf("%.1f MiB (%.1f)", own, resident), "", "", bar)
	return nil
}

// fill writes sessions of so many messages straight into the store of a home whose daemon does not run.
func (b *bench) fill(h *testHome, sizes map[string]int) (map[string]core.SessionID, error) {
	if err := h.h.Ensure(); err != nil {
		return nil, err
	}
	db, err := bolt.Open(b.ctx, bolt.Options{Path: filepath.Join(h.dir, "jarvis.db"), PID: os.Getpid()})
	if err != nil {
		return nil, err
	}
	out := map[string]core.SessionID{}
	for name, n := range sizes {
		s := core.Session{ID: core.SessionID(uuid.Must(uuid.NewV7()).String()), User: core.Owner, Title: name, Created: time.Now(), Modified: time.Now()}
		out[name] = s.ID
		for i := range n / 100 { // a chain of a hundred messages
			if err := b.chain(db, s, i == 0); err != nil {
				db.Close()
				return nil, err
			}
		}
	}
	return out, db.Close()
}

func (b *bench) chain(db *bolt.DB, s core.Session, first bool) error {
	now := time.Now()
	c := core.Chain{
		ID: core.ChainID(uuid.Must(uuid.NewV7()).String()), Session: s.ID, User: s.User, Lane: "session:" + string(s.ID), State: core.Queued,
		Responder: core.RespondNone, OnDisconnect: core.Continue, Created: now,
	}
	in := core.Intake{Chain: c, Message: core.Message{ID: core.MessageID(string(c.ID) + ".0"), Session: s.ID, Chain: c.ID, Role: core.RoleUser, Type: core.TypeText, Text: "What happened next?", Created: now}}
	if first {
		in.Session = &s
	}
	if _, _, err := db.Accept(b.ctx, in); err != nil {
		return err
	}
	const self = "bench"
	c, _, err := db.Claim(b.ctx, c.Lane, self, now)
	if err != nil {
		return err
	}
	p := core.Progress{Chain: c.ID, Owner: self, Step: &core.Step{Chain: c.ID, N: 1, Done: now}}
	for i := 1; i < 100; i++ {
		p.Messages = append(p.Messages, core.Message{
			ID: core.MessageID(fmt.Sprintf("%s.%d", c.ID, i)), Session: s.ID, Chain: c.ID, Pos: c.Pos, N: uint32(i), Role: core.RoleAssistant, Type: core.TypeText,
			Text: "The fishing boats came back before noon, and the whole village stood at the pier to see what the night had brought them.", Created: now,
		})
	}
	return db.Finish(b.ctx, core.Ending{Progress: p, Stop: core.EndTurn, Done: now, Last: 3})
}
