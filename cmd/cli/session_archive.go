package cli

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"jarvis/core"
	"jarvis/daemon/api"
	"jarvis/daemon/client"
)

// newestArchive is what --undo without a value means.
const newestArchive = "newest"

func (a *App) sessionArchive() *cobra.Command {
	var before, undo string
	var keep int
	var all bool
	cmd := &cobra.Command{
		Use:   "archive [SESSION]",
		Short: a.t("Take what was said out of a conversation's view and prompt; it stays readable"),
		Long: a.t("Take what was said out of a conversation's view and prompt: all of it, what is older than --before, or all but the\n" +
			"last --keep questions. It stays readable and searchable, and --undo brings it back. Without SESSION it is the\n" +
			"conversation used last, and --keep, --before or --all says how much of it."),
		Example:           "  jarvis session archive 3fa9c1\n  jarvis session archive 3fa9c1 --keep 10\n  jarvis session archive 3fa9c1 --undo",
		Args:              a.upTo(1),
		ValidArgsFunction: a.completeSession,
		RunE: func(cmd *cobra.Command, args []string) error {
			if severalOf(cmd, "before", "keep", "all", "undo") {
				return usageError(cmd, a.t("only one of --before, --keep, --all and --undo"))
			}
			if len(args) == 0 && before == "" && keep == 0 && undo == "" && !all {
				return usageError(cmd, a.t("which conversation? Or say how much of the one used last: --keep, --before or --all"))
			}
			req := api.Archive{Keep: keep, All: all}
			if cmd.Flags().Changed("keep") && keep < 1 {
				return usageError(cmd, a.t("--keep takes a number from 1"))
			}
			if before != "" {
				t, err := moment(before, time.Now())
				if err != nil {
					return usageError(cmd, a.tf("%q is no date; write one as 2026-01-31, yesterday, 7d or 2026-01-31T18:00:00Z", before))
				}
				req.Before = t
			}
			return a.withClient(func(c *client.Client) error {
				id, err := a.whichSession(cmd.Context(), c, args)
				if err != nil {
					return err
				}
				if undo != "" {
					return a.unarchive(cmd.Context(), c, id, undo)
				}
				req.Session = core.SessionID(id)
				done, err := c.Archive(cmd.Context(), req)
				if err != nil {
					return err
				}
				err = a.print(done, func(w io.Writer) { a.archiveRow(w, done) })
				a.talk("%s", a.tf("Archived in %s. Back with: jarvis session archive %s --undo", core.Short(id), core.Short(id)))
				return err
			})
		},
	}
	cmd.Flags().StringVar(&before, "before", "", a.t("what was said before `DATE`"))
	cmd.Flags().IntVar(&keep, "keep", 0, a.t("all but the last `N` questions and their answers"))
	cmd.Flags().BoolVar(&all, "all", false, a.t("everything, as without any of these"))
	cmd.Flags().StringVar(&undo, "undo", "", a.t("bring back the newest archive, or =`ARCHIVE`"))
	cmd.Flags().Lookup("undo").NoOptDefVal = newestArchive
	return cmd
}

func (a *App) unarchive(ctx context.Context, c *client.Client, session, undo string) error {
	which, err := a.findArchive(ctx, c, session, undo)
	if err != nil {
		return err
	}
	back, err := c.RestoreArchive(ctx, which.ID)
	if err != nil {
		return err
	}
	err = a.print(back, func(w io.Writer) { a.archiveRow(w, back) })
	a.talk("%s", a.tf("It is back in %s.", core.Short(session)))
	return err
}

func (a *App) sessionArchives() *cobra.Command {
	return &cobra.Command{
		Use:               "archives [SESSION] [ARCHIVE]",
		Short:             a.t("List a conversation's archives, or print one"),
		Example:           "  jarvis session archives 3fa9c1\n  jarvis session archives 3fa9c1 b70d2e",
		Args:              a.upTo(2),
		ValidArgsFunction: a.completeSession,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withClient(func(c *client.Client) error {
				id, err := a.whichSession(cmd.Context(), c, args)
				if err != nil {
					return err
				}
				if len(args) == 2 {
					return a.showArchive(cmd.Context(), c, id, args[1])
				}
				all, err := everyArchive(cmd.Context(), c, id)
				if err != nil {
					return err
				}
				return a.print(all, func(w io.Writer) {
					if len(all) == 0 {
						a.talk("%s", a.t("Nothing of this conversation is archived."))
						return
					}
					a.row(w, a.t("ID"), a.t("ARCHIVED"), a.t("QUESTIONS"), a.t("TITLE"))
					for _, x := range all {
						a.archiveRow(w, x)
					}
				})
			})
		},
	}
}

