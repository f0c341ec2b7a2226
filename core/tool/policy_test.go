package tool

import (
	"encoding/json"
	"strings"
	"testing"

	"jarvis/core"
)

func TestDecide(t *testing.T) {
	for _, tc := range []struct {
		effects []Effect
		who     core.Responder
		ok      bool
		say     string
	}{
		{nil, core.RespondNone, true, ""},
		{[]Effect{Reads}, core.RespondNone, true, ""},
		{[]Effect{Writes}, core.RespondNone, false, "denied: x needs permission (write), and this request has nobody who can be asked"},
		{[]Effect{Reads, Execs, Network, Execs}, core.RespondUser, false, "denied: x needs permission (exec, network), which cannot be asked for yet"},
		{[]Effect{"unheard of"}, core.RespondUser, false, "unheard of"},
	} {
		d := Decide("x", Plan{Effects: tc.effects}, tc.who)
		if d.Allowed != tc.ok || !strings.Contains(d.Reason, tc.say) || (d.Reason == "") != tc.ok {
			t.Errorf("%v: %+v", tc.effects, d)
		}
	}
}

func TestRegistry(t *testing.T) {
	r := NewRegistry()
	if err := r.Add(Func{S: Spec{Name: "b"}}, Func{S: Spec{Name: "a"}}); err != nil {
		t.Fatal(err)
	}
	if err := r.Add(Func{S: Spec{Name: "a"}}); err == nil {
		t.Error("a name twice")
	}
	for _, tc := range []struct {
		names []string
		want  string
	}{{nil, "a b"}, {[]string{}, ""}, {[]string{"b", "nosuch"}, "b"}} {
		var got []string
		for _, s := range r.Specs(tc.names) {
			got = append(got, s.Name)
		}
		if strings.Join(got, " ") != tc.want {
			t.Errorf("%v: %v", tc.names, got)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(`{"n":1}`)
	f.Add(``)
	f.Add(`{"n":1}{`)
	f.Add(`{"n":1}}`)
	f.Add(`{"m":1}`)
	f.Fuzz(func(t *testing.T, s string) {
		var v struct {
			N int `json:"n"`
		}
		err := Decode(Call{Args: []byte(s)}, &v)
		if err != nil && core.CodeOf(err) != core.BadRequest {
			t.Errorf("%q: %v", s, err)
		}
		if err == nil && strings.TrimSpace(s) != "" && !json.Valid([]byte(s)) {
			t.Errorf("%q is taken", s)
		}
	})
}
