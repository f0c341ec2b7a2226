package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"github.com/google/uuid"

	"jarvis/core"
	"jarvis/daemon/api"
	"jarvis/daemon/client"
	"jarvis/daemon/config"
	"jarvis/daemon/home"
	"jarvis/daemon/server"
	"jarvis/store/audit"
	"jarvis/store/bolt"
)

// Options say how a daemon runs. Only Home must be given.
type Options struct {
	Home       home.Home
	Env        config.Env      // nil = the process's
	Foreground bool            // a person or a service manager started it
	NewStore   bool            // start with an empty store where the old one is gone or damaged
	LockWait   time.Duration   // how long to wait for a daemon that is ending; 0 = one second
	Grace      time.Duration   // what running chains get to finish at the end; 0 = 10 s
	Hurry      <-chan struct{} // closed: end without the grace
	Stderr     io.Writer       // takes the log too; nil = the file only
	Ready      func(api.Status)
	Peer       func(net.Conn) (int, error) // nil = ask the kernel; for tests
}

const (
	defaultGrace = 10 * time.Second
	// gcPercent halves the collector's work for many streams; with the few megabytes that live, an idle daemon does not feel it.
	gcPercent = 200
)

// daemon is one running instance.
type daemon struct {
	o     Options
	log   *logs
	conf  *config.Live
	fresh *freshness
	db    *bolt.DB
	*services
	backups *backups
	audit   *audit.Log
	planned *schedule

	self   core.InstanceID
	start  time.Time
	status *status
	server *server.Server
	token  string

	socket    *socket
	listeners []*listener
	stop      context.CancelCauseFunc // asks Run to end
	cut       chan struct{}           // closed: streams are cut
	super     *supervisor
}

// errAsked is the cause of an end that somebody asked for over the API, errIdle of one that nobody needed to ask for.
var (
	errAsked = errors.New("shutdown was asked for")
	errIdle  = errors.New("nobody needs the daemon")
)

