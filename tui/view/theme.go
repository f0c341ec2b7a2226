package view

// Style is the parameter list of an SGR sequence ("1;36"); "" is plain text.
type Style string

// Theme names what a text is, not how it looks. Only the palette's sixteen colours are used, so that the user's own terminal
// theme decides how they look and no terminal has to be asked for its background.
type Theme struct {
	Color bool // false: no SGR at all, structure is shown by characters instead

	Heading1, Heading2, Heading3 Style
	Strong, Emphasis, Strike     Style
	Code                         Style // inside a line
	Link, URL                    Style
	Quote, Rule, Bullet          Style
	TableHead, TableRule         Style
	Dim                          Style // notices, tool lines
	Good, Bad                    Style
	Prompt                       Style

	Keyword, String, Comment, Number, Name Style // code blocks
	Added, Removed                         Style // diffs
}

// Dark is for terminals with a dark background.
func Dark() Theme {
	t := Light()
	t.Heading1, t.Heading2, t.Heading3 = "1;4;96", "1;96", "1;97"
	t.Code, t.Link = "93", "94"
	t.Keyword, t.String, t.Number, t.Name = "95", "92", "93", "96"
	return t
}

// Light is for terminals with a light background.
func Light() Theme {
	return Theme{
		Color:    true,
		Heading1: "1;4;34", Heading2: "1;34", Heading3: "1",
		Strong: "1", Emphasis: "3", Strike: "9",
		Code: "35", Link: "34", URL: "2",
		Quote: "2", Rule: "2", Bullet: "36",
		TableHead: "1", TableRule: "2",
		Dim: "2", Good: "32", Bad: "31", Prompt: "1;36",
		Keyword: "35", String: "32", Comment: "2;3", Number: "33", Name: "34",
		Added: "32", Removed: "31",
	}
}

// Plain uses no escape sequence.
func Plain() Theme { return Theme{} }

// ThemeFor chooses a theme by the environment: none with NO_COLOR, TERM=dumb or no TERM, light when COLORFGBG says so.
func ThemeFor(getenv func(string) string) Theme {
	if getenv("NO_COLOR") != "" || getenv("TERM") == "dumb" || getenv("TERM") == "" {
		return Plain()
	}
	fgbg := getenv("COLORFGBG")
	if n := len(fgbg); n > 1 && (fgbg[n-2:] == ";7" || n > 2 && fgbg[n-3:] == ";15") {
		return Light()
	}
	return Dark()
}

func (s Style) with(t Style) Style {
	switch {
	case s == "":
		return t
	case t == "" || s == t:
		return s
	}
	return s + ";" + t
}
