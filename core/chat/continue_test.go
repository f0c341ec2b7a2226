package chat_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"jarvis/core"
	"jarvis/core/chat"
	"jarvis/core/llm"
	"jarvis/core/llm/anthropic"
	"jarvis/core/llm/llmtest"
	"jarvis/core/llm/ollama"
	"jarvis/core/llm/openai"
	"jarvis/core/tool"
	"jarvis/core/tool/basic"
)

// ended is what a chain left in the store behind its request.
type ended struct {
	name string
	stop core.StopReason
	left []core.Message
}

func said(typ, text string) core.Message {
	return core.Message{Role: core.RoleAssistant, Type: typ, Text: text}
}

func used(call core.CallID) core.Message {
	return core.Message{Role: core.RoleAssistant, Type: core.TypeToolUse, Tool: "time", Call: call, Input: json.RawMessage(`{}`)}
}

func got(call core.CallID, text string) core.Message {
	return core.Message{Role: core.RoleUser, Type: core.TypeToolResult, Tool: "time", Call: call, Text: text}
}

// signed is reasoning of each provider, with the data that it wants back.
func signed(text string) core.Message {
	m := said(core.TypeReasoning, text)
	m.Opaque = &core.Opaque{Provider: "anthropic", Data: json.RawMessage(`{"signature":"sig"}`)}
	return m
}

func half(m core.Message) core.Message { m.Partial = true; return m }

// endings are the ways in which a chain ends otherwise than well, and one good one.
func endings() []ended {
	failure := said(core.TypeError, "work: 500 it broke")
	lost := got("2", "interrupted; it may or may not have run")
	lost.IsError = true
	return []ended{
		{"answered", core.EndTurn, []core.Message{said(core.TypeText, "An answer.")}},
		{"error before a word", core.Failed, []core.Message{failure}},
		{"stopped before a word", core.Stopped, nil},
		{"error in the answer", core.Failed, []core.Message{half(said(core.TypeText, "Half an")), failure}},
		{"stopped in the answer", core.Stopped, []core.Message{half(said(core.TypeText, "Half an"))}},
		{"interrupted in blank text", core.Interrupted, []core.Message{half(said(core.TypeText, " \n"))}},
		{"stopped in thought", core.Stopped, []core.Message{half(said(core.TypeReasoning, "hm"))}},
		{"stopped behind a signed thought", core.Stopped, []core.Message{half(signed("hm"))}},
		{"stopped behind thought and text", core.Stopped, []core.Message{half(signed("hm")), half(said(core.TypeText, "Half"))}},
		{"interrupted in a tool", core.Interrupted, []core.Message{said(core.TypeText, "Let me see."), used("1")}},
		{"interrupted between two tools", core.Interrupted, []core.Message{used("1"), used("2"), got("1", "12:00")}},
		{"interrupted, closed by recovery", core.Interrupted, []core.Message{signed("hm"), used("1"), used("2"), got("1", "12:00"), lost}},
		{"stopped behind a tool", core.Stopped, []core.Message{used("1"), got("1", "12:00")}},
		{"loop", core.Loop, []core.Message{used("1"), got("1", "12:00"), used("3"), got("3", "12:00")}},
		{"error behind a tool", core.Failed, []core.Message{used("1"), got("1", "12:00"), half(said(core.TypeText, "It")), failure}},
		{"a tool without output", core.EndTurn, []core.Message{used("1"), got("1", ""), said(core.TypeText, "Nothing.")}},
	}
}

