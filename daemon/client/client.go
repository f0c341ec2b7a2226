// Package client speaks to the daemon for the command and the screen: it dials the socket, presents the token, starts the
// daemon when it is not running, follows a chain across lost connections and restarts, and turns envelopes back into errors.
// It is linked into every short command, so it uses the standard library, core, daemon/api and daemon/home only.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/google/uuid"

	"jarvis/core"
	"jarvis/daemon/api"
	"jarvis/daemon/home"
)

// ErrUnreachable is in the chain of every error that says that no daemon answers.
var ErrUnreachable = api.ErrUnreachable

// Options are what a client is made of.
type Options struct {
	Home        home.Home
	NoAutostart bool
	Getenv      func(string) string // nil = os.Getenv
	Warn        func(string)        // one line for people; nil = silence
	Version     string              // "" = this build's
	Heal        time.Duration       // what a silent daemon gets to make its socket and token anew; 0 = 2.5 s
	// Spawn starts a daemon with further arguments and returns how to wait for its end; nil = jarvisd beside this program.
	Spawn func(ctx context.Context, args []string) (wait func() error, err error)
}

// Client is safe for concurrent use. It dials only when it is used.
type Client struct {
	o    Options
	http *http.Client
	vars string

	mu     sync.Mutex // guards warned
	warned map[string]bool
}

// New makes a client of the daemon of a home.
func New(o Options) *Client {
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	if o.Warn == nil {
		o.Warn = func(string) {}
	}
	if o.Version == "" {
		o.Version = api.Version()
	}
	if o.Heal == 0 {
		o.Heal = healTime
	}
	c := &Client{o: o, vars: strings.Join(api.VarsIn(o.Getenv), ","), warned: map[string]bool{}}
	c.http = &http.Client{Transport: &http.Transport{
		DialContext:           func(ctx context.Context, _, _ string) (net.Conn, error) { return c.dial(ctx) },
		DisableCompression:    true,
		MaxIdleConnsPerHost:   4,
		IdleConnTimeout:       30 * time.Second,
		ExpectContinueTimeout: time.Second,
	}}
	return c
}

// Close drops idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// NewChainID mints the id of a request, so that it can be stopped and resumed whatever becomes of the connection.
func (c *Client) NewChainID() core.ChainID { return core.ChainID(uuid.Must(uuid.NewV7()).String()) }

// dial opens the socket, after a look at who owns its folder.
func (c *Client) dial(ctx context.Context) (net.Conn, error) {
	if err := c.o.Home.CheckSocket(); err != nil {
		return nil, err
	}
	var d net.Dialer
	for wait := time.Millisecond; ; wait *= 2 {
		conn, err := d.DialContext(ctx, "unix", c.o.Home.Socket)
		if !errors.Is(err, syscall.EAGAIN) || wait > time.Second { // the backlog is full: many start at once
			return conn, err
		}
		if err := sleep(ctx, wait); err != nil {
			return nil, err
		}
	}
}

// notRunning tells a daemon that is not there from every other failure.
func notRunning(err error) bool {
	return errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.ENOTDIR)
}

// call is one request to the daemon.
type call struct {
	method string
	path   string
	query  url.Values
	header http.Header
	body   []byte
	upload *upload // a body that is not in memory; nil = body
	start  bool    // start the daemon when it is not running
}

// do sends a request, starting the daemon when that is wanted, and gives a response whose status is below 400.
func (c *Client) do(ctx context.Context, q call) (*http.Response, error) {
	for attempt := 0; ; attempt++ {
		token := c.token()
		resp, err := c.send(ctx, q, token)
		if err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if q.upload != nil && q.upload.begun() {
				return nil, q.upload.failed(c.unreachable(err))
			}
			if !notRunning(err) || attempt > 2 {
				return nil, c.unreachable(err)
			}
			if c.heals(ctx) {
				continue
			}
			if !q.start || c.o.NoAutostart {
				return nil, c.unreachable(err)
			}
			if _, err := c.Start(ctx); err != nil {
				return nil, err
			}
			continue
		}
		c.compare(resp.Header)
		if resp.StatusCode < 400 {
			return resp, nil
		}
		err = envelope(resp)
		// A daemon that has just started has a new token: the one that was read may be its predecessor's. One whose token was lost
		// writes it again.
		again := q.upload == nil || !q.upload.begun()
		if resp.StatusCode == http.StatusUnauthorized && attempt < 2 && again && c.newToken(ctx, token) {
			continue
		}
		return nil, err
	}
}

