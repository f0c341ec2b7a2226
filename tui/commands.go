package tui

import (
	"context"
	"strings"
	"unicode/utf8"

	"jarvis/core"
	"jarvis/daemon/locale"
	"jarvis/tui/view"
)

// command is one of the conversation's own; run answers in lines.
type command struct {
	name, args, help string
	run              func(c *chat, ctx context.Context, args string) (lines []string, leave bool)
}

// commands are in the order of /help.
func commands() []command {
	return []command{
		{"/help", "", "show this", (*chat).helpCommand},
		{"/new", "", "begin a new conversation", (*chat).newCommand},
		{"/model", "[NAME]", "show the models, or ask NAME from now on", (*chat).modelCommand},
		{"/sessions", "", "list the newest conversations", (*chat).sessionsCommand},
		{"/exit", "", "leave", (*chat).exitCommand},
	}
}

// command runs text when it is one: a slash and a word. A second slash sends the text with one.
func (c *chat) command(ctx context.Context, text string) (lines []string, leave, ok bool) {
	if !strings.HasPrefix(text, "/") || strings.HasPrefix(text, "//") || strings.Contains(text, "\n") {
		return nil, false, false
	}
	name, args, _ := strings.Cut(strings.TrimSpace(text), " ")
	if name == "/quit" {
		name = "/exit"
	}
	for _, cmd := range commands() {
		if cmd.name == name {
			lines, leave = cmd.run(c, ctx, strings.TrimSpace(args))
			return lines, leave, true
		}
	}
	if strings.ContainsRune(name[1:], '/') {
		return nil, false, false // a path, most likely
	}
	return []string{c.say.of("There is no command %s. Type /help for those there are, or //… to send a text that begins with a slash.", name)}, false, true
}

// unslash takes the slash off that kept a text from being a command.
func unslash(text string) string {
	if strings.HasPrefix(text, "//") {
		return text[1:]
	}
	return text
}

func (c *chat) helpCommand(context.Context, string) ([]string, bool) {
	var out []string
	for _, cmd := range commands() {
		out = append(out, strings.TrimSpace(cmd.name+" "+cmd.args)+"\t"+c.say.of(cmd.help))
	}
	for _, k := range [][2]string{
		{"Enter", "send"},
		{"\\ Enter, Alt+Enter", "begin a new line"},
		{"Up, Down", "earlier messages"},
		{"Ctrl-C", "stop the answer; twice at an empty line: leave"},
		{"Ctrl-D", "leave"},
	} {
		out = append(out, c.say.of(k[0])+"\t"+c.say.of(k[1]))
	}
	return out, false
}

func (c *chat) newCommand(context.Context, string) ([]string, bool) {
	was := c.session
	c.session = ""
	if was == "" {
		return []string{c.say.of("This conversation is new.")}, false
	}
	return []string{c.say.of("A new conversation. Back to the other one: jarvis chat %s", core.Short(string(was)))}, false
}

func (c *chat) modelCommand(ctx context.Context, name string) ([]string, bool) {
	if name != "" {
		if _, err := c.d.ResolveModel(ctx, name); err != nil {
			return c.failed(err), false
		}
		c.model = name
		return []string{c.say.of("From now on %s answers.", name)}, false
	}
	models, err := c.d.Models(ctx)
	if err != nil {
		return c.failed(err), false
	}
	var out []string
	for _, m := range models {
		if !m.Installed {
			continue
		}
		mark := "  "
		if m.Ref == c.model || c.model == "" && m.Default {
			mark = "* "
		}
		out = append(out, mark+m.Ref)
	}
	if len(out) == 0 {
		out = append(out, c.say.of("No model is connected. Connect one: jarvis setup"))
	}
	return out, false
}

func (c *chat) sessionsCommand(ctx context.Context, _ string) ([]string, bool) {
	list, err := c.d.Sessions(ctx, false, core.Page{Limit: 10})
	if err != nil {
		return c.failed(err), false
	}
	var out []string
	for _, s := range list.Items {
		mark := "  "
		if s.ID == c.session {
			mark = "* "
		}
		out = append(out, mark+core.Short(string(s.ID))+"  "+s.Modified.Local().Format("2006-01-02 15:04")+"  "+firstLine(s.Title))
	}
	if len(out) == 0 {
		return []string{c.say.of("There is no conversation yet.")}, false
	}
	return append(out, c.say.of("Open one: jarvis chat ID")), false
}

func (c *chat) exitCommand(context.Context, string) ([]string, bool) { return nil, true }

// failed is an error as lines.
func (c *chat) failed(err error) []string {
	sentence, hint := explain(c.say, err)
	if hint != "" {
		return append([]string{sentence}, locale.Try(c.say.of("Try:"), firstLine(hint))...)
	}
	return []string{sentence}
}

// spoken are lines of the screen's own, dim; a tab parts a line into two columns.
func (c *chat) spoken(lines []string) []view.Line {
	var out []view.Line
	for _, l := range lines {
		left, right, two := strings.Cut(l, "\t")
		if two {
			out = append(out, view.Message("  "+column(left), c.opt.Theme.Dim, right, c.opt.Theme.Dim, c.opt)...)
			continue
		}
		out = append(out, view.Message("  ", "", l, c.opt.Theme.Dim, c.opt)...)
	}
	return out
}

// column is the left one of two.
func column(s string) string { return s + strings.Repeat(" ", max(19-utf8.RuneCountInString(s), 1)) }
