// Package server is the control API: it settles who is calling, decodes strictly, calls a service and turns events into a
// stream and errors into the one envelope. It may not decide anything about chains, sessions or models: that is core's, and
// it sees no store and no provider.
package server

import (
	"context"
	"io"
	"iter"
	"log/slog"
	"net"
	"net/http"
	"time"

	"jarvis/core"
	"jarvis/daemon/api"
)

// Chat is the one door to chains.
type Chat interface {
	// Ask returns when the request is stored; the same chain id by the same user gives the first chain.
	Ask(ctx context.Context, a core.Ask) (core.Chain, error)
	// Events yields a chain's events after a number, live ones as they come, and ends after the terminal one.
	Events(ctx context.Context, user core.UserID, id core.ChainID, after uint64) iter.Seq2[core.Event, error]
	// Stop ends a chain that is open; an ended one is no error.
	Stop(ctx context.Context, user core.UserID, id core.ChainID) error
	// StopSession ends everything that is open in a session.
	StopSession(ctx context.Context, user core.UserID, id core.SessionID) error
	// Chain reads one chain of a user, a private one too; another user's is core.NotFound.
	Chain(ctx context.Context, user core.UserID, id core.ChainID) (core.Chain, error)
}

// Sessions lists, reads and erases conversations. typed is a whole id or what a person types of one; another user's
// session is core.NotFound.
type Sessions interface {
	Find(ctx context.Context, user core.UserID, typed string) (core.Session, error)
	List(ctx context.Context, user core.UserID, hidden bool, p core.Page) ([]core.Session, core.Cursor, error)
	Messages(ctx context.Context, id core.SessionID, p core.Page) ([]core.Message, core.Cursor, error)
	Chains(ctx context.Context, id core.SessionID, p core.Page) ([]core.Chain, core.Cursor, error)
	// LastAsk gives the newest session that `ask` made in the folder, else anywhere; core.NotFound.
	LastAsk(ctx context.Context, user core.UserID, cwd string) (core.Session, error)
	Delete(ctx context.Context, user core.UserID, id core.SessionID) error
	// Prompt gives the system prompt as it would be sent now, and its blocks as people inspect them.
	Prompt(ctx context.Context, user core.UserID, id core.SessionID) (string, []api.PromptBlock, error)
}

// Todos is the todo list of a user.
type Todos interface {
	List(ctx context.Context, user core.UserID) ([]core.Todo, error)
	Add(ctx context.Context, user core.UserID, content string) (core.Todo, error)
	Set(ctx context.Context, user core.UserID, n uint64, status string) (core.Todo, error)
}

// Models lists, tries, fetches and removes models.
type Models interface {
	List(ctx context.Context) ([]api.Model, error)
	Test(ctx context.Context, t api.ModelTest) api.ModelTested
	Pull(ctx context.Context, name string, progress func(api.PullProgress)) error
	Remove(ctx context.Context, ref string) error
}

// Blobs keeps attachments by their content.
type Blobs interface {
	Put(ctx context.Context, r io.Reader) (d core.Digest, size int64, err error)
	// PutPrivate keeps it in memory only, for as long as its private chain is.
	PutPrivate(ctx context.Context, r io.Reader) (d core.Digest, size int64, err error)
	Get(ctx context.Context, d core.Digest) (io.ReadCloser, error)
}

// Limits are the largest sizes taken, in bytes.
type Limits struct {
	Prompt     int64 // text of one request
	Attachment int64 // one file
	Request    int64 // a whole body
	Import     int64 // a file that is imported
}

// The keep-alive of an idle stream, the time a peer may take to read what was written, and the largest body of a request
// that carries no prompt.
const (
	keepAlive    = 15 * time.Second
	writeTimeout = 60 * time.Second
	smallBody    = 1 << 20
)

