package offline

import (
	"strings"
	"testing"
)

func TestAMistypedServerIsSaidWhereItWasTyped(t *testing.T) {
	w := newWorld(t)
	w.ask = &answers{choose: []string{"server of your own"}, text: []string{"http://", "localhost:8000/v1", "My Server", "mine", "small"}, secret: []string{"k"}}
	w.want(0, w.run("setup"), "is no address", "Taken as http://localhost:8000/v1", "lower-case letters")
	if !strings.Contains(w.file(), "base_url: http://localhost:8000/v1\n") || !strings.Contains(w.file(), "model: mine/small\n") {
		t.Errorf("file %q", w.file())
	}
	before := w.file()
	for _, args := range [][]string{{"--provider", "w3", "--base-url", "http://"}, {"--provider", "W 3", "--base-url", "http://h/v1"}, {"--provider", "w3", "--type", "openia", "--base-url", "http://h/v1"}} {
		w.ask = &answers{secret: []string{"k"}}
		w.want(2, w.run(append([]string{"setup"}, args...)...))
		if w.file() != before || strings.Contains(w.err, ".yaml:") {
			t.Errorf("%q: %s", args, w.err)
		}
	}
}

func TestAModelOfNobodyIsDoubted(t *testing.T) {
	w := newWorld(t)
	w.write("providers: {work: {base_url: \"http://a/v1\"}}\n")
	w.want(0, w.run("config", "set", "model", "foo/bar"), "no provider foo", "jarvis model test foo/bar")
	w.want(0, w.run("config", "set", "model", "work/big"))
	if strings.Contains(w.err, "no provider") {
		t.Error(w.err)
	}
	w.want(0, w.run("config", "set", "aliases.e", "foo/bar"), "no provider foo")
}
