package daemon

import (
	"context"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"jarvis/core"
	"jarvis/daemon/api"
	"jarvis/daemon/config"
)

// status is what the daemon says about itself.
type status struct {
	d *daemon

	mu       sync.Mutex // guards what follows
	state    string
	listen   string
	warnings []string
	services map[string]string // name → state
	damage   error
}

func newStatus(d *daemon) *status {
	return &status{d: d, state: api.StateStarting, services: map[string]string{}}
}

func (s *status) set(state string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state = state
}

// started is set by open alone: a daemon that is told to stop meanwhile stays stopping.
func (s *status) started() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state != api.StateStopping {
		s.state = api.StateReady
	}
}

func (s *status) listens(addr string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listen = addr
}

func (s *status) warn(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Contains(s.warnings, text) {
		s.warnings = append(s.warnings, text)
	}
}

func (s *status) service(name, state string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.services[name] = state
}

// damaged remembers that the store is.
func (s *status) damaged(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.damage == nil {
		s.damage = err
	}
}

// Names of the services in status and readiness, and the states that are good.
const (
	stateRuns    = "runs"
	stateReady   = "ready"
	stateProbing = "probing"
	stateOff     = "off"
)

// answer is what the status route says: right after the start it waits a moment for the model that answers.
func (s *status) answer(ctx context.Context) api.Status {
	s.d.models.settle(ctx)
	return s.report(ctx)
}

// report is the state as it is now.
func (s *status) report(ctx context.Context) api.Status {
	conf := s.d.conf.Current()
	_ = s.alive(ctx) // notices damage
	s.mu.Lock()
	st := api.Status{
		State: s.state, PID: os.Getpid(), Version: api.Version(), Home: s.d.o.Home.Data, Socket: s.d.o.Home.Socket,
		Listen: s.listen, Uptime: int64(time.Since(s.d.start).Seconds()), Warnings: slices.Clone(s.warnings),
		Services: maps.Clone(s.services), Language: conf.Language, Theme: conf.Theme, Providers: varsOf(s.d.o.Env),
		Limits: &api.Limits{
			Prompt: int64(conf.Limits.Prompt), Attachment: int64(conf.Limits.Attachment), Request: int64(conf.Limits.Request),
		},
	}
	damage := s.damage
	s.mu.Unlock()
	for _, w := range s.d.conf.Warnings() {
		st.Warnings = append(st.Warnings, w.String())
	}
	if err := s.d.conf.Problem(); err != nil {
		st.Warnings = append(st.Warnings, "the configuration is not taken up, the last good one stays: "+err.Error())
	}
	for _, k := range s.d.conf.NeedsRestart() {
		st.Warnings = append(st.Warnings, k+" was changed; it takes a restart: jarvis daemon restart")
	}
	load := s.d.chat.Running()
	st.Running, st.Queued, st.QueueAge = load.Running, load.Queued, load.QueueAge.Milliseconds()
	st.Model = s.d.models.chosen()
	st.Warnings = append(st.Warnings, s.d.models.problems()...)
	if text := s.d.planned.problem(); text != "" {
		st.Warnings = append(st.Warnings, text)
	}
	switch {
	case st.State != api.StateReady:
	case damage != nil:
		st.State = api.StateDamaged
		st.Warnings = append(st.Warnings, damage.Error())
	case s.degraded():
		st.State = api.StateDegraded
	}
	if st.Warnings == nil {
		st.Warnings = []string{}
	}
	return st
}

// degraded: it works, but not all of it: a port is busy, or a service keeps failing.
func (s *status) degraded() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.warnings) > 0 {
		return true
	}
	for _, state := range s.services {
		if state != stateRuns {
			return true
		}
	}
	return false
}

// ready tells each component's state; the store, recovery and the chosen model decide.
func (s *status) ready(ctx context.Context) api.Ready {
	c := map[string]string{"store": stateReady, "chat": stateReady, "model": s.d.models.state(), "tcp": stateOff}
	select {
	case <-s.d.chat.Ready():
	default:
		c["chat"] = "recovering"
	}
	if err := s.alive(ctx); err != nil {
		c["store"] = api.StateDamaged
	}
	s.mu.Lock()
	if s.listen != "" {
		c["tcp"] = stateReady
	}
	state := s.state
	s.mu.Unlock()
	ok := state == api.StateReady && c["store"] == stateReady && c["chat"] == stateReady && c["model"] == stateReady
	c["daemon"] = state
	return api.Ready{Ready: ok, Components: c}
}

// alive asks the store for something small.
func (s *status) alive(ctx context.Context) error {
	_, err := s.d.db.Stats(ctx)
	if core.CodeOf(err) == core.StoreDamaged {
		s.damaged(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.damage != nil {
		return s.damage
	}
	return err
}

func varsOf(env config.Env) []string { return api.VarsIn(env.Get) }
