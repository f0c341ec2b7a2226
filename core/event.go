package core

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

// EventType is the kind of an event; readers ignore the ones they do not know.
type EventType string

// The event types. Those of review and permission come with their features.
const (
	EventMessage    EventType = "message"
	EventState      EventType = "state"
	EventStart      EventType = "start"
	EventText       EventType = "text"
	EventReasoning  EventType = "reasoning"
	EventToolUse    EventType = "tool_use"
	EventToolOutput EventType = "tool_output"
	EventToolResult EventType = "tool_result"
	EventRetry      EventType = "retry"
	EventNotice     EventType = "notice"
	EventCompaction EventType = "compaction"
	EventUsage      EventType = "usage"
	EventDone       EventType = "done"
	EventError      EventType = "error"
)

// Terminal reports whether the type ends a chain.
func (t EventType) Terminal() bool { return t == EventDone || t == EventError }

// texts are the types whose JSON always has a "text", also an empty one.
var texts = map[EventType]bool{
	EventMessage: true, EventText: true, EventReasoning: true, EventToolOutput: true, EventToolResult: true,
	EventNotice: true, EventDone: true, EventError: true,
}

// Event is one line of a chain's journal and one SSE message. Seq counts from 1 and strictly increases inside a chain; a
// joined delta carries the last number it covers. Data is a JSON object with the fields of its type (the …Data types below),
// nil when the type has none. In JSON all of it is one flat object.
type Event struct {
	Type    EventType
	Seq     uint64
	Chain   ChainID
	Session SessionID
	Agent   AgentID
	Time    time.Time
	Worker  ChainID // of a child's event
	Via     string  // "worker" or "review" of a child's event
	Text    string
	Data    json.RawMessage
}

// The fields of each type beyond the common ones.
type (
	// MessageData is of EventMessage.
	MessageData struct {
		ID          MessageID    `json:"id"`
		Role        string       `json:"role"`
		Attachments []Attachment `json:"attachments,omitempty"`
	}
	// StateData is of EventState; Position counts from 1 in the lane and is set while queued.
	StateData struct {
		State    ChainState `json:"state"`
		Position int        `json:"position,omitempty"`
	}
	// StartData is of EventStart.
	StartData struct {
		Model string `json:"model"`
	}
	// ToolUseData is of EventToolUse.
	ToolUseData struct {
		Call  CallID          `json:"call"`
		Tool  string          `json:"tool"`
		Input json.RawMessage `json:"input"`
	}
	// ToolOutputData is of EventToolOutput.
	ToolOutputData struct {
		Call CallID `json:"call"`
	}
	// ToolResultData is of EventToolResult.
	ToolResultData struct {
		Call      CallID `json:"call"`
		Tool      string `json:"tool"`
		OK        bool   `json:"ok"`
		Truncated bool   `json:"truncated"`
	}
	// RetryData is of EventRetry.
	RetryData struct {
		Provider string `json:"provider"`
		WaitMS   int64  `json:"wait_ms"`
		Cause    string `json:"cause"`
	}
	// Tokens are the counts that people see.
	Tokens struct {
		In         int64 `json:"in"`
		Out        int64 `json:"out"`
		CacheWrite int64 `json:"cache_write"`
		CacheRead  int64 `json:"cache_read"`
	}
	// UsageData is of EventUsage, after each iteration.
	UsageData struct {
		Tokens  Tokens   `json:"tokens"`
		CostUSD *float64 `json:"cost_usd"` // null when unknown
	}
	// CompactionData is of EventCompaction: the first and last chain that the summary stands for, and their size in tokens
	// before and after.
	CompactionData struct {
		From   ChainID `json:"from"`
		To     ChainID `json:"to"`
		Before int     `json:"before_tokens"`
		After  int     `json:"after_tokens"`
	}
	// DoneData is of EventDone.
	DoneData struct {
		Model      string     `json:"model"`
		StopReason StopReason `json:"stop_reason"`
		Iterations int        `json:"iterations"`
		Tokens     Tokens     `json:"tokens"`
		CostUSD    *float64   `json:"cost_usd"`
		DurationMS int64      `json:"duration_ms"`
	}
	// ErrorData is of EventError.
	ErrorData struct {
		Code    Code   `json:"code"`
		Message string `json:"message"`
		Hint    string `json:"hint"`
		Model   string `json:"model,omitempty"`
	}
)

