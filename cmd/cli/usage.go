package cli

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"jarvis/core"
	"jarvis/daemon/api"
	"jarvis/daemon/client"
)

const (
	usageBar     = 20     // characters of the longest bar
	maxUsageDays = 36_500 // of --since
)

var usageBys = []string{string(core.ByDay), string(core.ByModel), string(core.ByAgent), string(core.BySession)}

func (a *App) usageCommand() *cobra.Command {
	var by, since string
	cmd := &cobra.Command{
		Use:     "usage",
		Short:   a.t("Show what was used and what it cost"),
		Args:    a.noArgs,
		Example: "  jarvis usage\n  jarvis usage --by model --since 7d\n  jarvis usage --since 2026-11-01 -o json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !slices.Contains(usageBys, by) {
				return usageError(cmd, a.t("--by takes day, model, agent or session"))
			}
			from, ok := sinceDay(since, time.Now())
			if !ok {
				return usageError(cmd, a.t("--since takes days such as 30d, or a date such as 2026-11-30"))
			}
			return a.withClient(func(c *client.Client) error {
				u, err := c.Usage(cmd.Context(), core.UsageBy(by), from, "")
				if err != nil {
					return err
				}
				return a.print(u, func(w io.Writer) { a.usageTable(w, u) })
			})
		},
	}
	cmd.Flags().StringVar(&by, "by", string(core.ByDay), a.t("one line for each `NAME`: day, model, agent or session"))
	cmd.Flags().StringVar(&since, "since", "30d", a.t("from this `DAY` on: 30d is the last thirty, or a date"))
	_ = cmd.RegisterFlagCompletionFunc("by", cobra.FixedCompletions(usageBys, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("since", cobra.FixedCompletions([]string{"1d", "7d", "30d", "365d"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// sinceDay is the first day of a span: "1d" is today alone.
func sinceDay(s string, now time.Time) (core.Period, bool) {
	if n, ok := strings.CutSuffix(s, "d"); ok {
		days, err := strconv.Atoi(n)
		if err != nil || days < 1 || days > maxUsageDays {
			return "", false
		}
		return core.Period(now.AddDate(0, 0, 1-days).Format(time.DateOnly)), true
	}
	_, err := time.Parse(time.DateOnly, s)
	return core.Period(s), err == nil
}

func (a *App) usageTable(w io.Writer, u api.Usage) {
	if len(u.By) == 0 {
		a.talk("%s", a.t(`Nothing was used in that time. Ask something with: jarvis ask "…"`))
		return
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
	for _, r := range u.By {
		name := r.Name()
		if r.Session != "" {
			name = core.Short(name)
		}
		if name == "" {
			name = "-"
		}
		a.usageRow(w, name, r.UsageSum, bar(weight(r.UsageSum), most))
	}
	a.usageRow(w, a.t("total"), u.Total, "")
	for _, l := range u.Limits {
		a.row(w, a.tf("budget %s", l.For), "", "", fmt.Sprintf("$%.2f", l.LimitUSD), l.Period)
	}
}

func (a *App) usageRow(w io.Writer, name string, s api.UsageSum, bar string) {
	cost := "?"
	if s.CostUSD != nil {
		cost = fmt.Sprintf("$%.4f", *s.CostUSD)
	}
	a.row(w, name, a.tf("%d in", s.Tokens.In+s.Tokens.CacheRead+s.Tokens.CacheWrite), a.tf("%d out", s.Tokens.Out), cost, bar)
}

// bar is a share of most; whatever is more than nothing shows.
func bar(v, most float64) string {
	if v <= 0 || most <= 0 {
		return ""
	}
	return strings.Repeat("▇", int(math.Ceil(v/most*usageBar)))
}
