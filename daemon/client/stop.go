package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"jarvis/core"
	"jarvis/daemon/api"
	"jarvis/daemon/home"
)

// ErrSilent is in the chain of an error about a daemon that holds its home and does not answer, as ErrUnreachable is.
var ErrSilent = errors.New("the daemon runs and does not answer")

// healTime is how long a daemon gets to make its socket and its token anew; it looks every second.
const healTime = 2500 * time.Millisecond

// Shutdown asks a running daemon to end and waits until it has let go of its home. running is false when there was none. One
// that cannot be asked, because its socket is gone or its token lost, gets SIGTERM.
func (c *Client) Shutdown(ctx context.Context) (running bool, err error) {
	var s api.Status
	if err := c.json(ctx, call{method: http.MethodPost, path: "/api/shutdown"}, nil, &s); err != nil {
		silent := errors.Is(err, ErrSilent) || core.CodeOf(err) == core.Unauthorized
		if !silent && notRunning(err) {
			return false, nil
		}
		if !silent || c.terminate() != nil {
			return true, err
		}
	}
	c.Close()
	for wait := 5 * time.Millisecond; ; wait = min(2*wait, 100*time.Millisecond) {
		if notRunning(c.probe(ctx)) && c.released() {
			return true, nil
		}
		if err := sleep(ctx, wait); err != nil {
			return true, core.E(core.Conflict, "the daemon is still ending: it lets its running chains finish", "jarvis daemon status", err)
		}
	}
}

// holder is the process of the daemon that holds the home, 0 when nobody does or it is not known. Its file is written under the
// lock, and the lock is held: so it is that process and no later one of the same number.
func (c *Client) holder() int {
	before := c.pid()
	if before == 0 || c.released() || c.pid() != before {
		return 0
	}
	return before
}

func (c *Client) pid() int {
	b, err := home.ReadRegular(c.o.Home.DB+".pid", 64)
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil || pid <= 1 {
		return 0
	}
	return pid
}

// heals waits for a daemon that holds the home and does not answer: it makes its socket anew, or it is just ending. It reports
// whether it answers now.
func (c *Client) heals(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, c.o.Heal)
	defer cancel()
	for !c.released() {
		if c.probe(ctx) == nil {
			return true
		}
		if sleep(ctx, 20*time.Millisecond) != nil {
			return false
		}
	}
	return false
}

// silent is the error of a daemon that holds the home and does not answer, nil when there is none.
func (c *Client) silent(err error) error {
	if c.released() {
		return nil
	}
	who := "the daemon"
	if pid := c.holder(); pid != 0 {
		who = fmt.Sprintf("the daemon (pid %d)", pid)
	}
	sentence, hint := who+" runs but its socket is gone", "jarvis daemon restart"
	if b, rerr := home.ReadRegular(c.stateFile(), 64); rerr == nil {
		if state := strings.TrimSpace(string(b)); state == api.StateStarting || state == api.StateMigrating {
			sentence, hint = who+" is starting and does not answer yet", "jarvis daemon logs"
		}
	}
	return core.E(core.Internal, sentence, hint, errors.Join(ErrUnreachable, ErrSilent, err))
}
