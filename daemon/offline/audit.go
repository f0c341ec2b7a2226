package offline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v4"

	"jarvis/core"
	"jarvis/daemon/home"
)

// AuditLine is a line of the audit file and where it stands. Bad ones have no Audit that could be trusted.
type AuditLine struct {
	File  string
	N     int
	Raw   []byte
	Audit core.Audit
	Bad   bool
}

// AuditFinding is something that verify saw, and where.
type AuditFinding struct {
	File string `json:"file" yaml:"file"`
	Line int    `json:"line" yaml:"line"` // 0 = the file as a whole
	Seq  uint64 `json:"seq,omitempty" yaml:"seq,omitempty"`
	Kind string `json:"kind" yaml:"kind"`
	From uint64 `json:"from,omitempty" yaml:"from,omitempty"` // of missing and cut: numbers of lines
	To   uint64 `json:"to,omitempty" yaml:"to,omitempty"`
	What string `json:"what" yaml:"what"` // in English
}

// AuditReport is what verify says.
type AuditReport struct {
	OK       bool           `json:"ok" yaml:"ok"`
	Files    int            `json:"files" yaml:"files"`
	Lines    uint64         `json:"lines" yaml:"lines"`
	First    uint64         `json:"first" yaml:"first"`
	Last     uint64         `json:"last" yaml:"last"`
	Hash     string         `json:"hash" yaml:"hash"`
	Problems []AuditFinding `json:"problems" yaml:"problems"`
	Notes    []AuditFinding `json:"notes" yaml:"notes"`
}

// AuditDeps are the doors to the audit file; nil ones say that this build has none.
type AuditDeps struct {
	Record func(ctx context.Context, h home.Home, a core.Audit) error
	Verify func(ctx context.Context, h home.Home) (AuditReport, error)
	Lines  func(ctx context.Context, h home.Home) iter.Seq2[AuditLine, error]
	Last   func(ctx context.Context, h home.Home, n int) ([]AuditLine, error)
	Follow func(ctx context.Context, h home.Home, n int) iter.Seq2[AuditLine, error]
}

func (a *App) auditCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "audit",
		Short: a.t("Show and check the record of security-relevant actions"),
		Long: a.t("What matters for security is written down before it is done: erasing, backups, keys and configuration, refused\n" +
			"callers, start and end of the daemon. Each line has the hash of the one before. None of these commands needs a daemon."),
		Args: a.noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.auditTail(), a.auditVerify(), a.auditGrep())
	return cmd
}

func (a *App) auditTail() *cobra.Command {
	var n int
	var follow bool
	cmd := &cobra.Command{
		Use:     "tail",
		Short:   a.t("Print the last lines of the audit file"),
		Example: "  jarvis audit tail -n 50\n  jarvis audit tail -f -o json",
		Args:    a.noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if a.Audit.Last == nil || a.Audit.Follow == nil {
				return a.missing()
			}
			if n < 0 || n > mostLines {
				return usage(cmd, a.tf("-n takes a number from 0 to %d", mostLines))
			}
			h, err := a.home()
			if err != nil {
				return err
			}
			if follow {
				return a.followAudit(cmd.Context(), h, n)
			}
			list, err := a.Audit.Last(cmd.Context(), h, n)
			if err != nil {
				return a.auditFailed(h, err)
			}
			return a.printLines(func(yield func(AuditLine, error) bool) {
				for _, l := range list {
					if !yield(l, nil) {
						return
					}
				}
			})
		},
	}
	cmd.Flags().IntVarP(&n, "number", "n", 20, a.t("how many lines at most to start with"))
	cmd.Flags().BoolVarP(&follow, "follow", "f", false, a.t("go on as lines are written"))
	return cmd
}

// mostLines is how many lines tail holds at most.
const mostLines = 100_000

func (a *App) followAudit(ctx context.Context, h home.Home, n int) error {
	for l, err := range a.Audit.Follow(ctx, h, n) {
		if err != nil {
			return a.auditFailed(h, err)
		}
		if err := a.printLine(l, a.output == "json" || a.output == "yaml"); err != nil {
			return err
		}
	}
	return ctx.Err()
}

