//go:build linux || darwin

package local

import (
	"strings"
	"testing"
)

func TestOfferTellsSizeAndWhatIsMissing(t *testing.T) {
	src, _ := fakeSources()
	p := New(Options{ModelsDir: t.TempDir(), Sources: src})
	lib := src.Libraries[0]
	want := p.src.Models[0].File.Size
	for _, f := range lib.Files {
		want += f.Size
	}
	ref := Name + "/" + p.src.Models[0].Name
	o, ok := p.Offer(ref)
	if !ok || o.Size != want || !strings.Contains(o.Problem, "make local-model") {
		t.Errorf("%+v %v, want %d bytes and what to do", o, ok, want)
	}
	p.Fetching("http://127.0.0.1:1", nil)
	if o, _ := p.Offer(ref); o.Problem != "" {
		t.Errorf("with a mirror: %s", o.Problem)
	}
	if _, ok := p.Offer("local/nothing"); ok {
		t.Error("an offer of nothing")
	}
}
