package chat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"jarvis/core"
	"jarvis/core/llm"
	"jarvis/core/prompt"
	"jarvis/core/tool"
)

func fakeTool(name string, readOnly bool, run func(context.Context, tool.Call) (tool.Result, error)) tool.Tool {
	return tool.Func{
		S: tool.Spec{Name: name, Description: "a test's tool", Schema: json.RawMessage(`{"type":"object"}`), ReadOnly: readOnly},
		R: func(ctx context.Context, c tool.Call, _ tool.Plan) (tool.Result, error) { return run(ctx, c) },
	}
}

func echo(name string) tool.Tool {
	return fakeTool(name, true, func(_ context.Context, c tool.Call) (tool.Result, error) {
		return tool.Result{Text: name + string(c.Args)}, nil
	})
}

func calls(ds ...llm.Delta) script {
	return says(append(ds, usage(7, 2), finish(llm.FinishToolUse))...)
}

func TestToolsRunAndTheirResultsGoBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &model{ref: "fake/one", info: llm.Info{Window: 100_000, Tools: true, Price: &llm.Price{In: 1_000_000, Out: 2_000_000}}, play: []script{
			says(text("Let me see. "), call("slow", `{"n":1}`), call("fast", `{"n":2}`), usage(7, 2), finish(llm.FinishToolUse)),
			answers("Done."),
		}}
		slow := fakeTool("slow", true, func(_ context.Context, c tool.Call) (tool.Result, error) {
			time.Sleep(3 * time.Second)
			c.Output([]byte("work\xe2\x82"))
			c.Output([]byte("\xacing"))
			return tool.Result{Text: "slow" + string(c.Args)}, nil
		})
		fast := fakeTool("fast", true, func(_ context.Context, c tool.Call) (tool.Result, error) {
			time.Sleep(2 * time.Second)
			return tool.Result{Text: "fast" + string(c.Args)}, nil
		})
		w := newWorld(t, deps(m, NewMemory(), slow, fast)).serve()
		defer w.close()
		start := time.Now()
		c := w.ask(core.Ask{Text: "go"})
		es := w.events(c.ID, 0)
		if took := time.Since(start); took != 3*time.Second {
			t.Errorf("two tools that only read took %v, not the longer one's 3 s", took)
		}
		want := "message state:queued state:running start text usage tool_use tool_use tool_output tool_output tool_result tool_result text usage done"
		if got := kinds(es); got != want {
			t.Errorf("events\n got %s\nwant %s", got, want)
		}
		if got := join(es, core.EventToolOutput); got != "work€ing" {
			t.Errorf("tool output %q", got)
		}
		if got := join(es, core.EventToolResult); got != `slow{"n":1}fast{"n":2}` {
			t.Errorf("results out of order: %s", got)
		}
		d := doneOf(t, es)
		if es[len(es)-1].Text != "Let me see. Done." || d.Iterations != 2 || d.Tokens.In != 17 || d.CostUSD == nil || *d.CostUSD != 0.000031 {
			t.Errorf("done %+v cost %v text %q", d, d.CostUSD, es[len(es)-1].Text)
		}
		r := m.requests()[1]
		if len(r.Messages) != 3 || len(r.Messages[1].Parts) != 3 || len(r.Messages[2].Parts) != 2 {
			t.Fatalf("second request: %+v", r.Messages)
		}
		for i := range 2 {
			if use, res := r.Messages[1].Parts[i+1], r.Messages[2].Parts[i]; use.Call != res.Call || use.Call == "theirs" || use.Call == "" {
				t.Errorf("call %d: %+v answered by %+v", i, use, res)
			}
		}
		if got := len(w.messages(c.Session)); got != 7 {
			t.Errorf("%d messages are stored", got)
		}
	})
}