func (a *App) auditVerify() *cobra.Command {
	return &cobra.Command{
		Use:   "verify",
		Short: a.t("Check that no line of the audit file was changed, removed or cut off"),
		Long: a.t("Check every line of all audit files against the one before, and the last one against its anchor. It ends with 1\n" +
			"and the place when something does not fit. Who can write the whole home can forge all of it together: keep the\n" +
			"hash that verify prints elsewhere, and look for it later with jarvis audit grep."),
		Args: a.noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if a.Audit.Verify == nil {
				return a.missing()
			}
			h, err := a.home()
			if err != nil {
				return err
			}
			r, err := a.Audit.Verify(cmd.Context(), h)
			if err != nil {
				return a.auditFailed(h, err)
			}
			if err := a.printReport(r); err != nil {
				return err
			}
			if !r.OK {
				return errFound
			}
			return nil
		},
	}
}

func (a *App) printReport(r AuditReport) error {
	switch a.output {
	case "json":
		e := json.NewEncoder(a.Out)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		return e.Encode(r)
	case "yaml":
		b, err := yaml.Dump(r)
		if err == nil {
			_, err = a.Out.Write(b)
		}
		return err
	}
	var b strings.Builder
	place := func(word string, f AuditFinding) {
		fmt.Fprintf(&b, "%s %s:%d: %s\n", word, core.Printable(f.File), f.Line, core.Printable(a.auditWhat(f)))
	}
	for _, f := range r.Notes {
		place(a.t("Note:"), f)
	}
	for _, f := range r.Problems {
		place(a.t("Problem:"), f)
	}
	switch {
	case r.Lines == 0 && r.OK:
		b.WriteString(a.t("Nothing has been written down yet.") + "\n")
	case r.OK:
		b.WriteString(a.tf("%d lines in %d files are whole; the last one is %d, %s", r.Lines, r.Files, r.Last, r.Hash) + "\n")
	default:
		b.WriteString(a.tf("%d lines in %d files, problems: %d", r.Lines, r.Files, len(r.Problems)) + "\n")
	}
	_, err := a.Out.Write([]byte(b.String()))
	return err
}

func (a *App) auditGrep() *cobra.Command {
	var fixed, ignore bool
	cmd := &cobra.Command{
		Use:   "grep PATTERN",
		Short: a.t("Print the lines of the audit file that match"),
		Long: a.t("Print the lines, as they stand in the file, in which the pattern occurs: a regular expression (RE2), or with -F\n" +
			"the text itself. It ends with 1 when there is none."),
		Example: "  jarvis audit grep session.erase\n  jarvis audit grep -F '\"ok\":false'",
		Args:    a.exactly(1, a.t("one pattern")),
		RunE: func(cmd *cobra.Command, args []string) error {
			if a.Audit.Lines == nil {
				return a.missing()
			}
			match, err := matcher(args[0], fixed, ignore)
			if err != nil {
				return usage(cmd, a.tf("this is no regular expression: %s", err))
			}
			h, err := a.home()
			if err != nil {
				return err
			}
			found := false
			err = a.printLines(func(yield func(AuditLine, error) bool) {
				for l, err := range a.Audit.Lines(cmd.Context(), h) {
					if err != nil {
						yield(l, a.auditFailed(h, err))
						return
					}
					if !match(l.Raw) {
						continue
					}
					found = true
					if !yield(l, nil) {
						return
					}
				}
			})
			if err == nil && !found {
				return errFound
			}
			return err
		},
	}
	cmd.Flags().BoolVarP(&fixed, "fixed", "F", false, a.t("the pattern is the text itself"))
	cmd.Flags().BoolVarP(&ignore, "ignore-case", "i", false, a.t("capital letters do not matter"))
	return cmd
}

// maxPattern bounds a pattern, in bytes: RE2 takes time in proportion to it.
const maxPattern = 1000

func matcher(pattern string, fixed, ignore bool) (func([]byte) bool, error) {
	if len(pattern) > maxPattern {
		return nil, fmt.Errorf("it has more than %d bytes", maxPattern)
	}
	if fixed {
		pattern = regexp.QuoteMeta(pattern)
	}
	if ignore {
		pattern = "(?i)" + pattern
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, err
	}
	return re.Match, nil
}

