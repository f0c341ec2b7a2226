package cli

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"jarvis/core"
	"jarvis/daemon/api"
)

// AskOptions are the flags of one `jarvis ask`.
type AskOptions struct {
	Prompt   []string
	Session  string
	Continue bool
	Model    string
	Files    []string
	System   string
	Schema   string
	NoStream bool
	Raw      bool
	NoTools  bool
	Private  bool
	NoStdin  bool
	Timeout  time.Duration
	MaxCost  float64 // dollars; 0 = no limit
}

func (a *App) askCommand() *cobra.Command { return a.newAsk(a.ask) }

// newAsk takes the run function, so that the parsing has a test of its own.
func (a *App) newAsk(run func(context.Context, AskOptions) error) *cobra.Command {
	var o AskOptions
	cmd := &cobra.Command{
		Use:   "ask [PROMPT…]",
		Short: a.t("Print one answer; piped stdin is added to the prompt"),
		Long: a.t("Ask sends one message and prints the answer as it comes. Text on stdout is exactly the answer.\n" +
			"Piped input is added after the prompt and a blank line; alone, or as \"-\", it is the prompt."),
		Example: `  jarvis ask "What is 17% of 2,400?"
  git diff | jarvis ask "write the commit message"
  jarvis ask - < question.txt
  jarvis ask -f report.pdf "what are the three main points?"
  jarvis ask -c "and in German?"
  jarvis ask --schema person.json "Ada Lovelace, born 1815" | jq .born`,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Prompt = args
			if o.Continue && o.Session != "" {
				return usageError(cmd, a.t("-c and -s exclude each other"))
			}
			if o.Timeout < 0 {
				return usageError(cmd, a.t("--timeout takes a positive duration such as 30s or 5m"))
			}
			if cmd.Flags().Changed("max-cost") && (!(o.MaxCost > 0) || o.MaxCost > maxCostUSD) {
				return usageError(cmd, a.t("--max-cost takes a positive number of dollars such as 0.05"))
			}
			return run(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&o.Session, "session", "s", "", a.t("continue this `SESSION`"))
	f.BoolVarP(&o.Continue, "continue", "c", false, a.t("continue the newest question of this folder, else the newest anywhere"))
	f.StringVarP(&o.Model, "model", "m", "", a.t("`MODEL` to ask, e.g. anthropic/claude-sonnet-4-6 or an alias"))
	f.StringArrayVarP(&o.Files, "file", "f", nil, a.t("attach this `FILE`: a text, an image or a PDF; - is stdin (repeatable)"))
	f.StringVar(&o.System, "system", "", a.t("`TEXT` of instructions instead of the usual ones"))
	f.StringVar(&o.Schema, "schema", "", a.t("JSON schema `FILE`; the answer is one JSON value that validates, or exit 6"))
	f.BoolVar(&o.NoStream, "no-stream", false, a.t("print the answer when it is whole"))
	f.BoolVar(&o.Raw, "raw", false, a.t("do not render Markdown on a terminal"))
	f.BoolVar(&o.NoTools, "no-tools", false, a.t("let the model call no tools"))
	f.BoolVar(&o.Private, "private", false, a.t("keep nothing of it on disk"))
	f.DurationVar(&o.Timeout, "timeout", 0, a.t("stop after this `TIME`, e.g. 30s or 5m"))
	f.Float64Var(&o.MaxCost, "max-cost", 0, a.t("stop when it would cost more than `USD` dollars"))
	f.BoolVarP(&o.NoStdin, "no-stdin", "n", false, a.t("do not read stdin"))
	_ = cmd.RegisterFlagCompletionFunc("session", a.completeSessions)
	_ = cmd.RegisterFlagCompletionFunc("model", a.completeModels)
	_ = cmd.MarkFlagFilename("file")
	_ = cmd.MarkFlagFilename("schema", "json")
	return cmd
}

// maxCostUSD is the largest limit that makes sense, and keeps infinity out of JSON.
const maxCostUSD = 1e9

// stopPatience is how long a daemon may take to hear a stop.
const stopPatience = 5 * time.Second

// ask builds the request, follows the chain and exits by its end.
func (a *App) ask(ctx context.Context, o AskOptions) error {
	req, err := a.askRequest(ctx, o)
	if err != nil {
		return err
	}
	c, err := a.client()
	if err != nil {
		return err
	}
	req.Chain = c.NewChainID()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	interrupted := a.stopOnInterrupt(ctx, stop, func(ctx context.Context) error {
		return c.Stop(ctx, api.ChatStop{Chain: req.Chain})
	})

	p := a.newPrinter(o)
	var last core.Event
	var failed error
	for e, err := range c.Ask(ctx, req) {
		if err != nil {
			failed = err
			break
		}
		last = e
		if err := p.event(e); err != nil {
			failed = err
			break
		}
	}
	closing := p.close(last)
	if failed == nil {
		failed = closing
	}
	if errors.Is(failed, errClosedPipe) {
		// The reader has what it wanted; the model need not go on.
		bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopPatience)
		defer cancel()
		_ = c.Stop(bounded, api.ChatStop{Chain: req.Chain}) // unheard, the chain ends by the disconnect rule
		return nil
	}
	if failed != nil {
		if interrupted() {
			return exit{code: api.ExitStopped}
		}
		return failed
	}
	return a.ended(last)
}