// Run is the daemon from start to end: it returns when ctx ends, when a shutdown is asked for, or when it cannot start.
func Run(ctx context.Context, o Options) (err error) {
	if o.Env == nil {
		o.Env = config.Environ()
	}
	if o.Grace == 0 {
		o.Grace = defaultGrace
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	d := &daemon{o: o, self: core.InstanceID(uuid.NewString()), start: time.Now(), stop: stop, cut: make(chan struct{})}
	defer func() { err = errors.Join(err, d.close()) }() //nolint:contextcheck // it closes because ctx has ended
	if err := d.open(ctx); err != nil {
		return plainError(err)
	}
	<-ctx.Done()
	d.log.Info("Daemon is stopping", "cause", context.Cause(ctx))
	d.shutdown() //nolint:contextcheck // it begins because ctx has ended
	return nil
}

// open starts everything, in this order. What fails here ends the daemon; close undoes what was done.
func (d *daemon) open(ctx context.Context) error {
	// 1. The home: folders, rights.
	if err := d.o.Home.Ensure(); err != nil {
		return err
	}
	d.status = newStatus(d)
	// 2. The log, before anything that may have something to say.
	d.log = openLogs(d.o.Home, d.o.Stderr)
	// 3. The configuration; a bad file is an error here, because there is no good one to keep.
	var err error
	d.fresh = &freshness{path: d.o.Home.Config, seen: stampOf(d.o.Home.Config)}
	if d.conf, err = config.Open(d.o.Home.Config, d.o.Env, d.log.Logger); err != nil {
		return err
	}
	d.fresh.live = d.conf
	d.log.follow(d.conf.Current().Log)
	// 4. The store, whose lock makes this the only daemon of the home.
	if err := d.openStore(ctx); err != nil {
		return err
	}
	d.log.Info("Daemon starts", "version", api.Version(), "pid", os.Getpid(), "home", d.o.Home.Data)
	d.audit = audit.Open(audit.Options{Path: d.o.Home.Audit(), Log: d.log.Logger})
	d.record(ctx, core.Audit{Action: "daemon.start", OK: true, Details: map[string]any{"version": api.Version(), "pid": os.Getpid()}})
	// 5. The token: whoever can connect must be able to know it.
	if d.token, err = newToken(d.o.Home); err != nil {
		return err
	}
	_ = os.Remove(filepath.Join(d.o.Home.Run, client.SaidFile)) // a new daemon, a new word about it
	// 6. Journals, blobs, tools, models, chat: services that do nothing yet.
	if d.services, err = wire(d); err != nil { //nolint:contextcheck // what failed is closed whatever ctx says
		return err
	}
	d.backups = &backups{d: d}
	d.planned = newSchedule(d)
	d.conf.Subscribe(d.take)
	d.server = server.New(d.serverConfig())
	// 7. The socket, then TCP. Requests may come from here on; chains wait for recovery.
	if err := d.listen(ctx); err != nil {
		return err
	}
	// 8. What runs: recovery and lanes, expiry, sweeping, watching, probing.
	d.super = d.supervise(ctx)
	// 9. Ready, for the service manager and for whoever waits.
	d.status.started()
	_ = os.Remove(d.stateFile())
	notifyReady()
	debug.FreeOSMemory() // what starting up took is not what running takes
	if d.o.Ready != nil {
		d.o.Ready(d.status.report(ctx))
	}
	return nil
}

func (d *daemon) stateFile() string { return filepath.Join(d.o.Home.Run, client.StateFile) }

// openStore says on the way what it does, so that a client that waits knows why.
func (d *daemon) openStore(ctx context.Context) error {
	say := func(state string) {
		_ = os.WriteFile(d.stateFile(), []byte(state+"\n"), 0o600)
		d.status.set(state)
	}
	var err error
	d.db, err = bolt.Open(ctx, bolt.Options{
		Path: d.o.Home.DB, HomeIDPath: d.o.Home.ID, LockPath: d.o.Home.Lock, New: d.o.NewStore, LockTimeout: d.o.LockWait, Log: d.log.Logger,
		Migrating: func(from, to int) {
			say(api.StateMigrating)
			d.log.Info("Store is migrated", "from", from, "to", to)
		},
	})
	if err != nil {
		return err
	}
	say(api.StateStarting)
	return nil
}

// shutdown ends in this order, so that nothing that was accepted is lost.
func (d *daemon) shutdown() {
	// 1. Say so; the socket stays, for stop, status and those who read.
	d.status.set(api.StateStopping)
	notifyStopping()
	// 2. No intake any more: a request is told to come back to the next daemon. What runs may finish for a while, the rest is
	//    interrupted and says so in its own stream.
	grace, cancel := context.WithTimeout(context.Background(), d.o.Grace)
	defer cancel()
	if d.o.Hurry != nil {
		go func() {
			select {
			case <-d.o.Hurry:
				cancel()
			case <-grace.Done():
			}
		}()
	}
	if err := d.chat.Drain(grace); err != nil {
		d.log.Warn("A chain did not end in time", "error", err)
	}
	// 3. Streams that end now get their last bytes; those of queued chains are cut, and their readers come back.
	d.closeListeners()
	// 4. The services.
	d.super.stop()
}

// close gives back what open took: after an end in order and after a start that failed.
func (d *daemon) close() error {
	d.closeListeners()
	if d.super != nil {
		d.super.stop()
	}
	var err error
	if d.services != nil {
		err = d.services.close()
	}
	if d.token != "" {
		_ = os.Remove(d.o.Home.Token)
	}
	if d.audit != nil {
		d.record(context.Background(), core.Audit{Action: "daemon.stop", OK: true, Details: map[string]any{"pid": os.Getpid()}})
		err = errors.Join(err, d.audit.Close())
	}
	if d.db != nil {
		_ = os.Remove(d.stateFile())
		err = errors.Join(err, d.db.Close())
	}
	if d.log != nil {
		if err != nil {
			d.log.Error("Closing failed", "error", err)
		}
		if d.server != nil { // one that never started has said why
			d.log.Info("Daemon has ended")
		}
		_ = d.log.Close()
	}
	return err
}

// listener is one open door.
type listener struct {
	l    net.Listener
	http *http.Server
	done chan struct{}
}

// listen opens the socket, and TCP when it is wanted.
func (d *daemon) listen(ctx context.Context) error {
	s, err := openSocket(ctx, d.o.Home)
	if err != nil {
		return err
	}
	d.socket = s
	d.serve(s, d.server.Socket())
	conf := d.conf.Current()
	addr := conf.Listen
	if addr == "" {
		return nil
	}
	l, err := listenTCP(ctx, d.o.Home, addr, conf.TLS)
	if err == nil {
		d.status.listens(l.Addr().String())
		d.serve(l, d.server.TCP())
		return nil
	}
	// Two homes on one machine are normal. Who names an address himself wants that one.
	if d.o.Foreground && conf.Source("listen") != "default" {
		return err
	}
	d.log.Warn("Not listening on TCP", "address", addr, "error", err)
	d.status.warn(withHint(err))
	return nil
}

// withHint puts the next command behind an error's sentence, for where there is one line only.
func withHint(err error) string {
	var e *core.Error
	if !asCore(err, &e) || e.Hint == "" {
		return err.Error()
	}
	return e.Error() + "; " + e.Hint
}

func (d *daemon) serve(l net.Listener, h http.Handler) {
	s := &listener{l: l, http: d.server.HTTP(h), done: make(chan struct{})}
	d.listeners = append(d.listeners, s)
	go func() {
		defer close(s.done)
		if err := s.http.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			d.log.Error("Listener failed", "address", l.Addr().String(), "error", err)
			d.stop(fmt.Errorf("listener %s: %w", l.Addr(), err))
		}
	}()
}

// closeListeners gives streams a moment for their last bytes, then cuts them.
func (d *daemon) closeListeners() {
	if len(d.listeners) == 0 {
		return
	}
	for _, step := range []time.Duration{300 * time.Millisecond, 2 * time.Second} {
		ctx, cancel := context.WithTimeout(context.Background(), step)
		for _, s := range d.listeners {
			_ = s.http.Shutdown(ctx)
		}
		cancel()
		d.cutStreams()
	}
	for _, s := range d.listeners {
		_ = s.http.Close()
		<-s.done
	}
	d.listeners = nil
}

func (d *daemon) cutStreams() {
	select {
	case <-d.cut:
	default:
		close(d.cut)
	}
}

// plainError makes what people see of the home's and the system's errors.
func plainError(err error) error {
	var h *home.Error
	if errors.As(err, &h) {
		return core.E(core.Internal, h.Message, h.Hint, err)
	}
	var e *core.Error
	if errors.As(err, &e) {
		return err
	}
	return core.E(core.Internal, "the daemon cannot start: "+err.Error(), "jarvis daemon logs", err)
}
