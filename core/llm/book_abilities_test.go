package llm

import "testing"

func TestUnknownAbilitiesAreNoDenial(t *testing.T) {
	yes, no := true, false
	b := NewBook("w", TypeCompatible, nil, []Info{
		{Ref: "sees", Said: &Abilities{Images: &yes}},
		{Ref: "blind", Said: &Abilities{Images: &no, Tools: &no}},
	})
	b.Tell(Info{Ref: "sized", Window: 8192, Tools: true}, false)
	b.Tell(Info{Ref: "able", Window: 8192, Tools: true}, true)
	for id, want := range map[string]struct{ images, maybe, maybePDF, tools bool }{
		"new":   {false, true, true, true},
		"sized": {false, true, true, true},
		"able":  {false, false, false, true},
		"sees":  {true, false, true, true},
		"blind": {false, false, true, false},
	} {
		m, _ := b.Info(id)
		if m.Images != want.images || m.MaybeImages != want.maybe || m.MaybePDF != want.maybePDF || m.Tools != want.tools {
			t.Errorf("%s: %+v", id, m)
		}
	}
}
