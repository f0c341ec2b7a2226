package core

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"
)

// decode is UnmarshalJSON without its short cut.
func decode(b []byte) (e Event, err error) {
	// Blanks behind the first brace are another form of the same value.
	return e, e.UnmarshalJSON(append([]byte{'{', ' '}, b[1:]...))
}

func same(a, b Event) bool {
	var x, y any
	if json.Unmarshal(a.Data, &x) != nil && len(a.Data) > 0 || json.Unmarshal(b.Data, &y) != nil && len(b.Data) > 0 {
		return false
	}
	if !a.Time.Equal(b.Time) || !reflect.DeepEqual(x, y) {
		return false
	}
	a.Data, b.Data, a.Time, b.Time = nil, nil, time.Time{}, time.Time{}
	return reflect.DeepEqual(a, b)
}

func TestTheShortCutReadsWhatIsWritten(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 678, time.UTC)
	for _, e := range []Event{
		{Type: EventText, Seq: 7, Chain: "c", Session: "s", Time: at, Text: "Hel"},
		{Type: EventText, Seq: 7, Chain: "c", Session: "s", Time: at, Text: "\"quoted\" \\ \n <b> \u2028 ü 🙂 \x00"},
		{Type: EventDone, Seq: 1 << 63, Chain: "c", Session: "s", Agent: "a", Worker: "w", Via: "worker", Time: at, Text: ""},
		Event{Type: EventState, Seq: 2, Chain: "c", Session: "s", Time: at}.With(StateData{State: Queued, Position: 1}),
		Event{Type: EventToolUse, Seq: 3, Chain: "c", Session: "s", Time: at}.With(ToolUseData{Call: "1", Tool: "t", Input: []byte(`{"text":"x","seq":4}`)}),
	} {
		b, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		slow, err := decode(b)
		if err != nil {
			t.Fatal(err)
		}
		var fast Event
		if err := fast.UnmarshalJSON(b); err != nil || !same(fast, slow) {
			t.Errorf("%s: %+v, want %+v (%v)", b, fast, slow, err)
		}
		if short := new(Event).parse(b); !short && e.Type != EventToolUse {
			t.Errorf("%s went the long way", b)
		}
	}
}

func FuzzEvent(f *testing.F) {
	f.Add([]byte(`{"type":"text","seq":7,"chain":"c","session":"s","agent":"","time":"2026-01-02T03:04:05Z","text":"Hel"}`))
	f.Add([]byte(`{"type":"state","seq":7,"chain":"c","session":"s","time":"2026-01-02T03:04:05Z","position":1,"state":"queued"}`))
	f.Add([]byte(`{"type":"x","seq":+7,"chain":"c","session":"s","time":"2026-01-02T03:04:05.5+01:00","agent":"\ud800"}`))
	f.Add([]byte(`{"type":"text","seq":07,"chain":"\xff","session":"s","time":"","text":"a\qb"}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		var fast Event
		if len(b) == 0 || !fast.parse(b) {
			return
		}
		slow, err := decode(b)
		if err != nil || !same(fast, slow) {
			t.Errorf("%q: %+v, the decoder says %+v (%v)", b, fast, slow, err)
		}
	})
}

func BenchmarkEvent(b *testing.B) {
	line, err := json.Marshal(Event{Type: EventText, Seq: 7, Chain: "018f0000-0000-7000-8000-00000000000a", Session: "018f0000-0000-7000-8000-00000000000b", Time: time.Now(), Text: "word "})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		var e Event
		if err := e.UnmarshalJSON(line); err != nil {
			b.Fatal(err)
		}
	}
}
