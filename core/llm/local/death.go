package local

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"

	"jarvis/core/llm"
	"jarvis/core/llm/local/wire"
)

func (r *runner) err(kind llm.Kind, msg, hint string, cause error) *llm.Error {
	return &llm.Error{Kind: kind, Provider: Name, Model: r.name, Message: msg, Hint: hint, Err: cause}
}

const hintLibffi = "sudo apt install libffi8   # dnf install libffi, pacman -S libffi"

// startError explains why the worker could not be run at all.
func (r *runner) startError(err error) *llm.Error {
	switch {
	case errors.Is(err, errUnsupported):
		return r.err(llm.KindUnavailable, errUnsupported.Error(), "jarvis setup", err)
	case r.p.opts.Program == "":
		return r.err(llm.KindUnavailable, "the program jarvis-model is not installed beside jarvisd", "make install", err)
	case errors.Is(err, os.ErrNotExist):
		if _, serr := os.Stat(r.p.opts.Program); serr == nil {
			// the kernel's "no such file" is about the loader the program asks for
			return r.err(llm.KindUnavailable, "local models need glibc, which this system does not have", "jarvis setup", err)
		}
		return r.err(llm.KindUnavailable, "the program jarvis-model is not installed beside jarvisd", "make install", err)
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, os.ErrPermission):
		return r.err(llm.KindUnavailable, "the program jarvis-model cannot be run: "+oneLine(err.Error()), "make install", err)
	}
	return r.err(llm.KindServer, "the model worker does not start: "+oneLine(err.Error()), "jarvis daemon logs", err)
}

// The words of the dynamic loader and of the ffi that tell what is missing. The patterns are ours to keep in step with them;
// the tests hold samples of both.
var (
	glibcRE   = regexp.MustCompile(`version .(GLIBC_[0-9.]+). not found`)
	libraryRE = regexp.MustCompile(`(lib(?:gcc_s|stdc\+\+|gomp|m|pthread|dl)\.so[.0-9]*): cannot open shared object file`)
)

// missing recognises a library that is not there, nil when that is not what a text tells.
func (r *runner) missing(text string) *llm.Error {
	cause := errors.New(oneLine(text))
	if m := glibcRE.FindStringSubmatch(text); m != nil {
		return r.err(llm.KindUnavailable, fmt.Sprintf("local models need a newer glibc (%s) than this system has", m[1]), "jarvis setup", cause)
	}
	if strings.Contains(text, "libffi") && (strings.Contains(text, "panic") || strings.Contains(text, "cannot open shared object")) {
		return r.err(llm.KindUnavailable, "local models need libffi (package libffi8), which is not installed", hintLibffi, cause)
	}
	if m := libraryRE.FindStringSubmatch(text); m != nil {
		hint := "sudo apt install " + packageOf(m[1])
		return r.err(llm.KindUnavailable, fmt.Sprintf("local models need %s, which is not installed", m[1]), hint, cause)
	}
	return nil
}

func packageOf(lib string) string {
	switch {
	case strings.HasPrefix(lib, "libgcc_s"):
		return "libgcc-s1"
	case strings.HasPrefix(lib, "libstdc++"):
		return "libstdc++6"
	case strings.HasPrefix(lib, "libgomp"):
		return "libgomp1"
	}
	return "libc6"
}

// deathError explains the end of a worker that nobody asked for. doing is "loading" or "answering".
func (r *runner) deathError(c *child, doing string) *llm.Error {
	if errors.Is(c.readErr, wire.ErrLine) {
		c.stop(0)
		return r.err(llm.KindMalformed, "the model worker sent something else than its protocol and was ended", "jarvis daemon logs", c.readErr)
	}
	state, stderr := c.death()
	if stderr != "" {
		r.p.log.Warn("Model worker ended", "model", r.name, "doing", doing, "state", state.String(), "stderr", lastLines(stderr, 5))
	}
	if e := r.missing(stderr); e != nil {
		return e
	}
	cause := errors.New(oneLine(state.String() + ": " + stderr))
	sig := signalName(state)
	if sig == "" { // the runtime turns a fault in native code into exit 2
		for _, s := range []string{"SIGILL", "SIGSEGV", "SIGABRT", "SIGBUS", "SIGFPE"} {
			if strings.Contains(stderr, s) {
				sig = s
				break
			}
		}
	}
	switch sig {
	case "SIGKILL":
		return r.err(llm.KindServer, "the model worker was killed while "+doing+", most likely because memory ran out", "jarvis model list", cause)
	case "SIGILL":
		return r.err(llm.KindUnavailable, "llama.cpp used an instruction that this processor does not have", "jarvis setup", cause)
	case "":
		return r.err(llm.KindServer, "the model worker ended unexpectedly while "+doing, "jarvis daemon logs", cause)
	}
	return r.err(llm.KindServer, fmt.Sprintf("the model worker crashed in native code while %s (%s)", doing, sig), "jarvis daemon logs", cause)
}

// wireError explains a failure the worker survived.
func (r *runner) wireError(e *wire.Error) *llm.Error {
	if e == nil {
		return r.err(llm.KindMalformed, "the model worker failed without saying why", "", nil)
	}
	if m := r.missing(e.Message); m != nil {
		return m
	}
	msg, kind, hint := oneLine(e.Message), llm.KindServer, ""
	switch e.Code {
	case wire.ErrTooLong:
		kind, hint = llm.KindTooLong, "jarvis model list -o json   # context_window: the largest prompt each model takes"
	case wire.ErrModel:
		kind, hint = llm.KindUnavailable, r.reinstall()
	case wire.ErrLibs, wire.ErrCPU:
		kind, hint = llm.KindUnavailable, "jarvis setup"
	case wire.ErrMemory:
		kind, hint = llm.KindUnavailable, "jarvis model list"
	case wire.ErrGrammar, wire.ErrRequest:
		kind, hint = llm.KindBadRequest, "jarvis model list"
	}
	return r.err(kind, msg, hint, e)
}

// reinstall is the command that mends a model's files.
func (r *runner) reinstall() string {
	if _, ok := r.p.src.model(r.name); !ok {
		return "jarvis model rm " + Name + "/" + r.name + "   # its file was not fetched by jarvis: put a whole one there"
	}
	return "jarvis model pull " + Name + "/" + r.name
}

// oneLine makes a cause fit for a sentence: one line, bounded, printable.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if r < 0x20 || r == 0x7f {
			return ' '
		}
		return r
	}, s)), " ")
	if len(s) > 300 {
		s = strings.ToValidUTF8(s[:300], "") + "…"
	}
	return s
}

func lastLines(s string, n int) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], " | ")
}
