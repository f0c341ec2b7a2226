package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
)

// writes: acknowledged writes against raw bbolt, measured by the store's own benchmark.
func (b *bench) writes() error {
	return b.goBench("acknowledged writes against raw bbolt", "AckWrites", "./store/bolt", "≥ 0.9")
}

// export: a session of 10,000 messages written to a file, and read again, against cp of the same bytes.
func (b *bench) export() error {
	return b.goBench("10,000 messages to a file and back, each second, against cp", "Export", "./core/session", "–")
}

// summaries: what asking for a summary of older messages sends, against those messages.
func (b *bench) summaries() error {
	return b.goBench("tokens sent for a summary against what it summarises", "SummaryPrompt", "./core/chat", "≤ 1.1")
}

// model: tokens a second through the worker against the same library called bare; only where a local model is installed.
func (b *bench) model() error {
	if os.Getenv("JARVIS_TEST_MODELS") == "" {
		b.add("local model", "set JARVIS_TEST_MODELS to a folder of installed models to measure it", "", "", "–")
		return nil
	}
	return b.goBench("local model, tokens/s against the library called bare", "Tokens", "./core/llm/local/...", "–")
}

var metric = regexp.MustCompile(`([0-9.]+) (ratio|ours|bare|tokens)(?:/s|/req)?\b`)

// goBench runs a benchmark and takes its ours, bare (a second, or a request) and ratio.
func (b *bench) goBench(what, name, pkg, bar string) error {
	cmd := exec.CommandContext(b.ctx, "go", "test", "-run", "^$", "-bench", name, "-benchtime", "1x", pkg)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%w\n%s", err, out.Bytes())
	}
	for line := range strings.Lines(out.String()) {
		if !strings.HasPrefix(line, "Benchmark") {
			continue
		}
		m := map[string]string{}
		for _, f := range metric.FindAllStringSubmatch(line, -1) {
			m[f[2]] = f[1]
		}
		label, _, _ := strings.Cut(line, " ")
		if _, sub, ok := strings.Cut(label, "/"); ok {
			label = what + ", " + strings.TrimSpace(sub)
		} else {
			label = what
		}
		ours := m["ours"]
		if ours == "" {
			ours = m["tokens"]
		}
		b.add(label, ours, m["bare"], m["ratio"], bar)
	}
	return nil
}
