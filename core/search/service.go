package search

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"sync"
	"time"

	"jarvis/core"
)

// Store is what the index is made of. store/bolt has it.
type Store interface {
	// Changed gets a value, at most one, when the feed has something new.
	Changed() <-chan struct{}
	// Changes gives at most n rows of the feed behind a number; Ack deletes those up to one.
	Changes(ctx context.Context, after uint64, n int) ([]core.Change, error)
	Ack(ctx context.Context, upTo uint64) error
	LastChange(ctx context.Context) (uint64, error)
	// ChainText gives an ended chain's messages, deleted ones too.
	ChainText(ctx context.Context, id core.ChainID) ([]core.Indexed, error)
	// SessionText walks over a session's, about n at a time.
	SessionText(ctx context.Context, id core.SessionID, after core.Cursor, n int) ([]core.Indexed, core.Cursor, error)
	// AllText walks over everything, CountText counts it.
	AllText(ctx context.Context, after core.Cursor, n int) ([]core.Indexed, core.Cursor, error)
	CountText(ctx context.Context) (uint64, error)
	// MessagesOf gives those of the messages that are the user's and not deleted, and the titles of their sessions.
	MessagesOf(ctx context.Context, user core.UserID, ids []core.MessageID) (map[core.MessageID]core.Message, map[core.SessionID]string, error)
}

// Index is the derived index. store/index has it.
type Index interface {
	// Exists reports whether there is one at all.
	Exists() bool
	State(ctx context.Context) (core.IndexState, error)
	// Apply writes a batch durably; stale says that it was made for another index than the one that is there.
	Apply(ctx context.Context, b core.IndexBatch) (s core.IndexState, stale bool, err error)
	Search(ctx context.Context, q core.Query) ([]core.IndexHit, uint64, core.IndexState, error)
	// Reset begins an empty index.
	Reset(ctx context.Context) (core.IndexState, error)
	// Merge takes what was deleted off the disk.
	Merge(ctx context.Context) error
	// Close gives its memory back; it opens again by itself.
	Close() error
}

const (
	defaultHits = 20
	maxHits     = 200
	maxFrom     = 10_000
	behind      = 256              // changes that may wait for the next search
	buildStep   = 200              // messages a batch of building takes
	batchBytes  = 8 << 20          // of text in a batch
	catchUp     = 2 * time.Second  // that a search spends on what is new before it answers
	idleClose   = 60 * time.Second // without a search
	erasePause  = 2 * time.Second  // so that an expiry of many sessions is one piece of work
)

// Deps is all that search sees of the world.
type Deps struct {
	Store Store
	Index Index
	Now   func() time.Time
	Log   *slog.Logger
}

// Service answers searches and keeps the index level with the store. The index is made at the first search; before it nothing
// is kept.
type Service struct {
	d    Deps
	wake chan struct{} // somebody searched

	busy chan struct{} // holds a value while somebody works on the index: one at a time
	// unmerged: the index's files still have text of erased sessions. Nothing of the feed is acknowledged as long. looked: an
	// earlier daemon's erasures count in it. Both belong to who is busy.
	unmerged, looked bool

	mu        sync.Mutex         // guards interrupt
	interrupt context.CancelFunc // ends a merge that is running; nil = none
}

// New makes a service; Serve does its work in the background.
func New(d Deps) *Service {
	if d.Log == nil {
		d.Log = slog.New(slog.DiscardHandler)
	}
	return &Service{d: d, wake: make(chan struct{}, 1), busy: make(chan struct{}, 1)}
}

// Search answers a user's query. limit 0 means 20; no page is longer than 200.
func (s *Service) Search(ctx context.Context, user core.UserID, q core.Query, limit int, after core.Cursor) (core.Hits, error) {
	q.User, q.Limit = user, limit
	if q.Limit <= 0 {
		q.Limit = defaultHits
	}
	q.Limit = min(q.Limit, maxHits)
	if after != "" {
		n, err := strconv.Atoi(string(after))
		if err != nil || n < 0 || n > maxFrom {
			return core.Hits{}, core.E(core.BadRequest, "that is no cursor of a search", help, err)
		}
		q.From = n
	}
	defer func() {
		select {
		case s.wake <- struct{}{}:
		default:
		}
	}()
	s.stopMerge() // it can wait, a person does not
	if err := s.lock(ctx); err != nil {
		return core.Hits{}, fmt.Errorf("search: %w", err)
	}
	defer s.unlock()
	found, total, st, level, err := s.find(ctx, q)
	if err != nil {
		return core.Hits{}, fmt.Errorf("search: %w", err)
	}
	h := core.Hits{Items: []core.Hit{}, Total: total, Complete: st.Built && level, Indexed: st.Indexed, Messages: max(st.Messages, st.Indexed)}
	if next := q.From + len(found); uint64(next) < total && len(found) > 0 && next <= maxFrom {
		h.Next = core.Cursor(strconv.Itoa(next))
	}
	return h, s.show(ctx, user, found, &h)
}

