package tui

import (
	"context"

	"jarvis/daemon/api"
	"jarvis/tui/view"
)

// wear takes up the language and the colours that the daemon's configuration says, and tells whether they are others. What a
// terminal cannot show, or its user does not want, no configuration brings back.
func (c *chat) wear(st api.Status) bool {
	say, theme := speechFor(c.getenv), view.ThemeFor(c.getenv)
	if st.Language != "" && st.Language != "auto" {
		say.lang = st.Language
	}
	if theme.Color {
		switch st.Theme {
		case "dark":
			theme = view.Dark()
		case "light":
			theme = view.Light()
		case "plain":
			theme = view.Plain()
		}
	}
	if say == c.say && theme == c.opt.Theme {
		return false
	}
	c.say, c.opt.Theme = say, theme
	return true
}

// watch sends the daemon's state at each change of its settings until ctx ends.
func (c *chat) watch(ctx context.Context) <-chan api.Status {
	ch := make(chan api.Status)
	go func() {
		defer func() { _ = recover() }() // it would end the program past every deferred call and leave a raw terminal
		for _, err := range c.d.Changes(ctx) {
			if err != nil {
				return // a daemon that does not tell: the next conversation looks anyway
			}
			st, err := c.d.Status(ctx)
			if err != nil {
				continue
			}
			select {
			case ch <- st:
			case <-ctx.Done():
				return
			}
		}
	}()
	return ch
}

// changed takes up settings that have changed and says so in one line, behind the answer that is just coming.
func (k *talk) changed(st api.Status) {
	if k.t != nil {
		k.later = &st
		return
	}
	k.later = nil
	if !k.wear(st) {
		return
	}
	k.ed.folded = foldLabel(k.say)
	text := k.say.of("The settings were changed: language %s, theme %s.", st.Language, st.Theme)
	k.out = append(append(k.out, view.Message("· ", k.opt.Theme.Dim, text, k.opt.Theme.Dim, k.opt)...), view.Line{})
}
