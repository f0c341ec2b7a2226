package cli

import (
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"jarvis/core"
	"jarvis/daemon/client"
)

func (a *App) todoCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "todo",
		Short: a.t("Your todo list, the one the models see too"),
		Args:  a.noArgs,
	}
	list := a.todoList()
	cmd.RunE = list.RunE
	cmd.AddCommand(list, a.todoAdd(), a.todoDone())
	return cmd
}

func (a *App) todoList() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:     "list",
		Aliases: []string{"ls"},
		Short:   a.t("List what is to do"),
		Args:    a.noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withClient(func(c *client.Client) error {
				todos, err := c.Todos(cmd.Context())
				if err != nil {
					return err
				}
				items := []core.Todo{}
				for _, t := range todos {
					if all || t.Status != core.TodoCompleted {
						items = append(items, t)
					}
				}
				return a.print(items, func(w io.Writer) {
					if len(items) == 0 {
						a.talk("%s", a.t(`Nothing to do. Add something with: jarvis todo add "buy milk"`))
						return
					}
					for _, t := range items {
						a.row(w, strconv.FormatUint(t.N, 10), box(t.Status), t.Content)
					}
				})
			})
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, a.t("also what is done"))
	return cmd
}

func box(status string) string {
	switch status {
	case core.TodoCompleted:
		return "[x]"
	case core.TodoInProgress:
		return "[>]"
	}
	return "[ ]"
}

func (a *App) todoAdd() *cobra.Command {
	return &cobra.Command{
		Use:     "add TEXT…",
		Short:   a.t("Add an entry"),
		Example: "  jarvis todo add buy milk",
		RunE: func(cmd *cobra.Command, args []string) error {
			text := strings.TrimSpace(strings.Join(args, " "))
			if text == "" {
				return usageError(cmd, a.t("what is to do?"))
			}
			return a.withClient(func(c *client.Client) error {
				t, err := c.AddTodo(cmd.Context(), text)
				if err != nil {
					return err
				}
				return a.print(t, func(w io.Writer) { a.row(w, strconv.FormatUint(t.N, 10), box(t.Status), t.Content) })
			})
		},
	}
}

func (a *App) todoDone() *cobra.Command {
	return &cobra.Command{
		Use:               "done NUMBER…",
		Short:             a.t("Mark entries as done"),
		ValidArgsFunction: a.completeTodos,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError(cmd, a.t("which entry? Its number stands in front of it"))
			}
			return a.withClient(func(c *client.Client) error {
				for _, arg := range args {
					n, err := strconv.ParseUint(arg, 10, 64)
					if err != nil {
						return core.E(core.BadRequest, a.tf("%q is no number of an entry", arg), "jarvis todo list", nil)
					}
					t, err := c.SetTodo(cmd.Context(), n, core.TodoCompleted)
					if err != nil {
						return err
					}
					if err := a.print(t, func(w io.Writer) {
						a.row(w, strconv.FormatUint(t.N, 10), box(t.Status), t.Content)
					}); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
}
