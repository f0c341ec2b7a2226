package chat

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"jarvis/core"
	"jarvis/core/prompt"
)

// The bounds of what an Ask may carry beside its text.
const (
	titleRunes     = 60
	maxPrompt      = 10 << 20
	maxAttachments = 100
	maxName        = 4096
)

// Ask stores a message and its chain and returns: accepted means stored. The same chain id by the same user gives the chain
// that is there already. The daemon that stops answers core.UpstreamUnavailable.
func (s *Service) Ask(ctx context.Context, a core.Ask) (core.Chain, error) { //nolint:contextcheck // a lane outlives who asked
	if err := s.check(&a); err != nil {
		return core.Chain{}, err
	}
	s.mu.Lock()
	draining := s.draining
	s.mu.Unlock()
	if draining {
		return core.Chain{}, core.E(core.UpstreamUnavailable, "the daemon is stopping", "jarvis daemon start", nil)
	}
	if a.Chain == "" {
		a.Chain = core.ChainID(s.d.NewID())
	}
	h := s.disk
	if a.Private || (a.Session != "" && s.private.HasSession(a.Session)) {
		h = home{store: s.private, journal: s.private.Journal()}
	}
	in, err := s.intake(ctx, a, h)
	if err != nil {
		return core.Chain{}, err
	}
	r, made := s.run(in.Chain, h)
	if !made {
		return s.again(ctx, r, a)
	}
	// A caller who leaves just now must not leave a chain that is stored and unknown.
	ctx = context.WithoutCancel(ctx)
	var claimed *core.Chain
	lane, base := s.reserve(in.Chain.Lane)
	if lane != nil {
		in.Owner = s.d.Self
		defer func() { go s.serveLane(base, in.Chain.Lane, h, lane, claimed) }()
	}
	c, place, err := h.store.Accept(ctx, in)
	if err == nil && place == 0 && c.ID == in.Chain.ID && c.State == core.Queued {
		// Here before, and nobody takes care of it: another attempt was cut off behind its acceptance.
		place = 1
		in.Message, err = s.first(ctx, h, c)
	}
	if err != nil || c.ID != in.Chain.ID || place == 0 {
		// Refused, or here before: this entry must not hold a chain that does not wait here.
		close(r.ready)
		s.forget(r)
		if err != nil {
			return core.Chain{}, fmt.Errorf("accept: %w", err)
		}
		return c, nil
	}
	if s.d.Accepted != nil {
		s.d.Accepted(c.Session)
	}
	if s.opened(ctx, base, r, c, in.Message, place) && c.State == core.Running {
		claimed = &c
	}
	if lane == nil || c.Lane != in.Chain.Lane {
		s.kick(c.Lane, h)
	}
	return c, nil
}

// first reads a chain's request.
func (s *Service) first(ctx context.Context, h home, c core.Chain) (core.Message, error) {
	ms, err := chainMessages(ctx, h.store, c)
	if err != nil {
		return core.Message{}, err
	}
	if len(ms) == 0 || ms[0].N != 0 {
		return core.Message{}, core.E(core.Internal, "the message of this chain is missing", "jarvis daemon logs", nil)
	}
	return ms[0], nil
}

// again answers a request whose chain is open here already.
func (s *Service) again(ctx context.Context, r *run, a core.Ask) (core.Chain, error) {
	select {
	case <-r.ready:
	case <-ctx.Done():
		return core.Chain{}, ctx.Err()
	}
	return s.Chain(ctx, a.User, a.Chain)
}

// opened writes the first two events. When that is not possible the chain ends at once, with its one terminal event, and the
// answer is false. base is the lanes' context where the chain was claimed with its acceptance.
func (s *Service) opened(ctx, base context.Context, r *run, c core.Chain, m core.Message, place int) bool {
	err := s.introduce(r, m, place, place == 1)
	close(r.ready)
	if err != nil {
		s.d.Log.Error("Journal cannot be written", "chain", c.ID, "error", err)
		if c.State == core.Running {
			s.refuse(base, r, c, err)
		} else if err := s.drop(ctx, r, core.Failed, unkept(err)); err != nil {
			s.d.Log.Error("Chain cannot be dropped", "chain", c.ID, "error", err)
		}
		return false
	}
	s.watch(ctx, r)
	return true
}

