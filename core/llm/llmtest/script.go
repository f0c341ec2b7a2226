package llmtest

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

// Fault is what goes wrong in an answer.
type Fault string

// The faults.
const (
	Hang     Fault = "hang"      // nothing comes at all
	HangMid  Fault = "hang-mid"  // silence after half of the text
	Cut      Fault = "cut"       // the connection is closed after half of the text
	BadEvent Fault = "bad-event" // an event that is not JSON, after half of the text
	BigLine  Fault = "big-line"  // a line of Script.Line bytes (32 MiB) instead of the text
	Empty    Fault = "empty"     // a whole answer without text and calls
)

// Call is a tool call of an answer. Args go out as they are, valid or not.
type Call struct{ Name, Args string }

// Usage is what an answer says it used. In excludes what was read from or written to the cache.
type Usage struct{ In, Out, CacheRead, CacheWrite int }

// Script is one answer. The zero value echoes the user's last text.
type Script struct {
	Text      string
	Pieces    int           // of Text; 0 = one a word
	Pace      time.Duration // between pieces
	Delay     time.Duration // before the first byte
	Reasoning string
	Signature string // of the reasoning, Anthropic only
	Calls     []Call
	Usage     Usage
	Finish    string // "", "max_tokens", "refusal"

	Status     int    // an HTTP error instead of an answer
	Message    string // of the error; "" = what the real one says
	RetryAfter string // header of the error
	Fault      Fault
	Line       int // of BigLine, in bytes

	Then *Script  // for the request that brings tool results
	Next []Script // for the second and later requests to this model; the last one repeats
}

// Named gives the script that a model's name stands for:
//
//	echo                 "You said: …"; a user text "call NAME {json}" calls that tool and then says its result
//	text-N, text-N-R     N words, at R words a second
//	status-S             the HTTP error S; status-S-after-V with Retry-After: V
//	flaky-S              the error S once, then echo
//	reason               reasoning, then text
//	call-NAME            calls a tool without arguments, then says its result
//	bad-args             a tool call whose arguments are not JSON
//	json                 {"ok":true}
//	hang hang-mid cut bad-event big-line empty refusal max-tokens
func Named(model string) (Script, bool) {
	model, _, _ = strings.Cut(model, ":")
	verb, rest, _ := strings.Cut(model, "-")
	switch verb {
	case "text":
		return named(rest)
	case "status":
		code, after, _ := strings.Cut(rest, "-after-")
		n, err := strconv.Atoi(code)
		return Script{Status: n, RetryAfter: after}, err == nil
	case "flaky":
		n, err := strconv.Atoi(rest)
		return Script{Status: n, Next: []Script{{}}}, err == nil
	case "call":
		return Script{Calls: []Call{{Name: rest, Args: "{}"}}, Then: &Script{}}, rest != ""
	}
	switch model {
	case "echo":
		return Script{}, true
	case "reason":
		return Script{Reasoning: "Let me think about it.", Signature: "sig", Text: "I have thought."}, true
	case "bad-args":
		return Script{Calls: []Call{{Name: "time", Args: `{"zone": `}}}, true
	case "json":
		return Script{Text: `{"ok":true}`}, true
	case "hang", "hang-mid", "cut", "bad-event", "big-line", "empty":
		return Script{Fault: Fault(model)}, true
	case "refusal":
		return Script{Text: "I cannot help with that.", Finish: "refusal"}, true
	case "max-tokens":
		return Script{Text: "This is cut", Finish: "max_tokens"}, true
	}
	return Script{}, false
}

func named(rest string) (Script, bool) {
	count, rate, paced := strings.Cut(rest, "-")
	n, err := strconv.Atoi(count)
	if err != nil || n < 1 || n > 1_000_000 {
		return Script{}, false
	}
	sc := Script{Text: Words(n)}
	if paced {
		r, err := strconv.Atoi(rate)
		if err != nil || r < 1 {
			return Script{}, false
		}
		sc.Pace = time.Second / time.Duration(r)
	}
	return sc, true
}

// Words gives n words of a known text: "word1 word2 …".
func Words(n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString("word")
		b.WriteString(strconv.Itoa(i + 1))
	}
	return b.String()
}

// filled completes a script from the request.
func (sc Script) filled(user string, rounds int) Script {
	if sc.Text == "" && len(sc.Calls) == 0 && sc.Status == 0 && sc.Fault != Empty {
		sc.Text = "You said: " + user
		if rounds > 0 {
			sc.Text = "The result: " + user
		}
		if call, ok := directive(user); ok && rounds == 0 {
			sc.Text, sc.Calls = "", []Call{call}
		}
		if sc.Fault != "" {
			sc.Text = "one two three four five six"
		}
	}
	if sc.Usage == (Usage{}) {
		sc.Usage = Usage{In: len(user)/4 + 10, Out: len(sc.pieces())}
	}
	return sc
}

// directive reads "call NAME {json}".
func directive(user string) (Call, bool) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(user), "call ")
	if !ok {
		return Call{}, false
	}
	name, args, _ := strings.Cut(strings.TrimSpace(rest), " ")
	if args = strings.TrimSpace(args); args == "" {
		args = "{}"
	}
	return Call{Name: name, Args: args}, name != "" && json.Valid([]byte(args))
}

// pieces cuts the text: at words, or into a number of parts that never split a character.
func (sc Script) pieces() []string {
	if sc.Text == "" {
		return nil
	}
	if sc.Pieces <= 0 {
		return strings.SplitAfter(sc.Text, " ")
	}
	runes := []rune(sc.Text)
	out := make([]string, 0, sc.Pieces)
	for i := range sc.Pieces {
		a, b := i*len(runes)/sc.Pieces, (i+1)*len(runes)/sc.Pieces
		if a < b {
			out = append(out, string(runes[a:b]))
		}
	}
	return out
}
