package cli

import (
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"jarvis/core"
	"jarvis/daemon/client"
)

const maxUsageDays = 36_500 // of --since

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
				return a.print(u, func(w io.Writer) { a.usageTable(w, u, core.UsageBy(by)) })
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