func TestToolsThatGoWrongAreToldToTheModel(t *testing.T) {
	write := tool.Func{
		S: tool.Spec{Name: "write", Schema: json.RawMessage(`{}`)},
		P: func(context.Context, tool.Call) (tool.Plan, error) {
			return tool.Plan{Effects: []tool.Effect{tool.Writes}}, nil
		},
		R: func(context.Context, tool.Call, tool.Plan) (tool.Result, error) {
			panic("a tool that was denied must not run")
		},
	}
	plan := tool.Func{
		S: tool.Spec{Name: "plan", Schema: json.RawMessage(`{}`)},
		P: func(context.Context, tool.Call) (tool.Plan, error) {
			return tool.Plan{}, core.E(core.BadRequest, "bad arguments: no such zone", "", nil)
		},
	}
	all := []tool.Tool{
		write, plan, echo("ok"),
		fakeTool("panics", false, func(context.Context, tool.Call) (tool.Result, error) { panic("boom") }),
		fakeTool("fails", false, func(context.Context, tool.Call) (tool.Result, error) {
			return tool.Result{}, errors.New("it broke\nbadly")
		}),
		fakeTool("huge", false, func(context.Context, tool.Call) (tool.Result, error) {
			return tool.Result{Text: strings.Repeat("ü", prompt.ResultLimit+5) + "\xff"}, nil
		}),
	}
	for _, tc := range []struct {
		name, tool, args, want string
		ok                     bool
	}{
		{"fine", "ok", `{"a": 1}`, `ok{"a": 1}`, true},
		{"no arguments", "ok", ``, `ok{}`, true},
		{"unknown", "nosuch", `{}`, `there is no tool "nosuch"`, false},
		{"no JSON", "ok", `{"a":`, "the arguments are not valid JSON", false},
		{"no object", "ok", `[1]`, "the arguments are not a JSON object", false},
		{"oversized", "ok", `{"a":"` + strings.Repeat("x", 1<<20) + `"}`, "the limit is 1048576", false},
		{"plan", "plan", `{}`, "bad arguments: no such zone", false},
		{"denied", "write", `{}`, "denied: write needs permission (write)", false},
		{"panic", "panics", `{}`, "the tool failed with an internal error", false},
		{"error", "fails", `{}`, "it broke badly", false},
		{"huge", "huge", `{}`, "üü", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := &model{ref: "fake/one", play: []script{calls(call(tc.tool, tc.args)), answers("so be it")}}
				w := newWorld(t, deps(m, NewMemory(), all...)).serve()
				defer w.close()
				c := w.ask(core.Ask{Text: "go"})
				es := w.events(c.ID, 0)
				doneOf(t, es)
				i := slices.IndexFunc(es, func(e core.Event) bool { return e.Type == core.EventToolResult })
				var d core.ToolResultData
				if err := es[i].Detail(&d); err != nil || d.OK != tc.ok || !strings.Contains(es[i].Text, tc.want) {
					t.Errorf("result %+v %.200q %v", d, es[i].Text, err)
				}
				part := m.requests()[1].Messages[2].Parts[0]
				if part.IsError == tc.ok || !strings.Contains(part.Text, tc.want) {
					t.Errorf("the model got %+v", part)
				}
				if args := m.requests()[1].Messages[1].Parts[0].Args; !json.Valid(args) || args[0] != '{' {
					t.Errorf("the next request is not valid: args %.100s", args)
				}
				if tc.name == "huge" {
					if !d.Truncated || !strings.HasSuffix(part.Text, "\n[cut: 6 more characters]") || !strings.HasSuffix(es[i].Text, "\uFFFD") {
						t.Errorf("truncated %t, the model's ends in %q", d.Truncated, part.Text[len(part.Text)-40:])
					}
				}
			})
		})
	}
}