// refuse ends a chain that was claimed with its acceptance and whose journal could not be begun.
func (s *Service) refuse(ctx context.Context, r *run, c core.Chain, cause error) {
	r.writing.Lock()
	defer r.writing.Unlock()
	defer s.forget(r)
	log, err := r.open()
	if err != nil {
		log = deadLog{err}
	}
	t := &turn{s: s, r: r, w: s.writer(r, log), c: c, next: 1, started: s.d.Now()}
	t.end(ctx, core.Failed, unkept(cause))
}

// introduce makes sure that a journal begins with the message and the queued state. keep leaves it open for the lane.
func (s *Service) introduce(r *run, m core.Message, place int, keep bool) error {
	log, err := r.home.journal.Open(r.id)
	if err != nil {
		return fmt.Errorf("open journal: %w", err)
	}
	if err := s.writer(r, log).introduce(m, place); err != nil {
		_ = log.Close() // the first error counts
		return err
	}
	if !keep {
		return log.Close() // it may wait for long, and open files are few
	}
	r.leave(log)
	return nil
}

func (w *writer) introduce(m core.Message, place int) error {
	if w.log.Last() < 1 {
		if err := w.event(core.EventMessage, m.Text, core.MessageData{ID: m.ID, Role: m.Role, Attachments: m.Attachments}); err != nil {
			return err
		}
	}
	if w.log.Last() < 2 {
		return w.event(core.EventState, "", core.StateData{State: core.Queued, Position: max(place, 1)})
	}
	return nil
}

func (s *Service) writer(r *run, log Log) *writer {
	return &writer{chain: r.id, session: r.session, agent: r.agent, now: s.d.Now, log: log}
}

// intake makes the values that Accept stores.
func (s *Service) intake(ctx context.Context, a core.Ask, h home) (core.Intake, error) {
	now := s.d.Now()
	var (
		fresh *core.Session
		sess  core.Session
	)
	if a.Session == "" {
		sess = core.Session{
			ID: core.SessionID(s.d.NewID()), User: a.User, Title: title(a), Model: a.Params.Model,
			Hidden: a.Origin.Kind != "tui", Cwd: a.Params.Cwd, Created: now, Modified: now,
		}
		a.Session, fresh = sess.ID, &sess
	} else {
		var err error
		if sess, err = h.store.Session(ctx, a.Session); err != nil {
			return core.Intake{}, err
		}
		if sess.User != a.User {
			return core.Intake{}, notFound("session", string(a.Session))
		}
	}
	c := core.Chain{
		ID: a.Chain, Session: a.Session, User: a.User, Origin: a.Origin, Lane: "session:" + string(a.Session), State: core.Queued,
		Responder: a.Responder, OnDisconnect: a.OnDisconnect, Params: a.Params, Created: now,
	}
	m := core.Message{
		ID: messageID(c.ID, 0), Session: c.Session, Chain: c.ID, Role: core.RoleUser, Type: core.TypeText,
		Text: a.Text, Context: prompt.Context(s.volatile(ctx, sess, a.Params.TZ)), Attachments: a.Attachments, Created: now,
	}
	return core.Intake{Chain: c, Message: m, Session: fresh, Title: title(a)}, nil
}

func messageID(c core.ChainID, n uint32) core.MessageID {
	return core.MessageID(fmt.Sprintf("%s.%d", c, n))
}

// check validates an Ask and fills its defaults.
func (s *Service) check(a *core.Ask) error {
	limit := s.settings().Prompt
	switch {
	case a.Chain != "" && !core.ValidUUID(string(a.Chain)):
		return bad("the chain id must be a UUID in lower case")
	case a.Session != "" && !core.ValidUUID(string(a.Session)):
		return bad("the session id must be a UUID in lower case")
	case a.Agent != "":
		return core.E(core.Unsupported, "agents are not there yet", "jarvis ask PROMPT", nil)
	case a.Origin.Kind != "" && !plain(a.Origin.Kind):
		return bad("the origin is not a name")
	case len(a.Text) > limit:
		return core.E(core.TooLarge, fmt.Sprintf("the message has %d bytes, the limit is %d", len(a.Text), limit),
			"jarvis config get limits.prompt", nil)
	case strings.TrimSpace(a.Text) == "" && len(a.Attachments) == 0:
		return bad("the message is empty")
	}
	if err := cleanText("the message", a.Text); err != nil {
		return err
	}
	if a.OnDisconnect == "" {
		a.OnDisconnect = core.Continue
	}
	if a.Responder == "" {
		a.Responder = core.RespondNone
	}
	if a.OnDisconnect != core.Cancel && a.OnDisconnect != core.Continue {
		return bad("on_disconnect must be cancel or continue")
	}
	if a.Responder != core.RespondNone && a.Responder != core.RespondUser {
		return bad("responder must be none or user")
	}
	if a.Private && a.Session != "" && !s.private.HasSession(a.Session) {
		return bad("a private request cannot continue a stored session")
	}
	if err := checkAttachments(a.Attachments); err != nil {
		return err
	}
	return s.checkParams(a.Params)
}

