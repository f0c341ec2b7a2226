package tui

import (
	"encoding/json"
	"strings"
	"time"

	"jarvis/core"
	"jarvis/tui/view"
)

// spinAfter is how long nothing may come before something moves; frameTime how often the screen changes at most.
const (
	spinAfter = 300 * time.Millisecond
	frameTime = 50 * time.Millisecond
	spinTime  = 100 * time.Millisecond
	maxArgs   = 200 // bytes of a tool's arguments that are looked at
)

var spinner = [...]string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}

// transcript turns the events of one chain into lines: those that are final, and those that still change.
type transcript struct {
	opt  view.Options
	say  speech
	now  func() time.Time
	text *view.Stream

	done  []view.Line
	lines int // final lines so far, to set blocks apart
	got   int // bytes of the answer so far
	tools []*toolLine
	open  int      // lines of text that the last frame left open
	held  []string // notices that came inside a block

	start  time.Time
	status string // what is waited for, "" = the model
	ended  bool
	last   byte // kind of the last final line: 't' text, 'n' note
}

type toolLine struct {
	call core.CallID
	text string
}

func newTranscript(o view.Options, say speech, now func() time.Time) *transcript {
	return &transcript{opt: o, say: say, now: now, text: view.NewStream(o), start: now()}
}

// markdown adds text that is no event.
func (t *transcript) markdown(s string) {
	t.got += len(s)
	if t.last == 'n' && t.text.Empty() && strings.TrimSpace(s) != "" {
		t.add(view.Line{})
		t.last = 0
	}
	t.text.Write(s)
	if strings.TrimSpace(s) != "" {
		t.last = 't'
	}
}

// event takes one event of the chain.
func (t *transcript) event(e core.Event) {
	switch e.Type {
	case core.EventText:
		t.status = ""
		t.markdown(e.Text)
	case core.EventReasoning:
		t.status = t.say.of("thinking…")
	case core.EventState:
		t.state(e)
	case core.EventRetry:
		var d core.RetryData
		if e.Detail(&d) == nil {
			t.note(t.say.of("%s: %s; trying again in %.1f s", d.Provider, firstLine(d.Cause), float64(d.WaitMS)/1000))
		}
	case core.EventNotice:
		t.note(e.Text)
	case core.EventCompaction:
		var d core.CompactionData
		if e.Detail(&d) == nil {
			t.note(t.say.of("older messages are now a summary: %d → %d tokens", d.Before, d.After))
		}
	case core.EventToolUse:
		var d core.ToolUseData
		if e.Detail(&d) == nil {
			t.flush()
			t.tools = append(t.tools, &toolLine{call: d.Call, text: d.Tool + arguments(d.Input)})
		}
	case core.EventToolResult:
		t.result(e)
	case core.EventDone, core.EventError:
		t.end(e)
	}
}

func (t *transcript) state(e core.Event) {
	var d core.StateData
	if e.Detail(&d) != nil {
		return
	}
	switch d.State {
	case core.Queued:
		t.status = t.say.of("waiting in line")
		if d.Position > 0 {
			t.status = t.say.of("waiting in line, position %d", d.Position)
		}
	case core.Waiting:
		t.status = t.say.of("waiting for permission")
	default:
		t.status = ""
	}
}

func (t *transcript) result(e core.Event) {
	var d core.ToolResultData
	if e.Detail(&d) != nil {
		return
	}
	for i, tool := range t.tools {
		if tool.call != d.Call {
			continue
		}
		t.tools = append(t.tools[:i:i], t.tools[i+1:]...)
		mark, st, text := "✓ ", t.opt.Theme.Good, tool.text
		if !d.OK {
			mark, st = "✗ ", t.opt.Theme.Bad
			text += ": " + firstLine(e.Text)
		}
		t.put(view.Note(mark, st, text, t.opt))
		return
	}
}

