package tui

import (
	"context"

	"jarvis/core"
	"jarvis/tui/view"
)

// recalled is how many messages are shown again when a conversation is opened.
const recalled = 12

// recall gives the newest messages of the session as lines, what the user wrote in them, and the chain that is still
// running, if one is.
func (c *chat) recall(ctx context.Context) (lines []view.Line, typed []string, open core.ChainID, err error) {
	list, err := c.d.Messages(ctx, string(c.session), core.Page{Limit: recalled, Backward: true})
	if err != nil {
		return nil, nil, "", err
	}
	if n := len(list.Items); n > 0 {
		last := list.Items[n-1].Chain
		if ch, err := c.d.Chain(ctx, last); err == nil && ch.State != core.Ended {
			open = last
		}
	}
	if list.NextCursor != "" {
		lines = append(lines, view.Note("… ", c.opt.Theme.Dim, c.say.of("earlier messages: jarvis session show %s", core.Short(string(c.session))), c.opt)...)
	}
	tool := false // the line before is a tool's
	for _, m := range list.Items {
		if m.Deleted || m.Role == core.RoleUser && m.Type == core.TypeText {
			if !m.Deleted {
				typed = append(typed, m.Text)
				if len(lines) > 0 {
					lines = append(lines, view.Line{})
				}
				lines = append(lines, c.said(m.Text)...)
			}
			tool = false
			continue
		}
		if m.Chain == open {
			continue // it comes again with the chain's events
		}
		shown := c.message(m)
		if tool && m.Type == core.TypeText && len(shown) > 0 {
			lines = append(lines, view.Line{})
		}
		tool = m.Type == core.TypeToolUse || tool && len(shown) == 0
		lines = append(lines, shown...)
	}
	return lines, typed, open, nil
}

// said is a message of the user as it stands in the conversation.
func (c *chat) said(text string) []view.Line {
	field := view.Field{Prompt: prompt, Cells: view.Graphemes(clean(text)), Cursor: -1}
	lines, _, _ := view.Input(field, c.opt, 1000)
	return append(lines, view.Line{})
}

func (c *chat) message(m core.Message) []view.Line {
	switch m.Type {
	case core.TypeText:
		return view.Render(m.Text, c.opt)
	case core.TypeToolUse:
		return view.Note("· ", c.opt.Theme.Dim, m.Tool+arguments(m.Input), c.opt)
	case core.TypeError:
		return view.Message("✗ ", c.opt.Theme.Bad, m.Text, "", c.opt)
	}
	return nil
}
