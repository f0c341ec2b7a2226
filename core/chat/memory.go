package chat

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"sync"
	"time"

	"jarvis/core"
)

// maxQueued is the bound of a lane.
const maxQueued = 100

// Memory keeps chains in memory only: it is the Store of private requests, and of tests. Nothing of it survives the process.
type Memory struct {
	log   *MemoryJournal
	files *Files // holds the messages' attachments; nil = nobody does

	mu       sync.Mutex // guards the rest
	pos      uint64
	sessions map[core.SessionID]core.Session
	chains   map[core.ChainID]*memChain
	keys     map[string]core.ChainID           // dedupe keys
	sums     map[core.SessionID][]core.Summary // in order
}

type memChain struct {
	chain core.Chain
	msgs  []core.Message
	steps map[int]core.Step
}

var _ Store = (*Memory)(nil)

// NewMemory makes an empty store.
func NewMemory() *Memory {
	return &Memory{
		log: NewMemoryJournal(), sessions: map[core.SessionID]core.Session{}, chains: map[core.ChainID]*memChain{},
		keys: map[string]core.ChainID{}, sums: map[core.SessionID][]core.Summary{},
	}
}

// Journal gives the journal that goes with this store.
func (m *Memory) Journal() *MemoryJournal { return m.log }

// Has reports whether a chain is kept here.
func (m *Memory) Has(id core.ChainID) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, ok := m.chains[id]
	return ok
}

// HasSession reports whether a session is kept here.
func (m *Memory) HasSession(id core.SessionID) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, ok := m.sessions[id]
	return ok
}

// Forget erases a session with its chains and journals, unless one of them is open.
func (m *Memory) Forget(id core.SessionID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range m.chains {
		if c.chain.Session == id && c.chain.State != core.Ended {
			return
		}
	}
	for cid, c := range m.chains {
		if c.chain.Session == id {
			m.hold(c.msgs, -1)
			delete(m.chains, cid)
			m.log.remove(cid)
		}
	}
	for k, cid := range m.keys {
		if _, ok := m.chains[cid]; !ok {
			delete(m.keys, k)
		}
	}
	delete(m.sessions, id)
	delete(m.sums, id)
}

func (m *Memory) hold(ms []core.Message, n int) {
	if m.files == nil {
		return
	}
	for _, msg := range ms {
		m.files.hold(msg.Attachments, n)
	}
}

// Accept stores an intake.
func (m *Memory) Accept(_ context.Context, in core.Intake) (core.Chain, int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := in.Chain
	if old, ok := m.chains[c.ID]; ok {
		return sameUser(old, c.User)
	}
	key := ""
	if c.Origin.Key != "" {
		key = c.Origin.Source + "\x00" + c.Origin.Key
		if id, ok := m.keys[key]; ok {
			return sameUser(m.chains[id], c.User)
		}
	}
	sess, ok := m.sessions[c.Session]
	if !ok && in.Session != nil && in.Session.ID == c.Session {
		sess, ok = *in.Session, true
	}
	if !ok || sess.User != c.User {
		return core.Chain{}, 0, core.E(core.NotFound, "there is no such session", "", nil)
	}
	place, busy := 1, false
	for _, o := range m.chains {
		switch {
		case o.chain.Lane != c.Lane || o.chain.State == core.Ended:
		case o.chain.State == core.Queued:
			place++
		default:
			busy = true
		}
	}
	if place > maxQueued {
		return core.Chain{}, 0, core.E(core.RateLimited, "too many messages wait in this session", "jarvis session stop", nil)
	}
	m.pos++
	c.Pos, c.State = m.pos, core.Queued
	if in.Owner != "" && place == 1 && !busy {
		c.State, c.Owner, c.Started = core.Running, in.Owner, c.Created
	}
	msg := in.Message
	msg.Pos = c.Pos
	if sess.Title == "" {
		sess.Title = in.Title
	}
	sess.Modified = c.Created
	m.sessions[c.Session] = sess
	m.chains[c.ID] = &memChain{chain: c, msgs: []core.Message{msg}, steps: map[int]core.Step{}}
	if key != "" {
		m.keys[key] = c.ID
	}
	m.hold([]core.Message{msg}, 1)
	return c, place, nil
}

func sameUser(c *memChain, u core.UserID) (core.Chain, int, error) {
	if c.chain.User != u {
		return core.Chain{}, 0, core.E(core.NotFound, "there is no such chain", "", nil)
	}
	return c.chain, 0, nil
}