func TestEnds(t *testing.T) {
	le := &llm.Error{Kind: llm.KindRateLimited, Provider: "fake", Model: "one", Status: 429, Message: "slow down"}
	for _, tc := range []struct {
		name  string
		play  []script
		stop  core.StopReason
		code  core.Code
		text  string // of the terminal event
		kinds string // the last events
		hint  string
	}{
		{"end", []script{answers("ok")}, core.EndTurn, "", "ok", "text usage done", ""},
		{"refused", []script{says(text("No"), finish(llm.FinishRefusal))}, core.Refused, "", "No", "usage notice done", ""},
		{"refused silently", []script{says(finish(llm.FinishRefusal))}, core.Refused, "", "", "usage notice done", ""},
		{"max_tokens", []script{says(text("half"), finish(llm.FinishMaxTokens))}, core.EndTurn, "", "half", "usage notice done", ""},
		{"max_tokens empty", []script{says(finish(llm.FinishMaxTokens))}, core.Failed, core.UpstreamUnavailable, "", "usage error", "jarvis config set max_tokens 16384"},
		{"empty", []script{says(text(" \n"), finish(llm.FinishEnd))}, core.Failed, core.UpstreamUnavailable, " \n", "usage error", "jarvis model test fake/one"},
		{"nothing", []script{says(finish(llm.FinishEnd))}, core.Failed, core.UpstreamUnavailable, "", "usage error", "jarvis model test fake/one"},
		{"nothing after a tool", []script{says(text("A"), call("echo", `{}`), finish(llm.FinishToolUse)), says(finish(llm.FinishEnd))}, core.EndTurn, "", "A", "usage done", ""},
		{"cut", []script{says(text("half"))}, core.Failed, core.UpstreamUnavailable, "half", "text error", "jarvis model test fake/one"},
		{"429", []script{fails(le)}, core.Failed, core.RateLimited, "", "error", "jarvis model list   # another model"},
		{"429 late", []script{fails(le, text("some "), text("words"))}, core.Failed, core.RateLimited, "some words", "text text error", "jarvis model list   # another model"},
		{"strange error", []script{fails(errors.New("secret detail"), text("a"))}, core.Failed, core.Internal, "a", "text error", "jarvis daemon logs"},
		{"model panics late", []script{func(ctx context.Context, r llm.Request, yield func(llm.Delta, error) bool) {
			says(text("half"))(ctx, r, yield)
			panic("boom")
		}}, core.Failed, core.Internal, "half", "text error", "jarvis daemon logs"},
		{"model panics", []script{func(context.Context, llm.Request, func(llm.Delta, error) bool) { panic("boom") }}, core.Failed, core.Internal, "", "error", "jarvis daemon logs"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := &model{ref: "fake/one", play: tc.play}
				w := newWorld(t, deps(m, NewMemory(), echo("echo"))).serve()
				defer w.close()
				c := w.ask(core.Ask{Text: "go"})
				es := w.events(c.ID, 0)
				if got := kinds(es); !strings.HasSuffix(got, tc.kinds) {
					t.Errorf("events %s, want … %s", got, tc.kinds)
				}
				last := es[len(es)-1]
				if last.Text != tc.text {
					t.Errorf("text %q, want %q", last.Text, tc.text)
				}
				if tc.stop == core.Failed {
					if d := errorOf(t, es); d.Code != tc.code || d.Hint != tc.hint || d.Message == "" || strings.Contains(d.Message, "secret") {
						t.Errorf("error %+v", d)
					}
				} else if d := doneOf(t, es); d.StopReason != tc.stop {
					t.Errorf("stop reason %s", d.StopReason)
				}
				synctest.Wait()
				kept, err := w.s.Chain(t.Context(), core.Owner, c.ID)
				if err != nil || kept.State != core.Ended || kept.Stop != tc.stop || kept.Last != last.Seq {
					t.Errorf("stored: %+v %v", kept, err)
				}
				stored, failure := "", 0
				for _, msg := range w.messages(c.Session) {
					switch {
					case msg.Type == core.TypeError:
						failure++
					case msg.Role == core.RoleAssistant && msg.Type == core.TypeText:
						stored += msg.Text
						if msg.Partial != (tc.stop == core.Failed) {
							t.Errorf("partial is %t", msg.Partial)
						}
					}
				}
				if stored != tc.text || (failure == 1) != (tc.stop == core.Failed) {
					t.Errorf("stored text %q, %d errors", stored, failure)
				}
			})
		})
	}
}