func (c *Client) send(ctx context.Context, q call, token string) (*http.Response, error) {
	u := url.URL{Scheme: "http", Host: "jarvis", Path: q.path, RawQuery: q.query.Encode()}
	var body io.Reader
	switch {
	case q.upload != nil:
		body = q.upload
	case q.body != nil:
		body = bytes.NewReader(q.body)
	}
	req, err := http.NewRequestWithContext(ctx, q.method, u.String(), body)
	if err != nil {
		return nil, err
	}
	for k, v := range q.header {
		req.Header[k] = v
	}
	req.Header.Set("Authorization", "Bearer "+token)
	if q.upload != nil {
		req.ContentLength = q.upload.size
		req.Header.Set("Expect", "100-continue") // a refusal comes before the bytes are sent
	}
	req.Header.Set("User-Agent", "jarvis/"+c.o.Version)
	if q.body != nil || q.upload != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if len(q.body) > 1<<20 {
		req.Header.Set("Expect", "100-continue") // a refusal comes before the bytes are sent
	}
	if c.vars != "" {
		req.Header.Set(api.VarsHeader, c.vars)
	}
	return c.http.Do(req)
}

// token reads what the daemon wrote before its socket listened.
func (c *Client) token() string {
	b, err := home.ReadRegular(c.o.Home.Token, 1025)
	if err != nil || len(b) > 1024 {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// newToken waits for another token than the one that was refused, if the daemon of this home could write one.
func (c *Client) newToken(ctx context.Context, old string) bool {
	ctx, cancel := context.WithTimeout(ctx, c.o.Heal)
	defer cancel()
	for {
		if now := c.token(); now != "" && now != old {
			return true
		}
		if c.released() || sleep(ctx, 20*time.Millisecond) != nil {
			return false
		}
	}
}

// compare says once when daemon and client are of different builds, and which provider variables the daemon lacks.
func (c *Client) compare(h http.Header) {
	if v := h.Get(api.VersionHeader); v != "" && v != c.o.Version {
		c.warn("version", fmt.Sprintf("The daemon runs jarvis %s, this is %s. Try: jarvis daemon restart", core.Printable(v), core.Printable(c.o.Version)))
	}
	if missing := h.Get(api.VarsHeader); missing != "" && c.firstTime("vars "+missing) {
		c.warn("vars", "Your shell has "+core.Printable(strings.ReplaceAll(missing, ",", ", "))+", the daemon has not. Try: jarvis daemon restart")
	}
}

func (c *Client) warn(topic, text string) {
	c.mu.Lock()
	said := c.warned[topic]
	c.warned[topic] = true
	c.mu.Unlock()
	if !said {
		c.o.Warn(text)
	}
}

// firstTime remembers across commands what was said about this daemon: the file goes when a daemon starts.
func (c *Client) firstTime(what string) bool {
	path := c.o.Home.Run + "/" + SaidFile
	if old, err := home.ReadRegular(path, 64<<10); err == nil && string(old) == what {
		return false
	}
	if f, err := home.OpenRegular(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600); err == nil {
		_, _ = f.WriteString(what)
		_ = f.Close()
	}
	return true
}

// SaidFile lies in the run folder and holds what was last said about the running daemon, which removes it at start.
const SaidFile = "said"

// envelope turns an answer of 400 and more into the error that the daemon meant.
func envelope(resp *http.Response) error {
	defer resp.Body.Close()
	b, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	var e api.Envelope
	if err != nil || json.Unmarshal(b, &e) != nil || e.Error.Code == "" {
		return core.E(core.Internal, fmt.Sprintf("the daemon answered %d without saying why", resp.StatusCode), "jarvis daemon logs", err)
	}
	if resp.Header.Get("Retry-After") != "" { // this daemon is stopping; the next one takes the request
		return core.E(e.Error.Code, e.Error.Message, e.Error.Hint, errors.Join(ErrUnreachable, errLost))
	}
	return e.Error.Err()
}

// unreachable says that no daemon answers, and what to type.
func (c *Client) unreachable(err error) error {
	var e *home.Error
	if errors.As(err, &e) {
		return core.E(core.Internal, e.Message, e.Hint, err) // the home is what is wrong, not the daemon
	}
	switch {
	case notRunning(err):
		if silent := c.silent(err); silent != nil {
			return silent
		}
		return core.E(core.Internal, "the daemon is not running", "jarvis daemon start", errors.Join(ErrUnreachable, err))
	case errors.Is(err, os.ErrPermission): // so here
		what, hint := "the socket "+c.o.Home.Socket, "ls -l "+c.o.Home.Socket
		if _, serr := os.Stat(c.o.Home.Run); errors.Is(serr, os.ErrPermission) {
			what, hint = "the home "+c.o.Home.State, "ls -ld "+c.o.Home.State
		}
		return core.E(core.Internal, "no permission to use "+what, hint, err)
	}
	return core.E(core.Internal, "the connection to the daemon broke", "jarvis daemon status", errors.Join(ErrUnreachable, errLost, err))
}

// errLost marks a connection that broke after it was made.
var errLost = errors.New("connection lost")

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