// Claim takes a lane's next chain.
func (m *Memory) Claim(_ context.Context, lane string, owner core.InstanceID, at time.Time) (core.Chain, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var next *memChain
	for _, c := range m.chains {
		switch {
		case c.chain.Lane != lane || c.chain.State == core.Ended:
		case c.chain.State != core.Queued:
			return core.Chain{}, false, nil
		case next == nil || c.chain.Pos < next.chain.Pos:
			next = c
		}
	}
	if next == nil {
		return core.Chain{}, false, nil
	}
	next.chain.State, next.chain.Owner, next.chain.Started = core.Running, owner, at
	return next.chain, true, nil
}

// owned finds an open chain that owner holds; m.mu is held.
func (m *Memory) owned(id core.ChainID, owner core.InstanceID) (*memChain, error) {
	c, ok := m.chains[id]
	if !ok {
		return nil, core.E(core.NotFound, "there is no such chain", "", nil)
	}
	if c.chain.State == core.Ended || c.chain.State == core.Queued || c.chain.Owner != owner {
		return nil, core.E(core.Conflict, "the chain does not run here", "", nil)
	}
	return c, nil
}

// Append stores one iteration.
func (m *Memory) Append(_ context.Context, p core.Progress) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	c, err := m.owned(p.Chain, p.Owner)
	if err != nil {
		return err
	}
	if err := m.summarised(c.chain, p); err != nil {
		return err
	}
	c.append(p)
	return nil
}

// summarised takes a turn's summary; m.mu is held.
func (m *Memory) summarised(c core.Chain, p core.Progress) error {
	if p.Summary == nil || p.Step != nil && m.chains[c.ID].has(p.Step.N) {
		return nil
	}
	s, all := *p.Summary, m.sums[c.Session]
	newest := uint64(0)
	if n := len(all); n > 0 {
		newest = all[n-1].To
	}
	if newest != s.Prev || s.To <= s.Prev || s.To >= c.Pos {
		return core.E(core.Conflict, "the session was summarised differently meanwhile", "", nil)
	}
	s.Session, s.Chain = c.Session, c.ID
	m.sums[c.Session] = append(all, s)
	return nil
}

// Summary is a session's newest one.
func (m *Memory) Summary(_ context.Context, id core.SessionID) (core.Summary, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := m.sums[id]
	if len(all) == 0 {
		return core.Summary{}, false, nil
	}
	return all[len(all)-1], true, nil
}

// UndoSummary takes a session's newest one away.
func (m *Memory) UndoSummary(_ context.Context, user core.UserID, id core.SessionID) (core.Summary, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := m.sums[id]
	if sess, ok := m.sessions[id]; !ok || sess.User != user || len(all) == 0 {
		return core.Summary{}, core.E(core.NotFound, "nothing of this session is summarised", "jarvis session context "+core.Short(string(id)), nil)
	}
	m.sums[id] = all[:len(all)-1]
	return all[len(all)-1], nil
}

func (c *memChain) has(step int) bool {
	_, ok := c.steps[step]
	return ok
}

func (c *memChain) append(p core.Progress) {
	if p.Step != nil {
		if _, again := c.steps[p.Step.N]; again {
			return
		}
		c.steps[p.Step.N] = *p.Step
		c.chain.Usage = c.chain.Usage.Add(p.Step.Usage)
	}
	for _, msg := range p.Messages {
		msg.Pos = c.chain.Pos
		if i := slices.IndexFunc(c.msgs, func(o core.Message) bool { return o.ID == msg.ID }); i >= 0 {
			c.msgs[i] = msg
			continue
		}
		c.msgs = append(c.msgs, msg)
	}
	slices.SortFunc(c.msgs, func(a, b core.Message) int { return cmp.Compare(a.N, b.N) })
}

// Finish ends a running chain.
func (m *Memory) Finish(_ context.Context, e core.Ending) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	c, err := m.owned(e.Chain, e.Owner)
	if err != nil {
		return err
	}
	c.append(e.Progress)
	m.close(c, e)
	return nil
}

// close ends a chain; m.mu is held.
func (m *Memory) close(c *memChain, e core.Ending) {
	ch := &c.chain
	ch.State, ch.Stop, ch.Model, ch.System = core.Ended, e.Stop, e.Model, e.System
	ch.Usage, ch.Iterations, ch.Done, ch.Last = e.Usage, e.Iters, e.Done, e.Last
	sess := m.sessions[ch.Session]
	sess.Modified = e.Done
	m.sessions[ch.Session] = sess
}

