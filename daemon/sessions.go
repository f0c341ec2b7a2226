package daemon

import (
	"context"

	"jarvis/core"
	"jarvis/core/chat"
	"jarvis/core/prompt"
	"jarvis/core/session"
	"jarvis/daemon/api"
)

// sessions gives the server conversations as it wants them.
type sessions struct {
	*session.Service
	chat *chat.Service
}

// Prompt gives the system prompt of a session and its blocks.
func (s *sessions) Prompt(ctx context.Context, user core.UserID, id core.SessionID) (string, []api.PromptBlock, error) {
	blocks, err := s.chat.Prompt(ctx, user, id)
	if err != nil {
		return "", nil, err
	}
	var out []api.PromptBlock
	for _, b := range blocks {
		out = append(out, api.PromptBlock{Icon: b.Icon, Label: b.Label, Content: b.Content, Volatile: b.Volatile})
	}
	return prompt.Text(prompt.System(blocks)), out, nil
}
