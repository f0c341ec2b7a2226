package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// startUp: `jarvis --version` against an empty program, in turn.
func (b *bench) startUp() error {
	src := filepath.Join(b.dir, "empty.go")
	if err := os.WriteFile(src, []byte("package main\n\nfunc main() {}\n"), 0o600); err != nil {
		return err
	}
	empty := filepath.Join(b.dir, "empty")
	build := exec.CommandContext(b.ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", empty, src)
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return err
	}
	var ours, bare []time.Duration
	for range b.n + 1 {
		_, d, err := b.timed(nil, filepath.Join(b.bin, "jarvis"), "--version")
		if err != nil {
			return err
		}
		_, e, err := b.timed(nil, empty)
		if err != nil {
			return err
		}
		ours, bare = append(ours, d), append(bare, e)
	}
	b.pair("jarvis --version against an empty program", median(ours[1:]), median(bare[1:]), "≤ 3")
	return nil
}

// timed runs a command and gives the time to the first byte of its output and to its end.
func (b *bench) timed(env []string, name string, args ...string) (first, whole time.Duration, err error) {
	cmd := exec.CommandContext(b.ctx, name, args...)
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, 0, err
	}
	var said bytes.Buffer
	cmd.Stderr = &said
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, 0, err
	}
	one := make([]byte, 1)
	if _, err := io.ReadFull(out, one); err == nil {
		first = time.Since(start)
	} else if !errors.Is(err, io.EOF) {
		return 0, 0, err
	}
	if _, err := io.Copy(io.Discard, out); err != nil {
		return 0, 0, err
	}
	if err := cmd.Wait(); err != nil {
		return 0, 0, fmt.Errorf("%s: %w: %s", filepath.Base(name), err, said.Bytes())
	}
	return first, time.Since(start), nil
}

// ask: `jarvis ask` through a running daemon against curl at the same server, in turn.
func (b *bench) ask() error {
	h, err := b.newHome("ask")
	if err != nil {
		return err
	}
	defer h.stop()
	body := `{"model":"text-200","stream":true,"messages":[{"role":"user","content":"hello"}]}`
	curl := []string{"-sN", "-H", "Authorization: Bearer sk-bench", "-H", "Content-Type: application/json", "-d", body, b.url + "/v1/chat/completions"}
	var first, whole, bareFirst, bareWhole []time.Duration
	for range b.n + 1 {
		f, w, err := b.timed(h.env, filepath.Join(b.bin, "jarvis"), "ask", "-n", "-m", "bench/text-200", "hello")
		if err != nil {
			return err
		}
		cf, cw, err := b.timed(nil, "curl", curl...)
		if err != nil {
			return err
		}
		first, whole = append(first, f), append(whole, w)
		bareFirst, bareWhole = append(bareFirst, cf), append(bareWhole, cw)
	}
	var tab []time.Duration
	for range b.n + 1 {
		_, d, err := b.timed(h.env, filepath.Join(b.bin, "jarvis"), "__complete", "session", "show", "")
		if err != nil {
			return err
		}
		tab = append(tab, d)
	}
	b.add("TAB: sessions completed by a running daemon", ms(median(tab[1:])), "", "", "< 200 ms")
	b.pair("jarvis ask against curl, to the first byte", median(first[1:]), median(bareFirst[1:]), "≤ 1.3")
	b.pair("jarvis ask against curl, to the end (200 words)", median(whole[1:]), median(bareWhole[1:]), "≤ 1.3")
	return nil
}