// Drop ends a queued chain.
func (m *Memory) Drop(_ context.Context, e core.Ending) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	c, ok := m.chains[e.Chain]
	if !ok {
		return core.E(core.NotFound, "there is no such chain", "", nil)
	}
	if c.chain.State != core.Queued {
		return core.E(core.Conflict, "the chain is not queued", "", nil)
	}
	m.close(c, e)
	return nil
}

// Adopt gives an open chain of a dead instance to self.
func (m *Memory) Adopt(_ context.Context, id core.ChainID, self core.InstanceID) (core.Chain, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c, ok := m.chains[id]
	if !ok {
		return core.Chain{}, core.E(core.NotFound, "there is no such chain", "", nil)
	}
	if c.chain.State == core.Ended || c.chain.State == core.Queued {
		return core.Chain{}, core.E(core.Conflict, "the chain does not run", "", nil)
	}
	c.chain.Owner = self
	return c.chain, nil
}

// Unfinished yields the open chains that self does not own.
func (m *Memory) Unfinished(_ context.Context, self core.InstanceID) iter.Seq2[core.Chain, error] {
	m.mu.Lock()
	var open []core.Chain
	for _, c := range m.chains {
		if c.chain.State != core.Ended && c.chain.Owner != self {
			open = append(open, c.chain)
		}
	}
	m.mu.Unlock()
	slices.SortFunc(open, func(a, b core.Chain) int { return cmp.Compare(a.Pos, b.Pos) })
	return func(yield func(core.Chain, error) bool) {
		for _, c := range open {
			if !yield(c, nil) {
				return
			}
		}
	}
}

// Chain reads one chain.
func (m *Memory) Chain(_ context.Context, id core.ChainID) (core.Chain, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c, ok := m.chains[id]
	if !ok {
		return core.Chain{}, core.E(core.NotFound, "there is no chain "+core.Short(string(id)), "jarvis session list --all", nil)
	}
	return c.chain, nil
}

// Session reads one session.
func (m *Memory) Session(_ context.Context, id core.SessionID) (core.Session, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, ok := m.sessions[id]
	if !ok {
		return core.Session{}, core.E(core.NotFound, "there is no session "+core.Short(string(id)), "jarvis session list --all", nil)
	}
	return s, nil
}

// History pages through a session's messages. Its cursor is the place of the page's edge.
func (m *Memory) History(_ context.Context, id core.SessionID, p core.Page) ([]core.Message, core.Cursor, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var all []core.Message
	for _, c := range m.chains {
		if c.chain.Session == id && c.chain.Pos >= p.From && (p.Through == 0 || c.chain.Pos <= p.Through) {
			all = append(all, c.msgs...)
		}
	}
	slices.SortFunc(all, func(a, b core.Message) int { return cmp.Or(cmp.Compare(a.Pos, b.Pos), cmp.Compare(a.N, b.N)) })
	limit := p.Limit
	if limit <= 0 {
		limit = 50
	}
	limit = min(limit, 1000)
	pos, n, err := readCursor(p.After)
	if err != nil {
		return nil, "", err
	}
	edge := func(msg core.Message) int { return cmp.Or(cmp.Compare(msg.Pos, pos), cmp.Compare(uint64(msg.N), n)) }
	if p.Backward {
		if p.After != "" {
			all = all[:max(0, slices.IndexFunc(append(all, core.Message{Pos: pos, N: uint32(n)}), func(x core.Message) bool { return edge(x) >= 0 }))]
		}
		if len(all) <= limit {
			return all, "", nil
		}
		all = all[len(all)-limit:]
		return all, makeCursor(all[0]), nil
	}
	if p.After != "" {
		i := slices.IndexFunc(all, func(x core.Message) bool { return edge(x) > 0 })
		if i < 0 {
			return nil, "", nil
		}
		all = all[i:]
	}
	if len(all) <= limit {
		return all, "", nil
	}
	return all[:limit], makeCursor(all[limit-1]), nil
}

func makeCursor(m core.Message) core.Cursor { return core.Cursor(fmt.Sprintf("%d.%d", m.Pos, m.N)) }

func readCursor(c core.Cursor) (pos, n uint64, err error) {
	if c == "" {
		return 0, 0, nil
	}
	if _, err := fmt.Sscanf(string(c), "%d.%d", &pos, &n); err != nil || string(c) != strconv.FormatUint(pos, 10)+"."+strconv.FormatUint(n, 10) {
		return 0, 0, core.E(core.BadRequest, "the cursor is not one of this list", "", err)
	}
	return pos, n, nil
}
