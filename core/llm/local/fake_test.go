//go:build linux || darwin

package local

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"jarvis/core/llm/local/wire"
)

// fakeMode makes the test binary a worker that behaves, or misbehaves, in one way.
const fakeMode = "JARVIS_FAKE_WORKER"

func TestMain(m *testing.M) {
	if mode := os.Getenv(fakeMode); mode != "" {
		os.Exit(fakeWorker(mode))
	}
	os.Exit(m.Run())
}

func fakeWorker(mode string) int {
	switch mode { // dead before main, as the real one where something is missing
	case "libffi":
		fmt.Fprintln(os.Stderr, "panic: libffi.so.8: cannot open shared object file: No such file or directory\n\ngoroutine 1 [running]:")
		return 2
	case "glibc":
		fmt.Fprintln(os.Stderr, "jarvis-model: /lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.34' not found (required by jarvis-model)")
		return 1
	}
	conn := os.NewFile(wire.FD, "daemon")
	in, out := wire.NewReader(conn), wire.NewWriter(conn)
	for {
		var r wire.Request
		if err := in.Read(&r); err != nil {
			return 0
		}
		switch r.Op {
		case wire.OpLoad:
			ev := wire.Event{ID: r.ID, Kind: wire.EvLoaded, Loaded: &wire.Loaded{Window: 100, Train: 100}}
			switch mode {
			case "load-error":
				ev = wire.Event{ID: r.ID, Kind: wire.EvError, Error: &wire.Error{Code: wire.ErrModel, Message: "the file does not load as a model: tensor 7\nis short"}}
			case "load-gcc":
				ev = wire.Event{ID: r.ID, Kind: wire.EvError, Error: &wire.Error{Code: wire.ErrLibs, Message: "llama.cpp's libraries do not load: libgcc_s.so.1: cannot open shared object file: No such file"}}
			case "load-cpu":
				ev = wire.Event{ID: r.ID, Kind: wire.EvError, Error: &wire.Error{Code: wire.ErrCPU, Message: "no library of llama.cpp fits this processor"}}
			case "load-ill":
				return kill(syscall.SIGILL)
			}
			must(out.Write(ev))
		case wire.OpGenerate:
			if code := fakeAnswer(mode, r, in, out); code >= 0 {
				return code
			}
		}
	}
}

func kill(s syscall.Signal) int {
	must(syscall.Kill(os.Getpid(), s))
	hang()
	return 2
}

// hang never returns. A bare select would let the runtime find a deadlock and end the worker, sooner or later by the load.
func hang() {
	for {
		time.Sleep(time.Hour)
	}
}

func must(err error) {
	if err != nil {
		os.Exit(9)
	}
}

// fakeAnswer answers one request; the result is the exit code, -1 to stay.
func fakeAnswer(mode string, r wire.Request, in *wire.Reader, out *wire.Writer) int {
	last := r.Generate.Messages[len(r.Generate.Messages)-1].Text
	say := func(s string) { must(out.Write(wire.Event{ID: r.ID, Kind: wire.EvDelta, Text: s})) }
	done := &wire.Done{Stop: wire.StopEnd, Prompt: 7, Reused: 3, Out: 2}
	switch {
	case mode == "crash", mode == "crash-marked" && strings.Contains(last, "crash"):
		say("half ")
		return kill(syscall.SIGSEGV)
	case mode == "crash-silent":
		return kill(syscall.SIGSEGV)
	case mode == "abort":
		fmt.Fprintln(os.Stderr, "ggml.c:77: GGML_ASSERT(x) failed\nSIGABRT: abort\nPC=0x1")
		return 2
	case mode == "oom":
		return kill(syscall.SIGKILL)
	case mode == "exit":
		return 0
	case mode == "garbage":
		must(out.Write("not an event"))
		hang()
	case mode == "hang":
		hang()
	case mode == "deaf":
		say("half ")
		hang()
	case mode == "empty":
	case mode == "too-long":
		must(out.Write(wire.Event{ID: r.ID, Kind: wire.EvError, Error: &wire.Error{Code: wire.ErrTooLong, Message: "the prompt has 300 tokens, the window is 100"}}))
		return -1
	case mode == "full":
		say("x")
		done.Stop = wire.StopFull
	case mode == "wait" && strings.Contains(last, "wait"):
		say("waiting ")
		var c wire.Request
		for c.Op != wire.OpCancel || c.ID != r.ID {
			must(in.Read(&c))
		}
		done.Stop = wire.StopCancel
	default:
		for _, w := range strings.SplitAfter("echo "+last, " ") {
			say(w)
		}
	}
	must(out.Write(wire.Event{ID: r.ID, Kind: wire.EvDone, Done: done}))
	return -1
}

// fakeFile is a file with its true size and hash.
func fakeFile(name, content string) (File, []byte) {
	sum := sha256.Sum256([]byte(content))
	return File{Name: name, Size: int64(len(content)), SHA256: hex.EncodeToString(sum[:])}, []byte(content)
}

// fakeSources lists one tiny model and one tiny library, and their contents by name.
func fakeSources() (*Sources, map[string][]byte) {
	data := map[string][]byte{}
	add := func(name, content string) File {
		f, b := fakeFile(name, content)
		data[name] = b
		return f
	}
	return &Sources{
		Models: []ModelSource{{Name: "tiny", Title: "Tiny", Context: 4096, Note: "knows nothing", File: add("tiny.gguf", strings.Repeat("weights ", 5000))}},
		Libraries: []LibrarySource{{
			Platform: runtime.GOOS + "/" + runtime.GOARCH, Version: "v1",
			Links: map[string]string{"libllama.so": "libllama.v1.so"},
			Files: []File{add("libllama.v1.so", "machine code"), add("libggml-cpu.so", "more machine code")},
		}},
	}, data
}

// fakeProvider has the tiny model installed and a worker of the given mode.
func fakeProvider(t *testing.T, mode string, change func(*Options)) *Provider {
	t.Helper()
	src, data := fakeSources()
	dir := t.TempDir()
	err := installModel(dir, src.Models[0], func(w io.Writer) error { _, err := w.Write(data["tiny.gguf"]); return err })
	lib := src.Libraries[0]
	err = errors.Join(err, installLibs(dir, lib, func(folder string) error {
		for _, f := range lib.Files {
			if err := writeLib(context.Background(), folder, f, bytes.NewReader(data[f.Name]), func(string, int64, int64) {}); err != nil {
				return err
			}
		}
		return nil
	}))
	self, serr := os.Executable()
	if err = errors.Join(err, serr); err != nil {
		t.Fatal(err)
	}
	o := Options{ModelsDir: dir, Program: self, Sources: src, Hang: 10 * time.Second}
	if change != nil {
		change(&o)
	}
	p := New(o)
	p.env = append(p.env, fakeMode+"="+mode)
	t.Cleanup(func() { p.Close() })
	return p
}

func tinyPath(p *Provider) string { return filepath.Join(p.opts.ModelsDir, "tiny", "tiny.gguf") }