// past writes a session of ended chains into a store.
func past(t *testing.T, st *chat.Memory, chains ...ended) core.SessionID {
	t.Helper()
	ctx, self, now := t.Context(), core.InstanceID("before"), time.Now()
	id := func() string { return uuid.Must(uuid.NewV7()).String() }
	sess := &core.Session{ID: core.SessionID(id()), User: core.Owner, Created: now, Modified: now}
	for i, e := range chains {
		c := core.Chain{ID: core.ChainID(id()), Session: sess.ID, User: core.Owner, Lane: "session:" + string(sess.ID), State: core.Queued, Created: now}
		m := core.Message{
			ID: core.MessageID(string(c.ID) + ".0"), Session: sess.ID, Chain: c.ID, Role: core.RoleUser, Type: core.TypeText,
			Text: fmt.Sprintf("question %d", i), Context: "<jarvis-context>\nnoted\n</jarvis-context>", Created: now,
		}
		in := core.Intake{Chain: c, Message: m}
		if i == 0 {
			in.Session = sess
		}
		_, _, err := st.Accept(ctx, in)
		if err == nil {
			_, _, err = st.Claim(ctx, c.Lane, self, now)
		}
		if err != nil {
			t.Fatal(err)
		}
		ms := make([]core.Message, len(e.left))
		for k, l := range e.left {
			l.N, l.Session, l.Chain, l.Created = uint32(k)+1, sess.ID, c.ID, now
			if l.Call != "" {
				l.Call = core.CallID(fmt.Sprintf("%d-%s", i, l.Call))
			}
			l.ID = core.MessageID(fmt.Sprintf("%s.%d", c.ID, l.N))
			ms[k] = l
		}
		if err := st.Finish(ctx, core.Ending{Progress: core.Progress{Chain: c.ID, Owner: self, Messages: ms}, Stop: e.stop, Done: now}); err != nil {
			t.Fatal(err)
		}
	}
	return sess.ID
}

// providers are the real ones over servers that are as strict as theirs.
func providers(t *testing.T) []llm.Provider {
	s := llmtest.New(t, llmtest.Options{})
	a, err := anthropic.New(anthropic.Options{APIKey: "k", BaseURL: s.URL})
	if err != nil {
		t.Fatal(err)
	}
	o, err := openai.New(openai.Options{Name: "openai", Type: llm.TypeOpenAI, APIKey: "k", BaseURL: s.URL + "/v1"})
	if err != nil {
		t.Fatal(err)
	}
	l, err := ollama.New(ollama.Options{Host: s.URL})
	if err != nil {
		t.Fatal(err)
	}
	return []llm.Provider{a, o, l}
}

// TestASessionGoesOnHoweverItsChainsEnded holds that each pair of endings leaves a conversation that strict providers take.
func TestASessionGoesOnHoweverItsChainsEnded(t *testing.T) {
	reg := tool.NewRegistry()
	if err := reg.Add(basic.Tools()...); err != nil {
		t.Fatal(err)
	}
	st := chat.NewMemory()
	id := func() string { return uuid.Must(uuid.NewV7()).String() }
	s := chat.New(chat.Deps{
		Store: st, Journal: st.Journal(), Tools: reg, Now: time.Now, NewID: id, Self: core.InstanceID(id()),
		Models: llm.NewRouter(llm.RouterOptions{Providers: providers(t), Retry: llm.Policy{Attempts: 1}}),
		After:  func(d time.Duration, f func()) func() bool { return time.AfterFunc(d, f).Stop },
	})
	ctx, cancel := context.WithCancel(context.Background())
	over := make(chan error, 1)
	go func() { over <- s.Serve(ctx) }()
	defer func() { cancel(); <-over }()
	<-s.Ready()
	for _, first := range endings() {
		for _, last := range endings() {
			for _, model := range []string{"anthropic/echo", "openai/echo", "ollama/echo"} {
				session := past(t, st, first, last)
				c, err := s.Ask(ctx, core.Ask{User: core.Owner, Session: session, Text: "and now?", Params: core.Params{Model: model}})
				if err != nil {
					t.Fatal(err)
				}
				var end core.Event
				for e, err := range s.Events(ctx, core.Owner, c.ID, 0) {
					if err != nil {
						t.Fatal(err)
					}
					end = e
				}
				if end.Type != core.EventDone || !strings.Contains(end.Text, "and now?") {
					t.Errorf("%s, then %s, with %s: %s %q %s", first.name, last.name, model, end.Type, end.Text, end.Data)
				}
			}
		}
	}
}