// find asks an index that is level. One that turns out to be lost has been made anew, and is asked once more.
func (s *Service) find(ctx context.Context, q core.Query) (found []core.IndexHit, total uint64, st core.IndexState, level bool, err error) {
	for range 2 {
		if st, level, err = s.level(ctx); errors.Is(err, errLost) {
			continue
		}
		if err != nil {
			return nil, 0, st, false, err
		}
		var now core.IndexState
		if found, total, now, err = s.d.Index.Search(ctx, q); err != nil || now == st {
			return found, total, st, level, err
		}
	}
	if err == nil {
		err = lost()
	}
	return nil, 0, core.IndexState{}, false, err
}

// lock waits until nobody works on the index.
func (s *Service) lock(ctx context.Context) error {
	select {
	case s.busy <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *Service) unlock() { <-s.busy }

// level brings what is new into the index, for a bounded time. The first time it decides what building has to walk over.
func (s *Service) level(ctx context.Context) (st core.IndexState, level bool, err error) {
	if st, err = s.state(ctx); err != nil {
		return st, false, err
	}
	end := s.d.Now().Add(catchUp)
	for s.d.Now().Before(end) {
		more, err := s.drain(ctx, &st)
		if err != nil {
			return st, false, err
		}
		if !more {
			level = true
			break
		}
	}
	for !st.Built && s.d.Now().Before(end) { // a small store is built while one waits
		if err := s.build(ctx, &st); err != nil {
			return st, false, err
		}
	}
	return st, level, nil
}

// state reads the index's state; of one that is new it writes where building begins. The number of the feed comes before the
// count: what changes in between is told by the feed again.
func (s *Service) state(ctx context.Context) (core.IndexState, error) {
	st, err := s.d.Index.State(ctx)
	if err != nil {
		return st, err
	}
	if st.Begun {
		ok, err := s.follows(ctx, st)
		if err != nil || ok {
			return st, err
		}
		s.d.Log.Warn("Search index is not level with the store and is built anew", "covers", st.Seq)
		if st, err = s.d.Index.Reset(ctx); err != nil {
			return st, err
		}
	}
	if st.Seq, err = s.d.Store.LastChange(ctx); err != nil {
		return st, err
	}
	if st.Messages, err = s.d.Store.CountText(ctx); err != nil {
		return st, err
	}
	st.Begun = true
	s.d.Log.Info("Search index is built", "messages", st.Messages)
	return s.apply(ctx, core.IndexBatch{State: st})
}

// follows reports whether the feed goes on where the index stops. It does not when damaged files made the index go back behind
// what it had acknowledged, or when the store is an older one, from a backup.
func (s *Service) follows(ctx context.Context, st core.IndexState) (bool, error) {
	last, err := s.d.Store.LastChange(ctx)
	if err != nil || last <= st.Seq {
		return last == st.Seq, err
	}
	cs, err := s.d.Store.Changes(ctx, st.Seq, 1)
	return len(cs) == 1 && cs[0].Seq == st.Seq+1, err
}

var errLost = errors.New("the index was lost while it was written to")

func (s *Service) apply(ctx context.Context, b core.IndexBatch) (core.IndexState, error) {
	st, stale, err := s.d.Index.Apply(ctx, b)
	if err == nil && stale {
		err = lost()
	}
	return st, err
}

func lost() error {
	return core.E(core.Conflict, "the search index was lost and is built anew; ask again", "", errLost)
}

// drain takes some of the feed into the index; more says that there may be more of it.
func (s *Service) drain(ctx context.Context, st *core.IndexState) (more bool, err error) {
	if err := s.look(ctx); err != nil {
		return false, err
	}
	cs, err := s.d.Store.Changes(ctx, st.Seq, behind)
	if err != nil || len(cs) == 0 {
		return false, err
	}
	b, size := core.IndexBatch{State: *st}, 0
	for _, c := range cs {
		switch {
		case c.Erased():
			b.Sessions, s.unmerged = append(b.Sessions, c.Session), true
		case c.Whole:
			size, err = s.session(ctx, &b, c.Session, size)
		default:
			size, err = s.chain(ctx, &b, c.Chain, size)
		}
		if err != nil {
			return false, err
		}
		b.State.Seq = c.Seq
	}
	if *st, err = s.apply(ctx, b); err != nil || s.unmerged {
		return err == nil, err // an erasure stays in the feed until nothing of it is on the disk
	}
	return true, s.d.Store.Ack(ctx, st.Seq)
}

// look finds out, once, whether an earlier daemon erased something and did not get to merging.
func (s *Service) look(ctx context.Context) error {
	if s.looked {
		return nil
	}
	cs, err := s.d.Store.Changes(ctx, 0, behind)
	if err != nil {
		return err
	}
	s.looked = true
	s.unmerged = s.unmerged || len(cs) == behind || slices.ContainsFunc(cs, core.Change.Erased)
	return nil
}

// chain adds a chain's messages to a batch; one that gets too large is written on the way, before its number is.
func (s *Service) chain(ctx context.Context, b *core.IndexBatch, id core.ChainID, size int) (int, error) {
	ms, err := s.d.Store.ChainText(ctx, id)
	if err != nil {
		return size, err
	}
	return s.fill(ctx, b, ms, size)
}

// session adds all of a session's.
func (s *Service) session(ctx context.Context, b *core.IndexBatch, id core.SessionID, size int) (int, error) {
	for cursor := core.Cursor(""); ; {
		ms, next, err := s.d.Store.SessionText(ctx, id, cursor, buildStep)
		if err != nil {
			return size, err
		}
		if size, err = s.fill(ctx, b, ms, size); err != nil || next == "" {
			return size, err
		}
		cursor = next
	}
}

func (s *Service) fill(ctx context.Context, b *core.IndexBatch, ms []core.Indexed, size int) (int, error) {
	for _, m := range ms {
		size += add(b, m)
		if size < batchBytes {
			continue
		}
		var err error
		if b.State, err = s.apply(ctx, *b); err != nil {
			return size, err
		}
		b.Puts, b.Dels, b.Sessions, size = nil, nil, nil, 0
	}
	return size, nil
}

// add gives the bytes that came into the batch.
func add(b *core.IndexBatch, m core.Indexed) int {
	text := Text(m.Message)
	if m.Deleted || text == "" || m.User == 0 {
		b.Dels = append(b.Dels, m.ID)
		return len(m.ID)
	}
	b.Puts = append(b.Puts, core.IndexDoc{
		ID: m.ID, User: m.User, Session: m.Session, Agent: m.Agent, Role: m.Role, Type: m.Type,
		Text: text, Marked: m.Marked, Created: m.Created,
	})
	return len(text) + 200
}

// build walks one step further over what was stored before there was an index.
func (s *Service) build(ctx context.Context, st *core.IndexState) error {
	ms, next, err := s.d.Store.AllText(ctx, st.Cursor, buildStep)
	if err != nil {
		return err
	}
	b := core.IndexBatch{State: *st}
	for _, m := range ms {
		add(&b, m) // a page is bounded by the store
	}
	b.State.Cursor, b.State.Indexed = next, st.Indexed+uint64(len(ms))
	if next == "" {
		b.State.Built = true
		s.d.Log.Info("Search index is complete", "messages", b.State.Indexed)
	}
	*st, err = s.apply(ctx, b)
	return err
}

// show fills in the hits from the store, which decides what may be seen: an index may be late.
func (s *Service) show(ctx context.Context, user core.UserID, found []core.IndexHit, h *core.Hits) error {
	ids := make([]core.MessageID, len(found))
	for i, f := range found {
		ids[i] = f.ID
	}
	ms, titles, err := s.d.Store.MessagesOf(ctx, user, ids)
	if err != nil {
		return fmt.Errorf("search: %w", err)
	}
	for _, f := range found {
		m, ok := ms[f.ID]
		if !ok {
			continue
		}
		text, at := snippet(Text(m), f.Matches)
		h.Items = append(h.Items, core.Hit{
			Session: m.Session, Message: m.ID, Chain: m.Chain, Role: m.Role, Type: m.Type, Agent: m.Agent,
			Title: titles[m.Session], Snippet: text, Matches: at, Created: m.Created,
		})
	}
	return nil
}