// askRequest reads prompt, stdin, files and schema.
func (a *App) askRequest(ctx context.Context, o AskOptions) (api.Chat, error) {
	in, err := a.readInput(ctx, o)
	if err != nil {
		return api.Chat{}, err
	}
	req := api.Chat{
		Content: in.prompt, Attachments: in.files, Session: core.SessionID(o.Session), Continue: o.Continue,
		Model: o.Model, System: o.System, OnDisconnect: core.Cancel, Responder: core.RespondNone,
		TimeoutMS: o.Timeout.Milliseconds(), MaxCostUSD: o.MaxCost, Private: o.Private, Origin: "cli", Lang: a.lang(), TZ: a.zone(),
	}
	if o.NoTools {
		req.Tools = []string{}
	}
	if wd, err := os.Getwd(); err == nil {
		req.Cwd = wd
	}
	if o.Schema != "" {
		b, err := readFile(o.Schema, maxSchema)
		if errors.Is(err, errTooLarge) {
			return req, a.tooLarge("--schema "+o.Schema+": "+a.t("it"), maxSchema)
		}
		if err != nil {
			return req, a.fileError("--schema", o.Schema, err)
		}
		if !json.Valid(b) {
			return req, core.E(core.BadRequest, a.tf("%s is not JSON, so it is no schema", o.Schema), "jarvis ask --help", nil)
		}
		req.Schema = b
	}
	return req, nil
}

// stopOnInterrupt turns the first Ctrl-C into a stop of the chain, whose end is then awaited, and the second into leaving at
// once. The returned function tells whether it happened.
func (a *App) stopOnInterrupt(ctx context.Context, leave func(), stop func(context.Context) error) func() bool {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, stopSignals...)
	hit := make(chan struct{})
	go func() {
		defer signal.Stop(signals)
		select {
		case <-ctx.Done():
			return
		case <-signals:
			close(hit)
		}
		bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopPatience)
		defer cancel()
		go func() {
			if stop(bounded) != nil {
				leave() // no daemon to stop it: nothing to wait for
			}
		}()
		select {
		case <-ctx.Done():
		case <-signals:
			leave()
		case <-bounded.Done():
			leave()
		}
	}()
	return func() bool {
		select {
		case <-hit:
			return true
		default:
			return false
		}
	}
}

// ended says how the chain ended: the exit code, and a sentence when it is not plain.
func (a *App) ended(last core.Event) error {
	switch last.Type {
	case core.EventError:
		var d core.ErrorData
		if err := last.Detail(&d); err != nil {
			return err
		}
		return exit{code: api.ExitOfFailure(d), err: core.E(d.Code, d.Message, d.Hint, nil)}
	case core.EventDone:
		var d core.DoneData
		if err := last.Detail(&d); err != nil {
			return err
		}
		if a.verbose {
			a.talk("%s", a.summary(d))
		}
		code := api.ExitOfStop(d.StopReason)
		why := api.WhyStopped(d.StopReason)
		switch {
		case code == api.ExitOK:
			return nil
		case code == api.ExitStopped || why == "":
			return exit{code: code} // who stopped it knows why
		}
		return exit{code: code, err: core.E(core.Internal, a.t(why), "jarvis ask -c \"go on\"", nil)}
	}
	return core.E(core.Internal, a.t("the answer ended without its end"), "jarvis daemon logs", nil)
}

// errClosedPipe: nobody reads stdout any more.
var errClosedPipe = errors.New("closed pipe")

func writeAll(w io.Writer, s string) error {
	_, err := io.WriteString(w, s)
	return err
}

func firstLine(s string) string { l, _, _ := strings.Cut(s, "\n"); return l }