func TestTheLoopIsNoticed(t *testing.T) {
	same := func(n int) []script {
		out := make([]script, n)
		for i := range out {
			out[i] = calls(call("echo", fmt.Sprintf(`{"b":1,"a":%s2}`, strings.Repeat(" ", i))), call("other", `{}`))
		}
		return out
	}
	n := 0
	count := fakeTool("count", true, func(context.Context, tool.Call) (tool.Result, error) {
		n++
		return tool.Result{Text: fmt.Sprint(n)}, nil
	})
	constant := fakeTool("echo", true, func(context.Context, tool.Call) (tool.Result, error) { return tool.Result{Text: "same"}, nil })
	polls := []script{}
	for range 8 {
		polls = append(polls, calls(call("count", `{}`)))
	}
	alternate := []script{
		calls(call("echo", `{}`)), calls(call("other", `{}`)), calls(call("echo", `{}`)), calls(call("other", `{}`)),
		calls(call("echo", `{}`)), calls(call("other", `{}`)), calls(call("echo", `{}`)),
	}
	for _, tc := range []struct {
		name  string
		play  []script
		max   int
		stop  core.StopReason
		iters int
	}{
		{"same call, same result", same(6), 0, core.Loop, 3},
		{"same call, other result", append(polls, answers("8")), 0, core.EndTurn, 9},
		{"in turns", alternate, 0, core.Loop, 6},
		{"twice is none", append(same(2), answers("ok")), 0, core.EndTurn, 3},
		{"max iterations", polls, 4, core.MaxIterations, 4},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := &model{ref: "fake/one", play: slices.Clone(tc.play)}
				d := deps(m, NewMemory(), constant, echo("other"), count)
				d.Settings = func() Settings { return Settings{MaxIterations: tc.max} }
				w := newWorld(t, d).serve()
				defer w.close()
				es := w.events(w.ask(core.Ask{Text: "go"}).ID, 0)
				if d := doneOf(t, es); d.StopReason != tc.stop || d.Iterations != tc.iters {
					t.Errorf("done %+v", d)
				}
				if tc.stop != core.EndTurn && !strings.HasSuffix(kinds(es), "tool_result notice done") {
					t.Errorf("events %s", kinds(es))
				}
			})
		})
	}
}

func TestRetryNoticeAndFallback(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &model{ref: "fake/one", play: []script{func(_ context.Context, _ llm.Request, yield func(llm.Delta, error) bool) {
			for _, d := range []llm.Delta{
				{Kind: llm.DeltaRetry, Retry: &llm.Retry{Provider: "fake", Wait: 1200 * time.Millisecond, Cause: "429 slow down"}},
				{Kind: llm.DeltaNotice, Text: "Answered by the fallback model other/two."},
				{Kind: llm.DeltaModel, Text: "other/two"},
				{Kind: llm.DeltaReasoning, Text: "hm"},
				{Kind: llm.DeltaOpaque, Part: &llm.Part{Type: llm.PartReasoning, Opaque: &core.Opaque{Provider: "other", Data: json.RawMessage(`"sig"`)}}},
				text("hi"), finish(llm.FinishEnd),
			} {
				if !yield(d, nil) {
					return
				}
			}
		}}}
		w := newWorld(t, deps(m, NewMemory())).serve()
		defer w.close()
		c := w.ask(core.Ask{Text: "go"})
		es := w.events(c.ID, 0)
		if got, want := kinds(es), "message state:queued state:running retry notice start reasoning text usage done"; got != want {
			t.Errorf("events\n got %s\nwant %s", got, want)
		}
		if d := doneOf(t, es); d.Model != "other/two" {
			t.Errorf("done %+v", d)
		}
		ms := w.messages(c.Session)
		if len(ms) != 3 || ms[1].Type != core.TypeReasoning || ms[1].Opaque == nil || string(ms[1].Opaque.Data) != `"sig"` {
			t.Errorf("messages %+v", ms)
		}
	})
}

func TestAModelThatIsNotThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, deps(&model{ref: "fake/one"}, NewMemory())).serve()
		defer w.close()
		es := w.events(w.ask(core.Ask{Text: "go", Params: core.Params{Model: "nowhere"}}).ID, 0)
		if d := errorOf(t, es); d.Code != core.BadRequest || d.Hint != "jarvis model list" {
			t.Errorf("error %+v", d)
		}
	})
}

func TestASessionsModelThatIsNotThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, deps(&model{ref: "fake/one", play: []script{answers("ok")}}, NewMemory())).serve()
		defer w.close()
		c := w.ask(core.Ask{Text: "go", Params: core.Params{Model: "nowhere"}})
		w.events(c.ID, 0)
		_, es := w.talk(c.Session, "again")
		if d := errorOf(t, es); d.Message != "this session's model cannot be used: there is no model nowhere" ||
			d.Hint != "jarvis ask -s "+core.Short(string(c.Session))+" -m auto PROMPT" {
			t.Errorf("error %+v", d)
		}
		doneOf(t, w.events(w.ask(core.Ask{Text: "go", Session: c.Session, Params: core.Params{Model: "auto"}}).ID, 0))
	})
}

func TestAnAnswerWithASchema(t *testing.T) {
	fence := func(schema, value []byte) ([]byte, error) {
		if value == nil {
			if !json.Valid(schema) {
				return nil, errors.New("no JSON")
			}
			return nil, nil
		}
		s := strings.TrimSuffix(strings.TrimPrefix(string(value), "```"), "```")
		if !strings.HasPrefix(s, "{") {
			return nil, errors.New("it is no object")
		}
		return []byte(s), nil
	}
	for _, tc := range []struct {
		name string
		play []script
		text string
		code core.Code
		reqs int
	}{
		{"valid", []script{says(text(`{"a"`), text(`:1}`), finish(llm.FinishEnd))}, `{"a":1}`, "", 1},
		{"repaired", []script{answers("```{\"a\":1}```")}, `{"a":1}`, "", 1},
		{"asked again", []script{answers("Sure!"), answers("Still no"), answers(`{"b":2}`)}, `{"b":2}`, "", 3},
		{"never", []script{answers("x"), answers("y"), answers("z")}, "", core.UpstreamUnavailable, 3},
		{"after a tool", []script{says(text("I look"), call("echo", `{}`), finish(llm.FinishToolUse)), answers(`{"c":3}`)}, `{"c":3}`, "", 2},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := &model{ref: "fake/one", play: tc.play}
				d := deps(m, NewMemory(), echo("echo"))
				d.ValidateJSON = fence
				w := newWorld(t, d).serve()
				defer w.close()
				c := w.ask(core.Ask{Text: "go", Params: core.Params{Schema: json.RawMessage(`{"type":"object"}`)}})
				es := w.events(c.ID, 0)
				if es[len(es)-1].Text != tc.text || strings.Count(kinds(es), " text") > 1 {
					t.Errorf("text %q, events %s", es[len(es)-1].Text, kinds(es))
				}
				if tc.code != "" {
					if e := errorOf(t, es); e.Code != tc.code || !strings.HasPrefix(e.Message, "the answer is not valid for the schema") {
						t.Errorf("error %+v", e)
					}
				} else if dn := doneOf(t, es); dn.Iterations != tc.reqs {
					t.Errorf("done %+v", dn)
				}
				reqs := m.requests()
				if len(reqs) != tc.reqs || string(reqs[0].Schema) != `{"type":"object"}` {
					t.Fatalf("%d requests", len(reqs))
				}
				if tc.name == "asked again" {
					ms := reqs[2].Messages
					if len(ms) != 5 || !strings.Contains(ms[4].Parts[0].Text, "it is no object") || ms[3].Parts[0].Text != "Still no" {
						t.Errorf("third request %+v", ms)
					}
				}
				for _, msg := range w.messages(c.Session) {
					if msg.Type == core.TypeText && msg.Role == core.RoleAssistant && msg.Text != tc.text {
						t.Errorf("stored %q", msg.Text)
					}
				}
			})
		})
	}
}
