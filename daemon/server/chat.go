package server

import (
	"math"
	"net/http"
	"slices"
	"strconv"

	"jarvis/core"
	"jarvis/daemon/api"
)

// chatBody is api.Chat and the spelling of seed 001.
type chatBody struct {
	api.Chat
	SessionID core.SessionID `json:"sessionId"`
}

// chat accepts one request and streams its chain's events. The first byte goes out after the request is stored.
func (s *Server) chat(w http.ResponseWriter, r *http.Request) error {
	limits := s.c.Limits()
	var body chatBody
	if err := decode(w, r, limits.Request, &body); err != nil {
		return err
	}
	c := body.Chat
	if c.Session == "" {
		c.Session = body.SessionID
	}
	if err := check(c, limits.Prompt); err != nil {
		return err
	}
	if c.Chain != "" {
		// A second request with the same id attaches: its text and files need not be looked at again.
		if old, err := s.owned(r, c.Chain); err == nil {
			return s.events(w, r, old, 0)
		}
	}
	session, err := s.whichSession(r, c)
	if err != nil {
		return err
	}
	files, err := s.attachments(r.Context(), c.Attachments, c.Private, limits)
	if err != nil {
		return err
	}
	kind := c.Origin
	if kind == "" {
		kind = "api"
	}
	chain, err := s.c.Chat.Ask(r.Context(), core.Ask{
		Chain: c.Chain, Session: session, User: user(r), Agent: c.Agent, Text: c.Content, Attachments: files,
		Params: core.Params{
			Model: c.Model, System: c.System, Schema: c.Schema, Tools: c.Tools, TimeoutMS: c.TimeoutMS, Cwd: c.Cwd, Lang: c.Lang, TZ: c.TZ,
			MaxCost: core.LimitUSD(c.MaxCostUSD),
		},
		Origin: core.Origin{Kind: kind}, OnDisconnect: c.OnDisconnect, Responder: c.Responder, Private: c.Private,
	})
	if err != nil {
		if core.CodeOf(err) == core.UpstreamUnavailable { // the daemon is stopping: no provider was asked yet
			w.Header().Set("Retry-After", "1")
		}
		return err
	}
	return s.events(w, r, chain, 0)
}

// check refuses what is of this API only; what a chain may be is core/chat's to say, in its own words. Sizes are looked at
// before anything is stored.
func check(c api.Chat, prompt int64) error {
	bad := func(sentence string) error { return core.E(core.BadRequest, sentence, "jarvis ask --help", nil) }
	switch {
	case int64(len(c.Content)) > prompt:
		return tooLarge("the prompt", prompt)
	case c.Session != "" && c.Continue:
		return bad("give a session or continue, not both")
	case c.Private && (c.Session != "" || c.Continue):
		return bad("a private request continues no session")
	case c.Origin != "" && c.Origin != "cli" && c.Origin != "tui" && c.Origin != "api":
		return bad("origin must be cli, tui or api")
	case c.MaxCostUSD < 0 || math.IsNaN(c.MaxCostUSD):
		return bad("max_cost_usd must be a positive number of dollars")
	case len(c.Tools) > maxTools:
		return core.E(core.TooLarge, "a request takes at most 1,000 tools", "jarvis ask --help", nil)
	}
	return later(c)
}

// maxTools bounds the tools that one request names.
const maxTools = 1000

// later refuses what this version cannot do yet, because ignoring it would be worse.
func later(c api.Chat) error {
	for _, f := range []struct {
		name string
		set  bool
	}{
		{"arrival", c.Arrival != "" && c.Arrival != "queue"},
		{"workspace", c.Workspace != ""},
		{"mode", c.Mode != ""},
	} {
		if f.set {
			return core.E(core.Unsupported, f.name+" is not supported by this version", "jarvis version", nil)
		}
	}
	return nil
}