// Config is all that the server sees of the daemon.
type Config struct {
	Chat        Chat
	Sessions    Sessions
	Todos       Todos
	Models      Models
	Blobs       Blobs
	Spending    Spending
	Editor      Editor
	Archives    Archives
	Notes       Notes
	Backups     Backups
	Transcripts Transcripts
	Windows     Windows
	Live        Live
	Streaming   Streaming
	Settings    Settings
	Changes     Changes
	Audit       Audit // nil = nothing is written down
	Search      Searcher
	Limits      func() Limits
	Status      func(context.Context) api.Status
	Ready       func(context.Context) api.Ready
	// Fresh, when set, is called before each request of a caller who has been let in: what a person has just configured is then
	// in force.
	Fresh    func(context.Context)
	Shutdown func()          // asks the daemon to end; returns at once
	Stopping <-chan struct{} // closed when streams are to be cut, so that their readers come back later; nil = never
	Token    string          // what a caller on the socket must present; "" refuses everybody
	UID      int             // the daemon's own
	Peer     func(net.Conn) (uid int, err error)
	Vars     []string // names of the provider variables the daemon sees
	Log      *slog.Logger

	KeepAlive time.Duration // 0 = 15 s; tests shorten it
	BodyStall time.Duration // 0 = 30 s; tests shorten it
}

// Server answers the control API.
type Server struct {
	c     Config
	token [32]byte // digest of the token: compared in constant time whatever length is presented
	usage usage

	refusals refusals
}

// New makes a server. Peer nil means the operating system's answer.
func New(c Config) *Server {
	if c.Peer == nil {
		c.Peer = peerUID
	}
	if c.KeepAlive == 0 {
		c.KeepAlive = keepAlive
	}
	if c.BodyStall == 0 {
		c.BodyStall = bodyStall
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return &Server{c: c, token: digest(c.Token)}
}

// Socket is the handler of the Unix socket: the caller is the owner, once uid and token are right.
func (s *Server) Socket() http.Handler {
	mux := http.NewServeMux()
	s.open(mux)
	for _, table := range []map[string]handler{
		s.mainRoutes(), s.historyRoutes(), s.usageRoutes(), s.infoRoutes(), s.backupRoutes(),
		s.transcriptRoutes(),
		s.windowRoutes(),
		s.archiveRoutes(), s.readRoutes(),
		s.searchRoutes(),
		s.liveRoutes(), s.settingsRoutes(),
	} {
		for pattern, h := range table {
			mux.Handle(pattern, s.handle(h))
		}
	}
	return s.usage.count(s.moving(s.wrap(s.settle(s.envelopes(mux)))))
}

func (s *Server) mainRoutes() map[string]handler {
	return map[string]handler{
		api.RouteStatus:       s.status,
		api.RouteShutdown:     s.shutdown,
		api.RouteChat:         s.chat,
		api.RouteChatStop:     s.stop,
		api.RouteChain:        s.chain,
		api.RouteChainEvents:  s.chainEvents,
		api.RouteSessions:     s.sessions,
		api.RouteSession:      s.session,
		api.RouteSessionPage:  s.messages,
		api.RouteSessionRm:    s.removeSession,
		api.RouteSystemPrompt: s.systemPrompt,
		api.RoutePromptBlocks: s.promptBlocks,
		api.RouteTodos:        s.todos,
		api.RouteTodoAdd:      s.addTodo,
		api.RouteTodoSet:      s.setTodo,
		api.RouteModels:       s.models,
		api.RouteModelTest:    s.testModel,
		api.RouteModelPull:    s.pullModel,
		api.RouteModelRm:      s.removeModel,
	}
}

// TCP is the handler of the TCP listener. Until there are users, everything but health is 401.
func (s *Server) TCP() http.Handler {
	mux := http.NewServeMux()
	s.open(mux)
	mux.Handle("/", s.handle(func(http.ResponseWriter, *http.Request) error {
		return core.E(core.Unauthorized, "this needs a log-in, and there are no users yet: use the socket", "jarvis daemon status", nil)
	}))
	return s.wrap(s.localNames(s.envelopes(mux)))
}

// open adds the routes that everybody may ask.
func (s *Server) open(mux *http.ServeMux) {
	mux.Handle(api.RouteHealth, s.handle(func(w http.ResponseWriter, _ *http.Request) error {
		return writeJSON(w, http.StatusOK, map[string]bool{"ok": true})
	}))
	mux.Handle(api.RouteReady, s.handle(func(w http.ResponseWriter, r *http.Request) error {
		ready := s.c.Ready(r.Context())
		status := http.StatusOK
		if !ready.Ready {
			status = http.StatusServiceUnavailable
		}
		return writeJSON(w, status, ready)
	}))
}

// HTTP makes the net/http server of a listener. Its write deadline is set by the handlers, because a stream has no length.
func (s *Server) HTTP(h http.Handler) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ConnContext:       s.connContext,
		ErrorLog:          slog.NewLogLogger(s.c.Log.Handler(), slog.LevelDebug),
	}
}
