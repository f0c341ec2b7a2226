// Package jarvis_test holds the rules of the whole tree: who may import whom, and that each package says what it is for.
package jarvis_test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// A ban says that a package (or everything below it, when from ends in "/...") may not reach another, directly or through
// others, for the reason given. Only non-test imports count.
type ban struct{ from, to, why string }

var bans = []ban{
	{"jarvis/core", "jarvis/...", "the nouns are a leaf"},
	{"jarvis/core/...", "jarvis/store/...", "services declare what they need kept; a store satisfies it"},
	{"jarvis/core/...", "jarvis/daemon/...", "the domain has no front end"},
	{"jarvis/core/...", "jarvis/cmd/...", "the domain has no front end"},
	{"jarvis/core/...", "jarvis/tui/...", "the domain has no front end"},
	{"jarvis/core/tool", "jarvis/core/chat", "a tool lives with the service whose effect it is"},
	{"jarvis/core/chat", "jarvis/core/llm/...", "providers are seen by daemon only: their SDKs cost minutes to build and milliseconds to start"},
	{"jarvis/core/chat", "jarvis/core/session", "a chain needs its store, not the service that lists sessions"},
	{"jarvis/core/prompt", "jarvis/core/chat", "the prompt is a pure function of plain data"},
	{"jarvis/store/...", "jarvis/core/...", "a second store must not need the services"},
	{"jarvis/store/...", "jarvis/daemon/...", "a store knows no front end"},
	{"jarvis/daemon/home", "jarvis/...", "the thin command links it"},
	{"jarvis/daemon/api", "jarvis/core/...", "the thin command links it"},
	{"jarvis/daemon/client", "jarvis/core/...", "the client is linked into every short command"},
	{"jarvis/daemon/client", "jarvis/daemon/config", "the configuration belongs to jarvisd"},
	{"jarvis/daemon/client", "jarvis/daemon/server", "client and server meet in daemon/api only"},
	{"jarvis/daemon/server", "jarvis/store/...", "handlers speak to services"},
	{"jarvis/daemon/server", "jarvis/core/llm/...", "handlers know no provider"},
	{"jarvis/cmd/cli", "jarvis/core/...", "every short command would pay for it at start"},
	{"jarvis/cmd/cli", "jarvis/daemon/config", "the configuration belongs to jarvisd; the thin program needs daemon/home only"},
	{"jarvis/cmd/cli", "jarvis/daemon/server", "the command is a client"},
	{"jarvis/cmd/cli", "jarvis/store/...", "the command is a client"},
	{"jarvis/cmd/cli", "jarvis/tui/...", "the screen is another program"},
	{"jarvis/tui/...", "jarvis/core/...", "the screen knows the API only"},
	{"jarvis/tui/...", "jarvis/store/...", "the screen knows the API only"},
	{"jarvis/tui/...", "jarvis/daemon/server", "the screen is a client"},
	{"jarvis/cmd/jarvisd", "jarvis/core/llm/local/llama", "native code lives in a worker: a null dereference in C ends a Go process whatever it recovers"},
	{"jarvis/cmd/jarvisd", "jarvis/tui/...", "the screen is another program"},
	{"jarvis/cmd/jarvisd", "jarvis/store/index/engine", "an index file that is cut under a running program ends it"},

	{"jarvis/cmd/jarvis", "go.etcd.io/bbolt", "the thin command stays thin"},
	{"jarvis/cmd/jarvis", "charm.land/...", "a renderer costs 40 ms at each start"},
	{"jarvis/cmd/jarvis", "github.com/charmbracelet/...", "a renderer costs 40 ms at each start"},
	{"jarvis/cmd/jarvis", "github.com/anthropics/...", "a model SDK costs milliseconds at each start"},
	{"jarvis/cmd/jarvis", "github.com/openai/...", "a model SDK costs milliseconds at each start"},
	{"jarvis/cmd/jarvis", "github.com/santhosh-tekuri/...", "its init takes 15 ms"},
	{"jarvis/cmd/jarvisd", "github.com/hybridgroup/...", "native code lives in a worker"},
	{"jarvis/cmd/jarvisd", "github.com/ebitengine/...", "its ffi panics before main where libffi is missing"},
	{"jarvis/cmd/jarvisd", "github.com/jupiterrider/...", "its ffi panics before main where libffi is missing"},
	{"jarvis/cmd/jarvisd", "github.com/blevesearch/...", "an index file that is cut under a running program ends it"},
	{"jarvis/cmd/jarvisd", "runtime/cgo", "the daemon builds without a C library"},
	{"jarvis/cmd/jarvis-index", "jarvis/core/...", "it keeps words, and knows no service"},
	{"jarvis/cmd/jarvis-index", "jarvis/store/bolt", "the store belongs to the daemon: the index is told what is in it"},
	{"jarvis/cmd/jarvis-index", "jarvis/daemon/...", "the daemon starts it, not the other way round"},
	{"jarvis/cmd/jarvis-tui", "github.com/hybridgroup/...", "native code lives in a worker"},
	{"jarvis/cmd/jarvis-tui", "go.etcd.io/bbolt", "the screen is a client"},
}

type pkg struct {
	ImportPath string
	Doc        string
	Imports    []string
	Standard   bool
	GoFiles    []string
}

// packages lists the tree and all it imports, as a build without cgo sees it.
func packages(t *testing.T) map[string]pkg {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "-json=ImportPath,Doc,Imports,Standard,GoFiles", "./...")
	cmd.Env = append(cmd.Environ(), "CGO_ENABLED=0")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	m := map[string]pkg{}
	for d := json.NewDecoder(out); ; {
		var p pkg
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		m[p.ImportPath] = p
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	return m
}

func matches(pattern, path string) bool {
	if base, ok := strings.CutSuffix(pattern, "/..."); ok {
		return strings.HasPrefix(path, base+"/")
	}
	return path == pattern
}

// reach gives the shortest way from a package to one that pattern names, nil when there is none.
func reach(all map[string]pkg, from, pattern string) []string {
	type step struct {
		path string
		way  []string
	}
	seen := map[string]bool{from: true}
	for queue := []step{{from, []string{from}}}; len(queue) > 0; queue = queue[1:] {
		for _, next := range all[queue[0].path].Imports {
			if seen[next] {
				continue
			}
			seen[next] = true
			way := append(slices.Clone(queue[0].way), next)
			if matches(pattern, next) {
				return way
			}
			queue = append(queue, step{next, way})
		}
	}
	return nil
}

func TestImportsRunOneWay(t *testing.T) {
	all := packages(t)
	for _, b := range bans {
		held := 0
		for path := range all {
			if !matches(b.from, path) {
				continue
			}
			held++
			way := reach(all, path, b.to)
			// A service's own parts are not another's: core/llm/openai may import core/llm.
			if way != nil && (b.from != "jarvis/core/..." || !strings.HasPrefix(way[len(way)-1], path)) {
				t.Errorf("%s must not reach %s: %s\n\t%s", path, b.to, b.why, strings.Join(way, " → "))
			}
		}
		if held == 0 {
			t.Errorf("the ban from %s to %s holds nothing: no such package", b.from, b.to)
		}
	}
}

func TestPackagesSayWhatTheyAreFor(t *testing.T) {
	for path, p := range packages(t) {
		if !strings.HasPrefix(path, "jarvis") || len(p.GoFiles) == 0 {
			continue
		}
		if len(strings.TrimSpace(p.Doc)) < 40 {
			t.Errorf("%s has no package comment that says what it is for and what it may not do", path)
		}
	}
}
