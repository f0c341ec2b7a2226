package chat

import (
	"cmp"
	"slices"

	"jarvis/core"
)

// Streaming gives the chains of a user that run now, oldest first: id, session, agent and when they were accepted. Private
// ones are not among them.
func (s *Service) Streaming(user core.UserID) []core.Chain {
	s.mu.Lock()
	var out []core.Chain
	for _, r := range s.runs {
		if _, running := r.status(); running && r.user == user && r.home.store != Store(s.private) {
			out = append(out, core.Chain{ID: r.id, Session: r.session, User: r.user, Agent: r.agent, State: core.Running, Created: r.created})
		}
	}
	s.mu.Unlock()
	slices.SortFunc(out, func(a, b core.Chain) int { return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID)) })
	return out
}