func (a *App) archiveRow(w io.Writer, x core.Archive) {
	a.row(w, core.Short(string(x.ID)), when(x.Created), strconv.Itoa(x.Chains), x.Title)
}

// archiveView is the form of one archive in JSON.
type archiveView struct {
	core.Archive
	Messages []core.Message `json:"messages"`
}

func (a *App) showArchive(ctx context.Context, c *client.Client, session, typed string) error {
	which, err := a.findArchive(ctx, c, session, typed)
	if err != nil {
		return err
	}
	v := archiveView{Archive: which, Messages: []core.Message{}}
	for p := (core.Page{Limit: 500}); ; {
		read, err := c.ReadArchive(ctx, which.ID, p)
		if err != nil {
			return err
		}
		v.Messages = append(v.Messages, read.Items...)
		if p.After = read.NextCursor; p.After == "" {
			break
		}
	}
	return a.print(v, func(w io.Writer) { a.showMessages(w, v.Messages) })
}

// findArchive finds the archive of a session that a whole id, or what a person types of one, names.
func (a *App) findArchive(ctx context.Context, c *client.Client, session, typed string) (core.Archive, error) {
	all, err := everyArchive(ctx, c, session)
	if err != nil {
		return core.Archive{}, err
	}
	var found []core.Archive
	for _, x := range all {
		if typed == newestArchive || core.MatchID(string(x.ID), typed) {
			found = append(found, x)
		}
	}
	next := "jarvis session archives " + core.Short(session)
	switch {
	case len(all) == 0:
		return core.Archive{}, core.E(core.NotFound, a.t("nothing of this conversation is archived"), next, nil)
	case len(found) == 0:
		return core.Archive{}, core.E(core.NotFound, a.tf("there is no archive %s in this conversation", core.Printable(typed)), next, nil)
	case len(found) > 1 && typed != newestArchive:
		return core.Archive{}, core.E(core.BadRequest, a.tf("%s names several archives", core.Printable(typed)), next, nil)
	}
	return found[len(found)-1], nil
}

func everyArchive(ctx context.Context, c *client.Client, session string) ([]core.Archive, error) {
	all := []core.Archive{}
	for p := (core.Page{Limit: 1000}); ; {
		some, err := c.Archives(ctx, session, p)
		if err != nil {
			return nil, err
		}
		all = append(all, some.Items...)
		if p.After = some.NextCursor; p.After == "" {
			return all, nil
		}
	}
}

// whichSession is the conversation that the first argument names, else the one used last.
func (a *App) whichSession(ctx context.Context, c *client.Client, args []string) (string, error) {
	if len(args) > 0 {
		s, err := c.Session(ctx, args[0])
		return string(s.ID), err
	}
	page, err := c.Sessions(ctx, true, core.Page{Limit: 1})
	if err != nil {
		return "", err
	}
	if len(page.Items) == 0 {
		return "", core.E(core.NotFound, a.t("there is no conversation yet"), "jarvis", nil)
	}
	return string(page.Items[0].ID), nil
}

// severalOf reports whether more than one of some flags was given.
func severalOf(cmd *cobra.Command, names ...string) bool {
	n := 0
	for _, name := range names {
		if cmd.Flags().Changed(name) {
			n++
		}
	}
	return n > 1
}

// upTo takes at most n arguments.
func (a *App) upTo(n int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > n {
			return usageError(cmd, a.tf("that is more than %s takes", cmd.CommandPath()))
		}
		return nil
	}
}

// moment reads a date, in the local time zone, or a time, or how many days or weeks ago; as the dates of a search.
func moment(s string, now time.Time) (time.Time, error) {
	if t, err := time.Parse(time.RFC3339, s); err == nil {
		return t, nil
	}
	day := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.Local)
	switch s {
	case "today":
		return day, nil
	case "yesterday":
		return day.AddDate(0, 0, -1), nil
	}
	for unit, days := range map[string]int{"d": 1, "w": 7} {
		if n, err := strconv.Atoi(strings.TrimSuffix(s, unit)); err == nil && strings.HasSuffix(s, unit) && n > 0 && n <= maxUsageDays {
			return day.AddDate(0, 0, -n*days), nil
		}
	}
	return time.ParseInLocation(time.DateOnly, s, time.Local)
}

func (a *App) showMessages(w io.Writer, ms []core.Message) {
	first := true
	for _, m := range ms {
		if m.Deleted && a.output != "json" && a.output != "yaml" {
			continue
		}
		if !first {
			fmt.Fprintln(w)
		}
		first = false
		a.showMessage(w, m)
	}
}