// whichSession turns what was typed, or continue, into a session's id; "" asks for a new one.
func (s *Server) whichSession(r *http.Request, c api.Chat) (core.SessionID, error) {
	if c.Continue {
		last, err := s.c.Sessions.LastAsk(r.Context(), user(r), c.Cwd)
		if core.CodeOf(err) == core.NotFound {
			return "", core.E(core.NotFound, "there is no earlier ask to continue", `jarvis ask "…"`, err)
		}
		return last.ID, err
	}
	if c.Session == "" {
		return "", nil
	}
	found, err := s.c.Sessions.Find(r.Context(), user(r), string(c.Session))
	return found.ID, err
}

// owned reads a chain of the caller; another user's is as unknown as one that never was.
func (s *Server) owned(r *http.Request, id core.ChainID) (core.Chain, error) {
	unknown := core.E(core.NotFound, "there is no chain "+clip(string(id)), "jarvis session list", nil)
	if !core.ValidUUID(string(id)) {
		return core.Chain{}, unknown
	}
	c, err := s.c.Chat.Chain(r.Context(), user(r), id)
	if core.CodeOf(err) == core.NotFound {
		return core.Chain{}, unknown
	}
	return c, err
}

func (s *Server) chain(w http.ResponseWriter, r *http.Request) error {
	c, err := s.owned(r, core.ChainID(r.PathValue("id")))
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, c)
}

// chainEvents gives every event since Last-Event-ID (or ?after=), while the chain runs, after it, and after a restart.
func (s *Server) chainEvents(w http.ResponseWriter, r *http.Request) error {
	v := r.Header.Get("Last-Event-ID")
	if v == "" {
		v = r.URL.Query().Get("after")
	}
	var after uint64
	if v != "" {
		n, err := strconv.ParseUint(v, 10, 64)
		if err != nil {
			return core.E(core.BadRequest, "Last-Event-ID must be an event's number", "", nil)
		}
		after = n
	}
	c, err := s.owned(r, core.ChainID(r.PathValue("id")))
	if err != nil {
		return err
	}
	return s.events(w, r, c, after)
}

// stopBody is api.ChatStop and the spelling of seed 001.
type stopBody struct {
	api.ChatStop
	SessionID core.SessionID `json:"sessionId"`
}

func (s *Server) stop(w http.ResponseWriter, r *http.Request) error {
	var body stopBody
	if err := decode(w, r, smallBody, &body); err != nil {
		return err
	}
	if body.Session == "" {
		body.Session = body.SessionID
	}
	if (body.Session == "") == (body.Chain == "") {
		return core.E(core.BadRequest, "give one of session_id and chain", "", nil)
	}
	if body.Chain != "" {
		if _, err := s.owned(r, body.Chain); err != nil {
			return err
		}
		if err := s.c.Chat.Stop(r.Context(), user(r), body.Chain); err != nil {
			return err
		}
		return writeJSON(w, http.StatusOK, api.Stopped{Stopped: []core.ChainID{body.Chain}})
	}
	found, err := s.c.Sessions.Find(r.Context(), user(r), string(body.Session))
	if err != nil {
		return err
	}
	open, err := s.openChains(r, found.ID)
	if err != nil {
		return err
	}
	if err := s.c.Chat.StopSession(r.Context(), user(r), found.ID); err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, api.Stopped{Stopped: open})
}

// openChains lists what runs or waits in a session, newest first.
func (s *Server) openChains(r *http.Request, id core.SessionID) ([]core.ChainID, error) {
	open := []core.ChainID{}
	// A lane holds at most 100 queued chains and one that runs; a page of long ones ends earlier.
	p := core.Page{Backward: true, Limit: 200}
	for left := p.Limit; left > 0; {
		chains, next, err := s.c.Sessions.Chains(r.Context(), id, p)
		if err != nil {
			return nil, err
		}
		for _, c := range slices.Backward(chains) {
			if c.State != core.Ended {
				open = append(open, c.ID)
			}
		}
		if left -= len(chains); next == "" || len(chains) == 0 {
			break
		}
		p.After = next
	}
	return open, nil
}
