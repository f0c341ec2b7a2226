package daemon

import (
	"context"
	"errors"
	"iter"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"jarvis/core"
	"jarvis/core/budget"
	"jarvis/core/chat"
	"jarvis/core/live"
	"jarvis/core/search"
	"jarvis/core/session"
	"jarvis/core/todo"
	"jarvis/core/tool"
	"jarvis/core/tool/basic"
	"jarvis/core/transcript"
	"jarvis/daemon/api"
	"jarvis/daemon/config"
	"jarvis/daemon/server"
	"jarvis/store/blob"
	"jarvis/store/bolt"
	"jarvis/store/journal"
)

// What a store must be for each service.
var (
	_ chat.Store       = (*bolt.DB)(nil)
	_ budget.Store     = (*bolt.DB)(nil)
	_ session.Store    = (*bolt.DB)(nil)
	_ session.Editor   = (*bolt.DB)(nil)
	_ session.Copies   = (*bolt.DB)(nil)
	_ session.Blobs    = (*blob.Store)(nil)
	_ todo.Store       = (*bolt.DB)(nil)
	_ chat.Blobs       = (*blob.Store)(nil)
	_ server.Blobs     = (*chat.Files)(nil)
	_ chat.Journal     = journals{}
	_ session.Archiver = (*bolt.DB)(nil)
	_ session.Marker   = (*bolt.DB)(nil)
	_ session.Maker    = (*bolt.DB)(nil)
	_ session.Reader   = (*bolt.DB)(nil)
	_ live.Store       = (*bolt.DB)(nil)
)

// services are the parts that answer requests.
type services struct {
	journal  *journal.Dir
	payloads *payloads
	blobs    *blob.Store
	files    *chat.Files // the blobs, and in memory those of private requests
	tools    *tool.Registry
	chat     *chat.Service
	live     *live.Service
	sessions *sessions
	todos    todos
	models   *models
	money    *budget.Ledger
	search   *search.Service
	erased   atomic.Bool // sessions are gone whose bytes may still lie in free pages of the store
}

// wire makes the services in two steps: registry, then the services whose tools go into it. Nothing runs yet.
func wire(d *daemon) (s *services, err error) {
	s = &services{tools: tool.NewRegistry()}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
		}
	}()
	if s.journal, err = journal.Open(d.o.Home.Runs, journal.Options{Log: d.log.Logger}); err != nil {
		return s, err
	}
	s.payloads = newPayloads(d, s.journal)
	if s.blobs, err = blob.Open(d.o.Home.Blobs, blob.Options{}); err != nil {
		return s, err
	}
	s.files = chat.NewFiles(s.blobs, time.Now)
	if s.models, err = newModels(d, s.files); err != nil {
		return s, err
	}
	list := todo.New(d.db, time.Now)
	s.todos = todos{list}
	s.money = budget.New(d.db, d.self, func() []budget.Limit { return limits(d.conf.Current()) })
	if err := s.money.Start(context.Background()); err != nil {
		return s, err
	}
	s.live = live.New(live.Deps{
		Store: d.db, Now: time.Now, Log: d.log.Logger,
		Events: func(ctx context.Context, user core.UserID, id core.ChainID, after uint64) iter.Seq2[core.Event, error] {
			return s.chat.Events(ctx, user, id, after)
		},
	})
	news := &bell{}
	conversations := session.New(session.Deps{
		Store: d.db, Editor: d.db, Copies: d.db, Blobs: s.blobs, Math: newMath, Archiver: d.db, Marker: d.db, Maker: d.db, Reader: d.db, Changed: news.wait,
		Journals: s.remove, Expired: d.expired, Erased: s.forgotten, Now: time.Now, After: after, NewID: newID, Log: d.log.Logger,
	})
	s.chat = chat.New(chat.Deps{
		Accepted: s.live.Changed,
		Budget:   s.money,
		Store:    ringing{d.db, news}, Journal: journals{s.journal, s.payloads}, Blobs: s.files, Models: s.models, Tools: s.tools,
		Todos: list.List, Marked: conversations.AllMarked,
		Settings: func() chat.Settings { return settings(d.conf.Current()) },
		Now:      time.Now, After: after, NewID: newID, Self: d.self, Log: d.log.Logger, ValidateJSON: validateJSON,
	})
	s.sessions = &sessions{chat: s.chat, Service: conversations}
	ix, err := newIndex(d)
	if err != nil {
		return s, err
	}
	s.search = search.New(search.Deps{Store: d.db, Index: ix, Now: time.Now, Log: d.log.Logger})
	return s, s.tools.Add(append(basic.Tools(), list.Tools()...)...)
}