func (s *Service) checkParams(p core.Params) error {
	switch {
	case p.MaxCost < 0:
		return bad("the most that a request may cost must not be negative")
	case p.TimeoutMS < 0:
		return bad("the timeout must not be negative")
	case len(p.Cwd) > maxName || len(p.Lang) > 64 || len(p.TZ) > 64 || len(p.Model) > maxName:
		return core.E(core.TooLarge, "a parameter of the request is too long", "", nil)
	case len(p.System) > s.settings().Prompt:
		return core.E(core.TooLarge, "the system prompt is too long", "", nil)
	}
	for what, v := range map[string]string{
		"the system prompt": p.System, "the model's name": p.Model, "the folder": p.Cwd, "the language": p.Lang, "the time zone": p.TZ,
	} {
		if err := cleanText(what, v); err != nil {
			return err
		}
	}
	for _, name := range p.Tools {
		if s.d.Tools == nil {
			return bad("there are no tools")
		}
		if _, ok := s.d.Tools.Get(name); !ok {
			return bad(fmt.Sprintf("there is no tool %q", cut(name, titleRunes)))
		}
	}
	if p.Schema == nil {
		return nil
	}
	if err := checkSchema(p.Schema); err != nil {
		return err
	}
	if s.d.ValidateJSON == nil {
		return core.E(core.Unsupported, "answers with a schema are not supported here", "", nil)
	}
	if _, err := s.d.ValidateJSON(p.Schema, nil); err != nil {
		return core.E(core.BadRequest, "the schema is not a JSON schema: "+line(err), "", err)
	}
	return nil
}

func checkAttachments(as []core.Attachment) error {
	if len(as) > maxAttachments {
		return core.E(core.TooLarge, fmt.Sprintf("a message takes at most %d attachments", maxAttachments), "", nil)
	}
	for _, a := range as {
		if len(a.Name) > maxName || a.Size < 0 || a.Digest == "" {
			return bad("an attachment is not described properly")
		}
		if err := cleanText("an attachment's name", a.Name); err != nil {
			return err
		}
	}
	return nil
}

func cleanText(what, s string) error {
	if !utf8.ValidString(s) {
		return bad(what + " is not valid UTF-8")
	}
	if strings.IndexByte(s, 0) >= 0 {
		return bad(what + " contains a NUL byte")
	}
	return nil
}

func bad(message string) error { return core.E(core.BadRequest, message, "jarvis ask --help", nil) }

func plain(s string) bool {
	return len(s) <= 64 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-_") == ""
}

// title is the first line of the message, cut to 60 characters, without control characters.
func title(a core.Ask) string {
	first, _, _ := strings.Cut(strings.TrimSpace(a.Text), "\n")
	if first == "" && len(a.Attachments) > 0 {
		first = a.Attachments[0].Name
	}
	first = strings.Join(strings.FieldsFunc(first, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	return cut(first, titleRunes)
}

// cut shortens s to n characters.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for i := range s {
		if n == 0 {
			return strings.TrimSpace(s[:i])
		}
		n--
	}
	return s
}

// line is an error's sentence on one line of bounded length.
func line(err error) string {
	var ce *core.Error
	msg := err.Error()
	if errors.As(err, &ce) {
		msg = ce.Message
	}
	return cut(strings.Join(strings.Fields(msg), " "), 300)
}

func toValid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// settings are the configuration's with the defaults filled in.
func (s *Service) settings() Settings {
	var set Settings
	if s.d.Settings != nil {
		set = s.d.Settings()
	}
	if set.MaxIterations <= 0 {
		set.MaxIterations = 100
	}
	if set.MaxTokens <= 0 {
		set.MaxTokens = 4096
	}
	if set.ToolArguments <= 0 {
		set.ToolArguments = 1 << 20
	}
	if set.Prompt <= 0 {
		set.Prompt = maxPrompt
	}
	return set
}