// printLines writes lines as they come: a list of them for programs.
func (a *App) printLines(lines iter.Seq2[AuditLine, error]) error {
	asJSON := a.output == "json"
	n := 0
	for l, err := range lines {
		if err != nil {
			return err
		}
		if asJSON {
			open := ",\n"
			if n == 0 {
				open = "[\n"
			}
			if _, err := fmt.Fprint(a.Out, open); err != nil {
				return err
			}
		}
		n++
		if err := a.printLine(l, asJSON); err != nil {
			return err
		}
	}
	if !asJSON {
		return nil
	}
	end := "]\n"
	if n == 0 {
		end = "[]\n"
	}
	_, err := fmt.Fprint(a.Out, end)
	return err
}

// damagedLine is what programs get of a line that is none.
type damagedLine struct {
	File    string `json:"file" yaml:"file"`
	Line    int    `json:"line" yaml:"line"`
	Damaged bool   `json:"damaged" yaml:"damaged"`
}

func (a *App) printLine(l AuditLine, asJSON bool) error {
	var v any = l.Audit
	if l.Bad {
		v = damagedLine{l.File, l.N, true}
	}
	if asJSON || a.output == "yaml" {
		e := json.NewEncoder(a.Out)
		e.SetEscapeHTML(false)
		if a.output == "yaml" { // a list of flow mappings, each on its line
			if _, err := fmt.Fprint(a.Out, "- "); err != nil {
				return err
			}
		}
		return e.Encode(v)
	}
	text := ""
	if l.Bad {
		text = a.tf("%s:%d: the line is damaged: jarvis audit verify", l.File, l.N)
	} else {
		text = a.auditText(l.Audit)
	}
	_, err := fmt.Fprintln(a.Out, core.Printable(text))
	return err
}

func (a *App) auditText(e core.Audit) string {
	parts := []string{fmt.Sprintf("%6d  %s  %-16s", e.Seq, e.Time.Local().Format(time.DateTime), e.Action)}
	if !e.OK {
		parts = append(parts, a.t("refused or failed"))
	}
	if e.Target != "" {
		parts = append(parts, e.Target)
	}
	if e.Via != "" {
		parts = append(parts, "("+e.Via+")")
	}
	if len(e.Details) > 0 {
		if b, err := json.Marshal(e.Details); err == nil {
			parts = append(parts, string(b))
		}
	}
	return strings.Join(parts, "  ")
}

func (a *App) auditFailed(h home.Home, err error) error {
	var e *core.Error
	switch {
	case errors.Is(err, context.Canceled), errors.As(err, &e):
		return err
	case errors.Is(err, fs.ErrPermission):
		return core.E(core.Internal, a.t("the audit file cannot be read"), "ls -l "+h.Audit(), err)
	}
	return core.E(core.Internal, a.t("the audit file cannot be read"), "jarvis doctor", err)
}

// auditWhat is a finding in the caller's language.
func (a *App) auditWhat(f AuditFinding) string {
	switch f.Kind {
	case "torn":
		return a.t("the line is cut off; the next action that is written down mends it")
	case "changed":
		return a.t("the line was changed after it was written")
	case "garbage":
		return a.t("this is no line of the audit file")
	case "other":
		return a.t("the line before it is not the one that stood there")
	case "missing":
		return a.tf("lines %d to %d are missing before it", f.From, f.To)
	case "twice":
		return a.t("the line is there twice")
	case "order":
		return a.t("it stands behind a later line: the order was changed")
	case "gone":
		return a.t("lines were gone when this one was written")
	case "mended":
		return a.t("a crash or a restored backup was mended here")
	case "no_anchor":
		return a.t("there is no anchor of the last line, so that lines may be missing behind it")
	case "cut":
		return a.tf("lines %d to %d are cut off behind it", f.From, f.To)
	case "last":
		return a.t("the last line is another than the one that was written")
	}
	return f.What
}

// record writes down what a command is about to do to the configuration or a key. Whoever owns the file can change it with any
// editor, also when the rest of the home is broken: so what cannot be written down is said and done all the same, and the daemon
// writes down what it takes up. What was then refused gets a second line, not ok.
func (a *App) record(ctx context.Context, h home.Home, action, target string, ok bool) {
	if a.Audit.Record == nil {
		return
	}
	err := os.MkdirAll(h.Data, 0o700)
	if err == nil {
		err = a.Audit.Record(ctx, h, core.Audit{Action: action, Target: target, OK: ok})
	}
	if err != nil {
		a.talk("%s %s", a.t("Warning:"), core.Printable(err.Error()))
	}
}