// close gives back what wire took.
func (s *services) close() error {
	var err error
	if s.models != nil {
		err = s.models.close()
	}
	if s.journal != nil {
		err = errors.Join(err, s.journal.Close())
	}
	return err
}

func settings(c *config.Config) chat.Settings {
	return chat.Settings{
		MaxIterations: c.MaxIterations, MaxTokens: c.MaxTokens,
		ToolArguments: int(c.Limits.ToolArguments), Prompt: int(c.Limits.Prompt),
	}
}

func after(d time.Duration, f func()) func() bool { return time.AfterFunc(d, f).Stop }

// newID mints a UUIDv7. Its clock orders nothing.
func newID() string { return uuid.Must(uuid.NewV7()).String() }

// journals gives chat the folder of journals as it wants it.
type journals struct {
	*journal.Dir
	payloads *payloads
}

// Open opens a chain's journal for writing.
func (j journals) Open(id core.ChainID) (chat.Log, error) {
	l, err := j.Log(id)
	if err != nil {
		return nil, err
	}
	return sealing{l, func() { j.payloads.end(id) }}, nil
}

// todos gives the server the list as it wants it.
type todos struct{ *todo.Service }

// Set changes the status of entry n.
func (t todos) Set(ctx context.Context, user core.UserID, n uint64, status string) (core.Todo, error) {
	return t.SetStatus(ctx, user, n, status)
}

func (d *daemon) serverConfig() server.Config {
	return server.Config{
		Chat: d.chat, Sessions: d.sessions, Todos: d.todos, Models: d.models, Blobs: d.files,
		Editor: d.sessions, Archives: d.sessions, Notes: d.sessions, Backups: d.backups, Spending: spending{d.db, d.money},
		Audit:   d.audit,
		Windows: d.chat,
		Search:  d.search,
		Live:    d.live, Streaming: d.chat, Settings: settingsOf{d}, Changes: changes{d.conf},
		Transcripts: transcripts{d.sessions.Service, func() transcript.Limits {
			return transcript.Limits{Attachment: int64(d.conf.Current().Limits.Attachment)}
		}},
		Limits: func() server.Limits {
			l := d.conf.Current().Limits
			return server.Limits{Prompt: int64(l.Prompt), Attachment: int64(l.Attachment), Request: int64(l.Request), Import: int64(l.Import)}
		},
		Fresh: d.fresh.look, Status: d.status.answer, Ready: d.status.ready, Shutdown: func() { d.stop(errAsked) }, Stopping: d.cut,
		Token: d.token, UID: uid(), Peer: d.o.Peer, Vars: api.VarsIn(d.o.Env.Get), Log: d.log.Logger,
	}
}

// sweep keeps accounts, journals and blobs within their bounds.
func (d *daemon) sweep(ctx context.Context) error {
	pruned, perr := d.db.PruneSpending(ctx, time.Now().Add(-spentKept))
	if pruned > 0 {
		d.log.Info("Accounts of past days and months removed", "count", pruned)
	}
	if !d.backups.mu.TryLock() { // what is being copied stays; there is a next time
		return perr
	}
	defer d.backups.mu.Unlock()
	jerr := d.sweepJournals(ctx)
	d.overwriteErased(ctx)
	named := func(id core.Digest) (bool, error) { return d.db.BlobReferenced(ctx, id) }
	n, size, err := d.blobs.Sweep(ctx, named, time.Now().Add(-blobKept))
	if n > 0 {
		d.log.Info("Unnamed blobs removed", "count", n, "bytes", size)
	}
	return errors.Join(perr, jerr, err) // one that fails holds up no other
}

// modelsDir is where local models lie.
func (d *daemon) modelsDir() string { return filepath.Clean(d.o.Home.Models) }