// Tokens gives the counts of a usage.
func (u Usage) Tokens() Tokens {
	return Tokens{In: u.In, Out: u.Out, CacheWrite: u.CacheWrite, CacheRead: u.CacheRead}
}

// With puts a type's own fields into the event. v must marshal to an object; it is one of the …Data types.
func (e Event) With(v any) Event {
	b, err := json.Marshal(v)
	if err != nil {
		// Only a RawMessage that is not JSON gets here: a tool's input, which the loop has validated.
		b, _ = json.Marshal(map[string]string{"invalid": err.Error()})
	}
	e.Data = b
	return e
}

// Detail reads the type's own fields into v, one of the …Data types.
func (e Event) Detail(v any) error {
	if len(e.Data) == 0 {
		return nil
	}
	if err := json.Unmarshal(e.Data, v); err != nil {
		return fmt.Errorf("event %s %d: %w", e.Type, e.Seq, err)
	}
	return nil
}

// MarshalJSON writes the flat object of the contract.
func (e Event) MarshalJSON() ([]byte, error) { return e.AppendJSON(nil) }

// AppendJSON appends the flat object to b. It is by hand because a busy daemon writes tens of thousands a second.
func (e Event) AppendJSON(b []byte) ([]byte, error) {
	b = append(b, `{"type":`...)
	b = appendString(b, string(e.Type))
	b = append(b, `,"seq":`...)
	b = strconv.AppendUint(b, e.Seq, 10)
	b = appendField(b, "chain", string(e.Chain), true)
	b = appendField(b, "session", string(e.Session), true)
	b = appendField(b, "agent", string(e.Agent), true)
	b = append(b, `,"time":"`...)
	b = e.Time.UTC().AppendFormat(b, time.RFC3339Nano)
	b = append(b, '"')
	b = appendField(b, "worker", string(e.Worker), false)
	b = appendField(b, "via", e.Via, false)
	b = appendField(b, "text", e.Text, texts[e.Type])
	if d := bytes.TrimSpace(e.Data); len(d) > 0 {
		if len(d) < 2 || d[0] != '{' || d[len(d)-1] != '}' {
			return nil, fmt.Errorf("event %s: data is not an object", e.Type)
		}
		if in := bytes.TrimSpace(d[1 : len(d)-1]); len(in) > 0 {
			b = append(b, ',')
			b = append(b, in...)
		}
	}
	return append(b, '}'), nil
}

// UnmarshalJSON reads the flat object; what is not common becomes Data, with its keys in order.
func (e *Event) UnmarshalJSON(b []byte) error {
	if e.parse(b) {
		return nil
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(b, &fields); err != nil {
		return err
	}
	*e = Event{}
	common := []struct {
		name string
		to   any
	}{
		{"type", &e.Type},
		{"seq", &e.Seq},
		{"chain", &e.Chain},
		{"session", &e.Session},
		{"agent", &e.Agent},
		{"time", &e.Time},
		{"worker", &e.Worker},
		{"via", &e.Via},
		{"text", &e.Text},
	}
	for _, c := range common {
		raw, ok := fields[c.name]
		if !ok {
			continue
		}
		if err := json.Unmarshal(raw, c.to); err != nil {
			return fmt.Errorf("event %s: %w", c.name, err)
		}
		delete(fields, c.name)
	}
	if len(fields) == 0 {
		return nil
	}
	data, err := json.Marshal(fields)
	if err != nil {
		return err
	}
	e.Data = data
	return nil
}

func appendField(b []byte, name, v string, always bool) []byte {
	if v == "" && !always {
		return b
	}
	b = append(b, ',', '"')
	b = append(b, name...)
	b = append(b, '"', ':')
	return appendString(b, v)
}

// appendString appends v as a JSON string; plain ASCII, which most deltas are, goes without the encoder.
func appendString(b []byte, v string) []byte {
	for i := range len(v) {
		if c := v[i]; c < 0x20 || c >= 0x7f || c == '"' || c == '\\' {
			q, err := json.Marshal(v)
			if err != nil { // a string always marshals
				return append(b, `""`...)
			}
			return append(b, q...)
		}
	}
	b = append(b, '"')
	b = append(b, v...)
	return append(b, '"')
}
