//go:build linux

package cmd_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// open sends a request to the daemon's socket with its token, as a foreign program of the owner would. In a path {newest} is the
// newest session's id. Header lines are "Name: value".
func open(ctx context.Context, ts *testscript.TestScript, method, path, body string, header ...string) *http.Response {
	run := filepath.Join(ts.Getenv("JARVIS_HOME"), "run")
	token, err := os.ReadFile(filepath.Join(run, "token"))
	ts.Check(err)
	if strings.Contains(path, "{newest}") {
		var list []struct{ ID string }
		ts.Check(json.Unmarshal(output(ts, "session", "list", "--all", "-n", "1", "-o", "json"), &list))
		if len(list) == 0 {
			ts.Fatalf("there is no session")
		}
		path = strings.ReplaceAll(path, "{newest}", list[0].ID)
	}
	transport := &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", filepath.Join(run, "jarvis.sock"))
	}}
	req, err := http.NewRequestWithContext(ctx, method, "http://jarvis"+path, strings.NewReader(body))
	ts.Check(err)
	req.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	for _, h := range header {
		name, value, _ := strings.Cut(h, ":")
		req.Header.Set(name, strings.TrimSpace(value))
	}
	resp, err := transport.RoundTrip(req)
	ts.Check(err)
	return resp
}

// call STATUS METHOD PATH [BODY [HEADER…]] asks the daemon with its token and puts the answer on stdout, its ETag into $ETAG.
func call(ts *testscript.TestScript, _ bool, args []string) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	body := ""
	if len(args) > 3 {
		body = args[3]
	}
	resp := open(ctx, ts, args[1], args[2], body, args[min(4, len(args)):]...)
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	ts.Check(err)
	_, _ = ts.Stdout().Write(b)
	ts.Setenv("ETAG", resp.Header.Get("ETag"))
	if want := number(ts, args[0]); resp.StatusCode != want {
		ts.Fatalf("status %d, want %d\n%s", resp.StatusCode, want, b)
	}
}

// streamKey leads to the ends of the streams that a script follows, by their names.
type streamKey struct{}

// follow NAME PATH [OTHER] reads an event stream into NAME.out in the background; behind what OTHER has seen, when it is given.
func follow(ts *testscript.TestScript, _ bool, args []string) {
	var header []string
	if len(args) > 2 {
		blocks := blocksOf(ts, args[2])
		last := ""
		for _, b := range blocks {
			if b.id != "" {
				last = b.id
			}
		}
		header = append(header, "Last-Event-ID: "+last)
	}
	ctx, cancel := context.WithCancel(context.Background())
	resp := open(ctx, ts, "GET", args[1], "", header...)
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "text/event-stream" {
		cancel()
		ts.Fatalf("%s: status %d, %s", args[1], resp.StatusCode, resp.Header.Get("Content-Type"))
	}
	f, err := os.Create(ts.MkAbs(args[0] + ".out"))
	ts.Check(err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer f.Close()
		defer resp.Body.Close()
		_, _ = io.Copy(f, resp.Body)
	}()
	ts.Defer(func() {
		cancel()
		<-done
	})
	streams(ts)[args[0]] = done
}

func streams(ts *testscript.TestScript) map[string]chan struct{} {
	return ts.Value(streamKey{}).(map[string]chan struct{})
}

// gone NAME waits until a stream has ended.
func gone(ts *testscript.TestScript, _ bool, args []string) {
	select {
	case <-streams(ts)[args[0]]:
	case <-time.After(patience):
		ts.Fatalf("the stream %s does not end", args[0])
	}
}

// block is one event of a stream.
type block struct{ id, event, data string }

// blocksOf reads the events that a stream has told whole.
func blocksOf(ts *testscript.TestScript, name string) []block {
	text := ts.ReadFile(name + ".out")
	text = text[:strings.LastIndex(text, "\n\n")+1]
	var out []block
	for part := range strings.SplitSeq(text, "\n\n") {
		var b block
		for line := range strings.Lines(part) {
			key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
			switch key {
			case "id":
				b.id = value
			case "event":
				b.event = value
			case "data":
				b.data = value
			}
		}
		if b.event != "" {
			out = append(out, b)
		}
	}
	return out
}

// told WHOLE PART… holds the events of streams, one after the other, against those of one that saw all of them: none is missing,
// none comes twice. Neighbouring deltas count as one: how they are cut is nobody's promise.
func told(ts *testscript.TestScript, _ bool, args []string) {
	whole, parts := blocksOf(ts, args[0]), []block(nil)
	for _, name := range args[1:] {
		parts = append(parts, blocksOf(ts, name)...)
	}
	want, got := joined(ts, whole), joined(ts, parts)
	for i := range max(len(want), len(got)) {
		a, b := "nothing", "nothing"
		if i < len(want) {
			a = want[i]
		}
		if i < len(got) {
			b = got[i]
		}
		if a != b {
			ts.Fatalf("event %d is\n%.2000s\nwant\n%.2000s", i, b, a)
		}
	}
	if len(want) < 3 {
		ts.Fatalf("%s tells only %d events", args[0], len(want))
	}
}

// joined makes lines of events that can be compared.
func joined(ts *testscript.TestScript, blocks []block) []string {
	var out []string
	open := "" // chain whose deltas the last line holds
	for _, b := range blocks {
		var e struct{ Chain, Text string }
		if err := json.Unmarshal([]byte(b.data), &e); err != nil {
			ts.Fatalf("%v: %s", err, b.data)
		}
		if b.event != "text" {
			open, out = "", append(out, fmt.Sprint(b.id, " ", b.data))
			continue
		}
		if open != e.Chain {
			open, out = e.Chain, append(out, "text of "+e.Chain+": ")
		}
		out[len(out)-1] += e.Text
	}
	return out
}