// end shows what a broken connection has swallowed: the terminal event has the whole text.
func (t *transcript) end(e core.Event) {
	if len(e.Text) > t.got {
		t.markdown(e.Text[t.got:])
	}
	t.ended = true
}

// note shows a line that is not the answer's; inside a block it waits for the block's end.
func (t *transcript) note(text string) {
	if !t.text.Empty() {
		t.held = append(t.held, text)
		return
	}
	t.put(view.Message("· ", t.opt.Theme.Dim, text, t.opt.Theme.Dim, t.opt))
}

func (t *transcript) put(lines []view.Line) {
	t.take()
	if t.last == 't' {
		t.add(view.Line{})
	}
	t.add(lines...)
	t.last = 'n'
}

func (t *transcript) add(lines ...view.Line) {
	t.done = append(t.done, lines...)
	t.lines += len(lines)
}

func (t *transcript) take() { t.add(t.text.Take()...) }

// flush ends the text so far: what comes now stands below it.
func (t *transcript) flush() {
	if t.last == 't' || !t.text.Empty() {
		t.add(t.text.Close()...)
		t.text = view.NewStream(t.opt)
	}
	held := t.held
	t.held = nil
	for _, text := range held {
		t.note(text)
	}
}

// close ends the chain's lines.
func (t *transcript) close() []view.Line {
	t.ended = true
	t.flush()
	for _, tool := range t.tools {
		t.put(view.Note("· ", t.opt.Theme.Dim, tool.text, t.opt))
	}
	t.tools = nil
	d := t.done
	t.done = nil
	return d
}

// frame gives the lines that became final and the open ones, at most room of them.
func (t *transcript) frame(room int) (done, open []view.Line) {
	open = t.text.Open() // it may make lines final
	t.take()
	status := t.statusLines()
	if over := len(open) + len(status) - room; over > 0 {
		over = min(over, len(open))
		if t.text.Freeze(over) {
			t.add(open[:over]...)
		}
		open = open[over:]
	}
	done = t.done
	t.done = nil
	t.open = len(open)
	open = append(open[:len(open):len(open)], status...)
	return done, open[max(0, len(open)-room):]
}

func (t *transcript) statusLines() []view.Line {
	var out []view.Line
	if len(t.tools) > 0 && t.last == 't' {
		out = append(out, view.Line{})
	}
	for _, tool := range t.tools {
		out = append(out, view.Note(t.spin()+" ", t.opt.Theme.Dim, tool.text, t.opt)[:1]...)
	}
	if t.waits() && len(t.tools) == 0 {
		out = append(out, view.Note(t.spin()+" ", t.opt.Theme.Prompt, t.status, t.opt)[:1]...)
	}
	return out
}

// waits reports whether something should move: nothing is being written and the time is up.
func (t *transcript) waits() bool {
	return !t.ended && t.text.Empty() && t.last != 't' && t.now().Sub(t.start) >= spinAfter
}

func (t *transcript) spin() string {
	return spinner[int(t.now().Sub(t.start)/spinTime)%len(spinner)]
}

// resize renders what is open for another width from now on; the first gone of the open lines are no longer on the screen.
func (t *transcript) resize(width, gone int) {
	t.text.Freeze(min(gone, t.open))
	t.opt.Width = width
	t.text.SetWidth(width)
}

// arguments is a tool's input in a few words.
func arguments(input json.RawMessage) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal(input, &fields) != nil || len(fields) == 0 {
		return ""
	}
	s := string(input)
	if len(fields) == 1 {
		for _, v := range fields {
			var text string
			if json.Unmarshal(v, &text) == nil {
				s = text
			} else {
				s = string(v)
			}
		}
	}
	if len(s) > maxArgs {
		s = s[:maxArgs]
	}
	return " " + strings.Join(strings.Fields(strings.ToValidUTF8(s, "")), " ")
}

func firstLine(s string) string { l, _, _ := strings.Cut(strings.TrimSpace(s), "\n"); return l }
