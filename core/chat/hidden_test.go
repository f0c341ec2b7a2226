package chat_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"jarvis/core"
	"jarvis/store/bolt"
)

// TestADeletedMessageIsNotSent: what a person has taken out goes to no model, also after a restart.
func TestADeletedMessageIsNotSent(t *testing.T) {
	dir, m := t.TempDir(), &echoModel{}
	s, _, stop := daemon(t, dir, m)
	ask := func(session core.SessionID, text string) core.Chain {
		c, err := s.Ask(t.Context(), core.Ask{User: core.Owner, Session: session, Text: text})
		if err != nil {
			t.Fatal(err)
		}
		read(t, s, c.ID, 0)
		return c
	}
	first := ask("", "mango")
	ask(first.Session, "pear")
	stop()

	d, err := bolt.Open(t.Context(), bolt.Options{Path: filepath.Join(dir, "jarvis.db")})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []string{".0", ".1"} {
		if _, err := d.HideMessage(t.Context(), core.Owner, core.MessageID(string(first.ID)+n), true); err != nil {
			t.Error(err)
		}
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}

	s, _, stop = daemon(t, dir, m)
	defer stop()
	ask(first.Session, "plum")
	sent := func(n int) string {
		b, err := json.Marshal(m.reqs[n])
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	if before := sent(1); !strings.Contains(before, "mango") {
		t.Errorf("the second request has no history: %s", before)
	}
	if after := sent(2); strings.Contains(after, "mango") || !strings.Contains(after, "pear") || !strings.Contains(after, "plum") {
		t.Errorf("the third request is %s", after)
	}
}
