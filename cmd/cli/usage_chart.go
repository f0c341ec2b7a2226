package cli

import (
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"

	"jarvis/core"
	"jarvis/daemon/api"
)

const (
	usualBar  = 20 // characters of the longest bar where the width is not known
	leastBar  = 8  // under which a bar says nothing
	mostBar   = 40
	leastName = 6
)

// chartLine is a row before it is laid out: a name, figures, and its share of the longest bar, from 0 to 1.
type chartLine struct {
	name    string
	figures []string
	share   float64
}

func (a *App) usageTable(w io.Writer, u api.Usage, by core.UsageBy) {
	if len(u.By) == 0 {
		a.talk("%s", a.t(`Nothing was used in that time. Ask something with: jarvis ask "…"`))
	}
	most := 0.0
	byCost := u.Total.CostUSD != nil && *u.Total.CostUSD > 0
	weight := func(s api.UsageSum) float64 {
		if byCost && s.CostUSD != nil {
			return *s.CostUSD
		}
		return float64(s.Tokens.In + s.Tokens.Out + s.Tokens.CacheRead + s.Tokens.CacheWrite)
	}
	for _, r := range u.By {
		most = max(most, weight(r.UsageSum))
	}
	var lines []chartLine
	for _, r := range u.By {
		lines = append(lines, a.usageLine(a.usageName(r, by), r.UsageSum, weight(r.UsageSum)/max(most, 1e-9)))
	}
	if len(lines) > 0 {
		lines = append(lines, a.usageLine(a.t("total"), u.Total, 0))
	}
	var limits []chartLine
	for _, l := range u.Limits {
		line := chartLine{name: a.tf("budget %s", l.For), figures: []string{fmt.Sprintf("$%.2f", l.LimitUSD), l.Period}}
		if l.UsedUSD != nil {
			line.figures[0] = a.tf("$%.4f of $%.2f", *l.UsedUSD, l.LimitUSD)
			line.share = min(1, *l.UsedUSD/max(l.LimitUSD, 1e-9))
		}
		limits = append(limits, line)
	}
	for _, block := range [][]chartLine{lines, limits} {
		for _, l := range chart(block, a.width()) {
			fmt.Fprintln(w, l)
		}
	}
}

func (a *App) usageName(r api.UsageRow, by core.UsageBy) string {
	name := r.Name()
	switch {
	case r.Session != "":
		name = core.Short(name)
	case name == "" && by == core.BySession:
		name = a.t("erased")
	case name == "":
		name = "-"
	}
	return a.shown(strings.Join(strings.Fields(name), " "))
}

func (a *App) usageLine(name string, s api.UsageSum, share float64) chartLine {
	cost := "?"
	if s.CostUSD != nil {
		cost = fmt.Sprintf("$%.4f", *s.CostUSD)
	}
	return chartLine{name, []string{a.tf("%d in", s.Tokens.In+s.Tokens.CacheRead+s.Tokens.CacheWrite), a.tf("%d out", s.Tokens.Out), cost}, share}
}

// width is the terminal's, 0 = there is none.
func (a *App) width() int {
	if !a.OutTTY {
		return 0
	}
	w, _, err := term.GetSize(int(os.Stdout.Fd()))
	if err != nil {
		return 0
	}
	return w
}

// chart lays lines out in a width (0 = as wide as they are): figures stand right, bars take what is left. Where that is too
// little, all figures but the last go first, then the bars, then the ends of names.
func chart(lines []chartLine, width int) []string {
	if len(lines) == 0 {
		return nil
	}
	cut := func(keep int) (out []chartLine, wide int) {
		for _, l := range lines {
			l.figures = l.figures[len(l.figures)-min(keep, len(l.figures)):]
			out = append(out, l)
		}
		for _, w := range widths(out) {
			wide += w + 2
		}
		return out, wide
	}
	rows, wide := cut(len(lines[0].figures))
	bars := min(width-wide, mostBar)
	if width == 0 {
		bars = usualBar
	}
	if width > 0 && bars < leastBar && len(lines[0].figures) == 3 { // tokens matter less than cost
		rows, wide = cut(1)
		bars = min(width-wide, mostBar)
	}
	if bars < leastBar {
		bars = 0
	}
	ws := widths(rows)
	if over := wide - 2 - width; width > 0 && over > 0 {
		ws[0] = max(ws[0]-over, leastName)
	}
	out := make([]string, 0, len(rows))
	for _, l := range rows {
		var b strings.Builder
		b.WriteString(pad(clip(l.name, ws[0]), ws[0], false))
		for i, f := range l.figures {
			b.WriteString("  " + pad(f, ws[i+1], true))
		}
		b.WriteString("  " + bar(l.share, bars))
		out = append(out, strings.TrimRight(b.String(), " "))
	}
	return out
}

// widths are those of the columns: the name's, then the figures'.
func widths(lines []chartLine) []int {
	ws := make([]int, 1+len(lines[0].figures))
	for _, l := range lines {
		ws[0] = max(ws[0], utf8.RuneCountInString(l.name))
		for i, f := range l.figures {
			ws[i+1] = max(ws[i+1], utf8.RuneCountInString(f))
		}
	}
	return ws
}

func pad(s string, width int, left bool) string {
	space := strings.Repeat(" ", max(0, width-utf8.RuneCountInString(s)))
	if left {
		return space + s
	}
	return s + space
}

func clip(s string, width int) string {
	if r := []rune(s); len(r) > width {
		return string(r[:width-1]) + "…"
	}
	return s
}

// bar is a share of the longest one; whatever is more than nothing shows.
func bar(share float64, longest int) string {
	if !(share > 0) || longest <= 0 {
		return ""
	}
	return strings.Repeat("▇", int(math.Ceil(min(share, 1)*float64(longest))))
}
