// Package storetest is the proof that a store is one: every contract that core's services put on their storage, as tests
// against the interfaces. A second store passes it or is none. It may know no implementation.
package storetest

import (
	"context"
	"fmt"
	"io"
	"testing"
	"time"

	"jarvis/core"
)

// Run tests a whole store. open gives an empty one; the test that opened it does not close it.
func Run(t *testing.T, open func(t *testing.T) Store) {
	t.Run("chat", func(t *testing.T) { RunChat(t, func(t *testing.T) Chats { return open(t) }) })
	t.Run("session", func(t *testing.T) { runSession(t, open) })
	t.Run("todo", func(t *testing.T) { RunTodo(t, func(t *testing.T) Todos { return open(t) }) })
}

// RunReopen tests that what was stored is there after closing and opening again. open opens what lies in dir.
func RunReopen(t *testing.T, open func(t *testing.T, dir string) Store) {
	dir := t.TempDir()
	s := open(t, dir)
	f := fixture{t, s}
	f.accept(f.ask(1, 1))
	f.accept(f.ask(1, 2))
	f.claim(1, "a")
	if _, err := s.AddTodo(f.ctx(), "user:1", "milk", clock(1), 10); err != nil {
		t.Fatal(err)
	}
	c, ok := s.(io.Closer)
	if !ok {
		t.Fatal("a store that can be opened again can be closed")
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}

	s = open(t, dir)
	f = fixture{t, s}
	if got, err := s.Chain(f.ctx(), chainID(1)); err != nil || got.State != core.Running || got.Owner != "a" {
		t.Errorf("running chain is %+v, %v", got, err)
	}
	if got := f.texts(1, core.Page{}); len(got) != 2 {
		t.Errorf("history is %q", got)
	}
	if next := f.accept(f.ask(1, 3)); next.Pos <= 2 {
		t.Errorf("position %d was given before", next.Pos)
	}
	if f.tryClaim(1, "b") {
		t.Error("the lane's running chain was forgotten")
	}
	if got, err := s.Todos(f.ctx(), "user:1"); err != nil || len(got) != 1 {
		t.Errorf("todos are %v, %v", got, err)
	}
}

// fixture speaks to a store in small numbers: session 1 of user 1 has the lane session:<id of session 1>.
type fixture struct {
	t *testing.T
	s Chats
}

func (f fixture) ctx() context.Context { return f.t.Context() }

const (
	alice core.UserID = 1
	bob   core.UserID = 2
)

// clock is minute n of the tests' day.
func clock(n int) time.Time {
	return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC).Add(time.Duration(n) * time.Minute)
}

// chainID and sessionID make UUIDs whose order is the reverse of the order of use: nothing may be ordered by ids.
func chainID(n int) core.ChainID {
	return core.ChainID(fmt.Sprintf("01900000-0000-7000-8000-%012x", 0xffffffffffff-n))
}

func sessionID(n int) core.SessionID {
	return core.SessionID(fmt.Sprintf("%08x-0000-7000-9000-%012x", 0xffffffff-n, n))
}

func lane(session int) string { return "session:" + string(sessionID(session)) }

// ask is chain n in a session of alice's, which comes with it.
func (f fixture) ask(session, n int) core.Intake { return askOf(alice, session, n) }

func askOf(user core.UserID, session, n int) core.Intake {
	at := clock(n)
	return core.Intake{
		Chain: core.Chain{
			ID: chainID(n), Session: sessionID(session), User: user, Lane: lane(session), Origin: core.Origin{Kind: "cli"},
			Responder: core.RespondNone, OnDisconnect: core.Continue, Created: at,
		},
		Message: core.Message{
			ID: core.MessageID(string(chainID(n)) + ".0"), Session: sessionID(session), Chain: chainID(n), Role: core.RoleUser,
			Type: core.TypeText, Text: fmt.Sprintf("ask %d", n), Created: at,
		},
		Session: &core.Session{ID: sessionID(session), User: user, Title: "t", Created: at, Modified: at},
	}
}

func (f fixture) accept(in core.Intake) core.Chain {
	f.t.Helper()
	c, _, err := f.s.Accept(f.ctx(), in)
	if err != nil {
		f.t.Fatalf("accept: %v", err)
	}
	return c
}

func (f fixture) claim(session int, owner core.InstanceID) core.Chain {
	f.t.Helper()
	c, ok, err := f.s.Claim(f.ctx(), lane(session), owner, clock(1))
	if err != nil || !ok {
		f.t.Fatalf("claim: %v, %v", ok, err)
	}
	return c
}

func (f fixture) tryClaim(session int, owner core.InstanceID) bool {
	f.t.Helper()
	_, ok, err := f.s.Claim(f.ctx(), lane(session), owner, clock(1))
	if err != nil {
		f.t.Fatalf("claim: %v", err)
	}
	return ok
}

// message is message n of a chain.
func message(chain int, n uint32, text string) core.Message {
	return core.Message{
		ID: core.MessageID(fmt.Sprintf("%s.%d", chainID(chain), n)), Chain: chainID(chain), N: n, Role: core.RoleAssistant,
		Type: core.TypeText, Text: text, Created: clock(chain),
	}
}

// progress is step n (0 = none) of a chain of session 1.
func (f fixture) progress(chain, step int, owner core.InstanceID, ms ...core.Message) core.Progress {
	p := core.Progress{Chain: chainID(chain), Owner: owner, Messages: ms}
	if step > 0 {
		p.Step = &core.Step{Chain: chainID(chain), N: step, Model: "m", Usage: core.Usage{In: 10, Out: 1}}
	}
	for i := range p.Messages {
		p.Messages[i].Session = sessionID(1)
	}
	return p
}

func (f fixture) ending(chain int, owner core.InstanceID, at time.Time, ms ...core.Message) core.Ending {
	return core.Ending{
		Progress: f.progress(chain, 0, owner, ms...), Stop: core.EndTurn, Model: "m", System: "sys",
		Usage: core.Usage{In: 10, Out: 1}, Iters: 1, Done: at, Last: 7,
	}
}

func (f fixture) finish(chain int, owner core.InstanceID) {
	f.t.Helper()
	if err := f.s.Finish(f.ctx(), f.ending(chain, owner, clock(chain))); err != nil {
		f.t.Fatalf("finish: %v", err)
	}
}

// texts is a page of a session's history.
func (f fixture) texts(session int, p core.Page) []string {
	f.t.Helper()
	ms, _, err := f.s.History(f.ctx(), sessionID(session), p)
	if err != nil {
		f.t.Fatalf("history: %v", err)
	}
	return textsOf(ms)
}

func textsOf(ms []core.Message) []string {
	var out []string
	for _, m := range ms {
		out = append(out, m.Text)
	}
	return out
}

func wantCode(t *testing.T, what string, err error, code core.Code) {
	t.Helper()
	if core.CodeOf(err) != code {
		t.Errorf("%s: got %q (%v), want %q", what, core.CodeOf(err), err, code)
	}
}

// full gives a whole store with its fixture.
func full(t *testing.T, open func(t *testing.T) Store) (fixture, Sessions) {
	s := open(t)
	return fixture{t, s}, s
}
