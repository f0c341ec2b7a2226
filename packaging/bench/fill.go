package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"jarvis/core"
	"jarvis/daemon/home"
	"jarvis/store/bolt"
	"jarvis/store/journal"
)

const (
	fillers = 200 // sessions that are filled at once: they share commits
	// chainSize is how many messages a chain of a filled home has: a question, a call, its result, an answer.
	chainSize = 4
	fillDays  = 30 // the days before today that its sessions are spread over
)

// filling is how much a home gets.
type filling struct {
	sessions, messages int // messages of each session
	journals           bool
}

// fill fills a home for trying things out by hand: bench fill HOME [SESSIONS [MESSAGES]]. Its daemon must not run.
func fill(args []string) error {
	if len(args) < 1 || len(args) > 3 {
		return errors.New("bench fill HOME [SESSIONS [MESSAGES of each]]")
	}
	f := filling{sessions: 1000, messages: perSession, journals: true}
	for i, n := range []*int{&f.sessions, &f.messages} {
		if len(args) > i+1 {
			var err error
			if *n, err = strconv.Atoi(args[i+1]); err != nil || *n < 1 {
				return fmt.Errorf("%q is not a number from 1 on", args[i+1])
			}
		}
	}
	dir, err := filepath.Abs(args[0])
	if err != nil {
		return err
	}
	h, err := home.Find(func(k string) string {
		if k == "JARVIS_HOME" {
			return dir
		}
		return os.Getenv(k)
	})
	if err != nil {
		return err
	}
	b := &bench{ctx: context.Background()}
	_, err = b.fillHome(&testHome{b: b, dir: dir, h: h}, f)
	return err
}

// fillHome fills the store, and the folder of journals, of a home whose daemon does not run, by the store's own methods. The
// sessions come back, oldest first.
func (b *bench) fillHome(h *testHome, f filling) ([]core.SessionID, error) {
	if err := h.h.Ensure(); err != nil {
		return nil, err
	}
	db, err := bolt.Open(b.ctx, bolt.Options{Path: h.h.DB, HomeIDPath: h.h.ID, LockPath: h.h.Lock, PID: os.Getpid()})
	if err != nil {
		return nil, err
	}
	w := &filler{ctx: b.ctx, db: db, f: f, now: time.Now()}
	if f.journals {
		if w.runs, err = journal.Open(h.h.Runs, journal.Options{}); err != nil {
			return nil, errors.Join(err, db.Close())
		}
	}
	ids := make([]core.SessionID, f.sessions)
	errs := make([]error, fillers)
	var all sync.WaitGroup
	for n := range fillers {
		all.Go(func() {
			for i := n; i < f.sessions && errs[n] == nil; i += fillers {
				ids[i], errs[n] = w.session(i)
			}
		})
	}
	all.Wait()
	if w.runs != nil {
		errs = append(errs, w.runs.Close())
	}
	return ids, errors.Join(append(errs, db.Close())...)
}

// filler writes sessions.
type filler struct {
	ctx  context.Context
	db   *bolt.DB
	runs *journal.Dir // nil = without journals
	f    filling
	now  time.Time
}

// session writes the i-th one: older ones have lower numbers, every tenth one is hidden.
func (w *filler) session(i int) (core.SessionID, error) {
	r := rand.New(rand.NewPCG(uint64(i), 4))
	age := time.Duration(float64(w.f.sessions-i) / float64(w.f.sessions) * fillDays * 24 * float64(time.Hour))
	at := w.now.Add(-age)
	s := core.Session{
		ID: core.SessionID(uuid.Must(uuid.NewV7()).String()), User: core.Owner, Title: fmt.Sprintf("Session %d: %s", i, prose(r, 5)),
		Hidden: i%10 == 9, Created: at, Modified: at,
	}
	for n := 0; n < w.f.messages; n += chainSize {
		at = at.Add(time.Second)
		if err := w.chain(r, s, n == 0, min(chainSize, w.f.messages-n), at); err != nil {
			return "", fmt.Errorf("fill session %d: %w", i, err)
		}
	}
	return s.ID, nil
}

