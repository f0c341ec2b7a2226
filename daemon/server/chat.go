package server

import (
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

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
	if err := check(c, limits); err != nil {
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
	files, err := s.attachments(r.Context(), c.Attachments, limits)
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

// check refuses what no service could take, and fills in the defaults.
func check(c api.Chat, limits Limits) error {
	bad := func(sentence string) error { return core.E(core.BadRequest, sentence, "", nil) }
	switch {
	case int64(len(c.Content)) > limits.Prompt:
		return tooLarge("the prompt", limits.Prompt)
	case strings.TrimSpace(c.Content) == "" && len(c.Attachments) == 0:
		return bad("content is empty")
	case !utf8.ValidString(c.Content):
		return bad("content is not valid UTF-8")
	case c.Chain != "" && !core.ValidUUID(string(c.Chain)):
		return bad("chain must be a UUID in lower case")
	case c.Session != "" && !core.HexDigits(string(c.Session)):
		return bad("session_id must be a session's id")
	case c.Session != "" && c.Continue:
		return bad("give session_id or continue, not both")
	case c.Session != "" && c.Private:
		return bad("a private request has no session")
	case c.Continue && c.Private:
		return bad("a private request cannot continue another")
	case c.OnDisconnect != "" && c.OnDisconnect != core.Cancel && c.OnDisconnect != core.Continue:
		return bad("on_disconnect must be cancel or continue")
	case c.Responder != "" && c.Responder != core.RespondNone && c.Responder != core.RespondUser:
		return bad("responder must be none or user")
	case c.TimeoutMS < 0:
		return bad("timeout_ms must not be negative")
	case c.Origin != "" && c.Origin != "cli" && c.Origin != "tui" && c.Origin != "api":
		return bad("origin must be cli, tui or api")
	case len(c.Tools) > 1000 || len(c.Cwd) > 1<<12 || len(c.Lang) > 64 || len(c.TZ) > 64 || len(c.Model) > 256:
		return bad("a field is longer than any real value")
	case c.Agent != "":
		return core.E(core.NotFound, "there is no agent "+clip(string(c.Agent)), "", nil)
	}
	return later(c)
}

// later refuses what this version cannot do yet, because ignoring it would be worse.
func later(c api.Chat) error {
	for _, f := range []struct {
		name string
		set  bool
	}{
		{"arrival", c.Arrival != "" && c.Arrival != "queue"},
		{"workspace", c.Workspace != ""},
		{"mode", c.Mode != ""},
		{"max_cost_usd", c.MaxCostUSD != 0},
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
	// A lane holds at most 100 queued chains and one that runs.
	chains, _, err := s.c.Sessions.Chains(r.Context(), id, core.Page{Backward: true, Limit: 200})
	if err != nil {
		return nil, err
	}
	open := []core.ChainID{}
	for i := len(chains) - 1; i >= 0; i-- {
		if chains[i].State != core.Ended {
			open = append(open, chains[i].ID)
		}
	}
	return open, nil
}
