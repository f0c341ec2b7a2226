package daemon

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"jarvis/core"
	"jarvis/daemon/api"
	"jarvis/daemon/client"
	"jarvis/daemon/home"
)

// talk is what one client asked and was shown.
type talk struct {
	chain   core.ChainID
	session core.SessionID
	words   string
	shown   string
	last    core.Event
	seqs    []uint64
}

// converse asks again and again in one session until stop is closed. Every answer has its own words, so that a lost and a
// doubled one can be told from each other.
func converse(ctx context.Context, c *client.Client, name int, stop <-chan struct{}, progress chan<- struct{}) (talks []talk, err error) {
	var session core.SessionID
	for i := 0; ; i++ {
		select {
		case <-stop:
			return talks, nil
		default:
		}
		var words []string
		for w := range 60 {
			words = append(words, fmt.Sprintf("c%d.%d.%d", name, i, w))
		}
		t := talk{chain: c.NewChainID(), words: strings.Join(words, " ")}
		for e, err := range c.Ask(ctx, api.Chat{Content: "say " + t.words, Chain: t.chain, Session: session, OnDisconnect: core.Continue, Origin: "tui"}) {
			if err != nil {
				return talks, fmt.Errorf("client %d, request %d after %d events: %w", name, i, len(t.seqs), err)
			}
			t.seqs, t.last = append(t.seqs, e.Seq), e
			session = e.Session
			if e.Type == core.EventText {
				t.shown += e.Text
				select {
				case progress <- struct{}{}:
				default:
				}
			}
		}
		t.session = session
		talks = append(talks, t)
	}
}

func soakRounds() int {
	if n, err := strconv.Atoi(os.Getenv("JARVIS_SOAK_ROUNDS")); err == nil && n > 0 {
		return n
	}
	return 20
}

// TestKilledWhileEightClientsStream kills the daemon at odd moments and holds what clients saw against journal and store.
func TestKilledWhileEightClientsStream(t *testing.T) {
	const clients = 8
	f := newFakeModel(t)
	f.pace = 500 * time.Microsecond
	n := newNursery(t, newHome(t, f, ""))
	stop, progress := make(chan struct{}), make(chan struct{}, 64)
	results := make([][]talk, clients)
	errs := make([]error, clients)
	var wg sync.WaitGroup
	for i := range clients {
		c := n.client(t)
		wg.Go(func() { results[i], errs[i] = converse(t.Context(), c, i, stop, progress) })
	}
	failed := make(chan struct{})
	go func() { wg.Wait(); close(failed) }()
	for round := range soakRounds() {
		// The moment differs by what was seen, not by a clock: a slow machine must be hit inside answers too.
		for range 1 + (round*37)%101 {
			select {
			case <-progress:
			case <-failed:
				t.Fatalf("clients gave up in round %d: %v", round, errors.Join(errs...))
			}
		}
		n.kill()
	}
	close(stop)
	<-failed
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	c := n.client(t)
	cut := 0
	for i := range clients {
		cut += checkTalks(t, c, n.h, results[i])
	}
	if cut == 0 {
		t.Error("no answer was cut: the test is none")
	}
	checkRequests(t, f)
	t.Logf("%d daemons, %d answers cut", len(n.all()), cut)
}

// checkTalks holds one session against what its client saw, and counts the answers that were cut.
func checkTalks(t *testing.T, c *client.Client, h home.Home, talks []talk) (cut int) {
	t.Helper()
	if len(talks) == 0 {
		t.Error("a client never got an answer")
		return 0
	}
	stored := map[core.ChainID][]core.Message{}
	var order []core.ChainID
	for p := (core.Page{Limit: 500}); ; {
		list, err := c.Messages(t.Context(), string(talks[0].session), p)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range list.Items {
			if len(stored[m.Chain]) == 0 {
				order = append(order, m.Chain)
			}
			stored[m.Chain] = append(stored[m.Chain], m)
		}
		if p.After = list.NextCursor; p.After == "" {
			break
		}
	}
	if len(order) != len(talks) {
		t.Errorf("%d chains are stored, %d were acknowledged", len(order), len(talks))
	}
	for i, k := range talks {
		var done core.DoneData
		if err := k.last.Detail(&done); err != nil || k.last.Type != core.EventDone {
			t.Errorf("chain %s ended with %+v", k.chain, k.last)
			continue
		}
		switch done.StopReason {
		case core.EndTurn:
			if k.shown != k.words {
				t.Errorf("chain %s: a whole answer was shown as %q", k.chain, k.shown)
			}
		case core.Interrupted:
			cut++
			if !strings.HasPrefix(k.words, k.shown) {
				t.Errorf("chain %s: a cut answer was shown as %q of %q", k.chain, k.shown, k.words[:20])
			}
		default:
			t.Errorf("chain %s ended by %s", k.chain, done.StopReason)
		}
		if k.last.Text != k.shown {
			t.Errorf("chain %s: shown %q, said at the end %q", k.chain, k.shown, k.last.Text)
		}
		for j := 1; j < len(k.seqs); j++ {
			if k.seqs[j] <= k.seqs[j-1] {
				t.Errorf("chain %s: numbers %v", k.chain, k.seqs)
			}
		}
		checkJournal(t, h, k)
		if i < len(order) && order[i] != k.chain {
			t.Errorf("chain %s stands at another place", k.chain)
		}
		checkMessages(t, k, stored[k.chain])
	}
	return cut
}

// checkJournal finds every shown word in the journal, which has no gap and one end.
func checkJournal(t *testing.T, h home.Home, k talk) {
	t.Helper()
	events := journalOf(t, h, k.chain)
	if got := shown(events); got != k.shown {
		t.Errorf("chain %s: shown %q, kept %q", k.chain, k.shown, got)
	}
	ends := 0
	for i, e := range events {
		if e.Seq != uint64(i+1) {
			t.Errorf("chain %s: the journal has number %d at place %d", k.chain, e.Seq, i+1)
			return
		}
		if e.Type.Terminal() {
			ends++
		}
	}
	if ends != 1 {
		t.Errorf("chain %s: %d ends", k.chain, ends)
	}
}

func checkMessages(t *testing.T, k talk, ms []core.Message) {
	t.Helper()
	questions, answer := 0, ""
	for _, m := range ms {
		switch {
		case m.Role == core.RoleUser:
			questions++
		case m.Type == core.TypeText:
			answer += m.Text
		}
	}
	if questions != 1 || answer != k.shown {
		t.Errorf("chain %s: %d questions stored, answer %q, shown %q", k.chain, questions, answer, k.shown)
	}
}

// checkRequests holds what the provider was sent against its rules: turns alternate, none is empty, the user's is last.
func checkRequests(t *testing.T, f *fakeModel) {
	t.Helper()
	for i, r := range f.asked() {
		last := ""
		for _, m := range r.Messages {
			if m.Role == "system" || m.Role == "developer" {
				continue
			}
			if m.Role == last || last == "" && m.Role != "user" {
				t.Errorf("request %d: a %s turn follows %q", i, m.Role, last)
			}
			if strings.TrimSpace(plainText(m.Content)) == "" {
				t.Errorf("request %d: an empty %s turn", i, m.Role)
			}
			last = m.Role
		}
		if last != "user" {
			t.Errorf("request %d ends with a %q turn", i, last)
		}
	}
}