func (w *filler) chain(r *rand.Rand, s core.Session, first bool, messages int, at time.Time) error {
	const self = "filler"
	id := core.ChainID(uuid.Must(uuid.NewV7()).String())
	message := func(n int, role, typ, text string) core.Message {
		return core.Message{
			ID: core.MessageID(fmt.Sprintf("%s.%d", id, n)), Session: s.ID, Chain: id, N: uint32(n), Role: role, Type: typ, Text: text, Created: at,
		}
	}
	in := core.Intake{
		Chain: core.Chain{
			ID: id, Session: s.ID, User: s.User, Lane: "session:" + string(s.ID), State: core.Queued,
			Responder: core.RespondNone, OnDisconnect: core.Continue, Created: at,
		},
		Message: message(0, core.RoleUser, core.TypeText, prose(r, 12)), Owner: self,
	}
	if first {
		in.Session = &s
	}
	c, _, err := w.db.Accept(w.ctx, in)
	if err != nil {
		return err
	}
	model := fmt.Sprintf("bench/text-%d", 1+r.IntN(5))
	used := core.Usage{In: 200 + r.Int64N(1000), Out: 20 + r.Int64N(400), Cost: core.MicroUSD(100 + r.IntN(2000))}
	p := core.Progress{Chain: id, Owner: self, Step: &core.Step{
		Chain: id, N: 1, Model: model, Usage: used, Finish: "end_turn", Day: core.Period(at.Format(time.DateOnly)), Started: at, Done: at,
	}}
	for n := 1; n < messages; n++ {
		m := message(n, core.RoleAssistant, core.TypeText, prose(r, 60))
		m.Pos = c.Pos
		call := core.CallID(core.Short(string(id)) + "-1")
		switch {
		case n == 1 && messages == chainSize:
			m.Type, m.Text, m.Tool, m.Call, m.Input = core.TypeToolUse, "", "time", call, []byte(`{}`)
		case n == 2 && messages == chainSize:
			m.Role, m.Type, m.Tool, m.Call, m.Text = core.RoleUser, core.TypeToolResult, "time", call, at.Format(time.RFC1123)
		}
		p.Messages = append(p.Messages, m)
	}
	last := uint64(4)
	if w.runs != nil {
		if last, err = w.journal(id, in.Message, p, model, at); err != nil {
			return err
		}
	}
	return w.db.Finish(w.ctx, core.Ending{Progress: p, Stop: core.EndTurn, Model: model, Usage: used, Iters: 1, Done: at, Last: last})
}

// journal writes what a chain's run would have left: its message, its answer, its end.
func (w *filler) journal(id core.ChainID, q core.Message, p core.Progress, model string, at time.Time) (last uint64, err error) {
	log, err := w.runs.Log(id)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	add := func(t core.EventType, text string, data any) {
		if err == nil {
			e := core.Event{Type: t, Chain: id, Session: q.Session, Time: at, Text: text}
			if data != nil {
				e = e.With(data)
			}
			last, err = log.Append(e)
		}
	}
	add(core.EventMessage, q.Text, core.MessageData{ID: q.ID, Role: q.Role})
	add(core.EventState, "", core.StateData{State: core.Running})
	add(core.EventStart, "", core.StartData{Model: model})
	answer := ""
	if n := len(p.Messages); n > 0 {
		answer = p.Messages[n-1].Text
	}
	add(core.EventText, answer, nil)
	add(core.EventDone, answer, core.DoneData{Model: model, StopReason: core.EndTurn, Iterations: 1})
	return last, err
}

// prose is n words that sound like nothing, most of them often, some of them rarely.
func prose(r *rand.Rand, n int) string {
	const syllables = "ba be bi bo da de di do ka ke ki ko la le li lo ma me mi mo na ne ni no ra re ri ro sa se si so ta te ti to"
	parts := strings.Fields(syllables)
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(' ')
		}
		word := r.ExpFloat64() * 300 // a few hundred words make most of the text
		for k := int(word) + 1; k > 0; k /= len(parts) {
			b.WriteString(parts[k%len(parts)])
		}
	}
	return b.String()
}
