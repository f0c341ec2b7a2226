package offline

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v4"

	"jarvis/core"
	"jarvis/daemon/config"
	"jarvis/daemon/home"
	"jarvis/daemon/locale"
)

// The states of a check.
const (
	stateOK      = "ok"
	stateWarning = "warning"
	stateProblem = "problem"
	stateSkipped = "skipped"
)

// check is one line of the doctor. Name and state are for programs, the message is in the caller's language.
type check struct {
	Name    string `json:"check" yaml:"check"`
	State   string `json:"state" yaml:"state"`
	Message string `json:"message" yaml:"message"`
	Hint    string `json:"hint,omitempty" yaml:"hint,omitempty"` // the next command to type
}

// StoreLook is what a look at the store saw.
type StoreLook struct {
	Held           bool      // a daemon has it: nothing else was looked at
	PID            int       // of that daemon; 0 = not known
	Missing        bool      // there is none yet
	Crashed        bool      // the last daemon did not close it
	Suspect        bool      // the last daemon met damage
	Size           int64     // bytes
	Free           int64     // bytes of it that hold nothing
	Schema, Latest int       // of the store, and of this build
	Bad            int       // records whose checksum does not match
	Newest         time.Time // when the newest session was last changed; zero = there is none
}

// doctor is one examination: what one check learned is for those that follow.
type doctor struct {
	*App
	h      home.Home
	config *config.Config // nil = there is none that can be used
	store  StoreLook
	seen   bool // the store was looked at
	checks []check
	fixed  []string
	ask    bool // send models a short request
}

// errFound is the doctor's end with a problem: everything is said already.
var errFound = errors.New("the doctor found a problem")

func (a *App) doctorCommand() *cobra.Command {
	fix, ask := false, false
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: a.t("Examine the installation and say what to do"),
		Long: a.t("doctor looks at home, configuration, disk, daemon, store, journals, index, models, clock and sandbox, and says\n" +
			"for each what to do. It needs no daemon and starts none, also when configuration or store are what is broken. It sends\n" +
			"requests that cost tokens only with --models. Without --fix it changes nothing. It ends with 1 when there is a problem."),
		Example: "  jarvis doctor\n  jarvis doctor --fix\n  jarvis doctor --models\n  jarvis doctor -o json",
		Args:    a.noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			d := &doctor{App: a, ask: ask}
			if err := d.examine(cmd.Context(), fix); err != nil {
				return err
			}
			return d.report()
		},
	}
	cmd.Flags().BoolVar(&fix, "fix", false, a.t("mend what is safe: rights in the home, and what a dead daemon left behind"))
	cmd.Flags().BoolVar(&ask, "models", false, a.t("send each provider one short request, which costs a few tokens, and say what it cost"))
	return cmd
}

// examine runs every check, in the order in which one thing needs another.
func (d *doctor) examine(ctx context.Context, fix bool) error {
	h, err := d.home()
	if err != nil {
		d.fail("home", err)
		return nil // nothing else can be found without it
	}
	d.h = h
	if fix {
		d.fix(ctx)
	}
	for _, part := range []func(context.Context){
		d.checkHome, d.checkConfig, d.checkDisk, d.checkStore, d.checkDaemon, d.checkJournals, d.checkIndex, d.checkAudit,
		d.checkBackups, d.checkModels, d.checkClock, d.checkSandbox,
	} {
		part(ctx)
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

func (d *doctor) add(name, state, message, hint string) {
	line := strings.Join(strings.Fields(core.Printable(message)), " ")
	d.checks = append(d.checks, check{name, state, line, core.Printable(hint)})
}

func (d *doctor) ok(name, message string)            { d.add(name, stateOK, message, "") }
func (d *doctor) warning(name, message, hint string) { d.add(name, stateWarning, message, hint) }
func (d *doctor) problem(name, message, hint string) { d.add(name, stateProblem, message, hint) }
func (d *doctor) skipped(name, message, hint string) { d.add(name, stateSkipped, message, hint) }
func (d *doctor) fail(name string, err error)        { d.because(name, stateProblem, err) }
func (d *doctor) because(name, state string, err error) {
	d.add(name, state, locale.Message(d.lang(), err.Error()), cmp.Or(hintOf(err), "jarvis help"))
}

// count is how many checks ended in a state.
func (d *doctor) count(state string) int {
	n := 0
	for _, c := range d.checks {
		if c.State == state {
			n++
		}
	}
	return n
}

// diagnosis is the doctor's answer for programs.
type diagnosis struct {
	OK     bool     `json:"ok" yaml:"ok"` // there is no problem; warnings may be
	Checks []check  `json:"checks" yaml:"checks"`
	Fixed  []string `json:"fixed" yaml:"fixed"` // what --fix has done
}

func (d *doctor) report() error {
	problems := d.count(stateProblem)
	out := diagnosis{OK: problems == 0, Checks: d.checks, Fixed: append([]string{}, d.fixed...)}
	var err error
	switch d.output {
	case "json":
		e := json.NewEncoder(d.Out)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		err = e.Encode(out)
	case "yaml":
		var b []byte
		if b, err = yaml.Dump(out); err == nil {
			_, err = d.Out.Write(b)
		}
	default:
		err = d.table(problems)
	}
	if err == nil && problems > 0 {
		return errFound
	}
	return err
}

func (d *doctor) table(problems int) error {
	words := map[string]string{
		stateOK: d.t("ok"), stateWarning: d.t("warning"), stateProblem: d.t("problem"), stateSkipped: d.t("skipped"),
	}
	wide, name := 0, 0
	for _, c := range d.checks {
		wide, name = max(wide, len(words[c.State])), max(name, len(c.Name))
	}
	for _, line := range d.fixed {
		if _, err := fmt.Fprintf(d.Out, "%s %s\n", d.t("Mended:"), line); err != nil {
			return err
		}
	}
	for _, c := range d.checks {
		if _, err := fmt.Fprintf(d.Out, "%-*s  %-*s  %s\n", wide, words[c.State], name, c.Name, c.Message); err != nil {
			return err
		}
		if c.Hint == "" {
			continue
		}
		for _, line := range locale.Try(d.t("Try:"), c.Hint) {
			if _, err := fmt.Fprintf(d.Out, "%*s%s\n", wide+name+4, "", line); err != nil {
				return err
			}
		}
	}
	warnings := d.count(stateWarning)
	last := d.tf("Problems: %d, warnings: %d", problems, warnings)
	if problems+warnings == 0 {
		last = d.t("Everything is in order.")
	}
	_, err := fmt.Fprintf(d.Out, "\n%s\n", last)
	return err
}
