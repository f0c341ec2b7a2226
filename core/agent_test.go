package core

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

func TestTheAgentIsAlwaysThere(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, tc := range []struct {
		name string
		v    any
		want string
	}{
		{"event", Event{Type: EventText, Seq: 1, Chain: "c", Session: "s", Time: at, Text: "x"}, `{"type":"text","seq":1,"chain":"c","session":"s","agent":"","time":"2026-01-02T03:04:05Z","text":"x"}`},
		{"event of an agent", Event{Type: EventDone, Agent: "a", Time: at}, `"agent":"a"`},
		{"session", Session{}, `"agent":""`},
		{"message", Message{}, `"agent":""`},
	} {
		b, err := json.Marshal(tc.v)
		if err != nil || !strings.Contains(string(b), tc.want) {
			t.Errorf("%s: %s (%v)", tc.name, b, err)
		}
	}
}

func TestAnEventWithoutAnAgentIsRead(t *testing.T) { // journals of before have none
	var e Event
	if err := e.UnmarshalJSON([]byte(`{"type":"text","seq":7,"chain":"c","session":"s","time":"2026-01-02T03:04:05Z","text":"Hel"}`)); err != nil || e.Seq != 7 || e.Text != "Hel" {
		t.Errorf("%+v %v", e, err)
	}
}
