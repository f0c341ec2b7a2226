package daemon

import (
	"context"
	"errors"
	"time"

	"github.com/thejerf/suture/v4"

	"jarvis/core"
	"jarvis/daemon/home"
)

// supervisor keeps the services running. One that fails or panics is started again after a pause; it never takes the daemon
// down.
type supervisor struct {
	cancel context.CancelFunc
	done   chan struct{}
}

// service is one long-lived part under its name.
type service struct {
	name  string
	serve func(context.Context) error
	d     *daemon
}

func (s *service) String() string { return s.name }

// Serve runs the part once. It ends for good when the context does; otherwise it comes again.
func (s *service) Serve(ctx context.Context) error {
	s.d.status.service(s.name, stateRuns)
	err := s.serve(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if core.CodeOf(err) == core.StoreDamaged {
		s.d.status.damaged(err)
	}
	if err == nil {
		err = errors.New("ended by itself")
	}
	s.d.status.service(s.name, "failed: "+err.Error())
	return err
}

func (d *daemon) supervise(ctx context.Context) *supervisor {
	// Not ctx itself: lanes must go on while the daemon drains.
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	root := suture.New(home.Daemon, suture.Spec{
		EventHook:        d.event,
		FailureThreshold: 3,
		FailureDecay:     30,
		FailureBackoff:   5 * time.Second,
		BackoffJitter:    &suture.DefaultJitter{},
		Timeout:          10 * time.Second,
	})
	for name, serve := range d.parts() {
		root.Add(&service{name: name, serve: serve, d: d})
	}
	s := &supervisor{cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(s.done)
		_ = root.Serve(ctx)
	}()
	return s
}

// stop ends the services and waits for them.
func (s *supervisor) stop() {
	s.cancel()
	<-s.done
}

// event logs what suture does.
func (d *daemon) event(e suture.Event) {
	switch e := e.(type) {
	case suture.EventServicePanic:
		d.status.service(e.ServiceName, "failed: panic")
		d.log.Error("Service panicked", "service", e.ServiceName, "panic", e.PanicMsg, "stack", e.Stacktrace)
	case suture.EventServiceTerminate:
		d.log.Warn("Service ended", "service", e.ServiceName, "error", e.Err, "restarting", e.Restarting)
	case suture.EventBackoff:
		d.log.Warn("Services wait before they start again", "supervisor", e.SupervisorName)
	case suture.EventStopTimeout:
		d.log.Error("Service does not end", "service", e.ServiceName)
	}
}
