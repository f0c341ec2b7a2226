//go:build linux || darwin

package local

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"jarvis/core"
	"jarvis/core/llm"
)

// mirror serves the fake files and breaks a connection after cut bytes, as often as told.
type mirror struct {
	data   map[string][]byte
	cut    int
	cuts   atomic.Int64
	status int
	noRng  bool
	ranges []string
	gets   int
}

func (m *mirror) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.gets++
	name := strings.TrimPrefix(r.URL.Path, "/base/")
	b, ok := m.data[name]
	if m.status != 0 || !ok {
		w.WriteHeader(max(m.status, 404))
		return
	}
	if rng := r.Header.Get("Range"); rng != "" {
		m.ranges = append(m.ranges, rng)
		if m.noRng {
			r.Header.Del("Range")
		}
	}
	if m.cuts.Add(-1) >= 0 {
		w = &cutting{ResponseWriter: w, left: m.cut}
	}
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(b))
}

type cutting struct {
	http.ResponseWriter
	left int
}

func (c *cutting) Write(b []byte) (int, error) {
	if len(b) > c.left {
		_, _ = c.ResponseWriter.Write(b[:c.left])
		_ = http.NewResponseController(c.ResponseWriter).Flush()
		panic(http.ErrAbortHandler)
	}
	c.left -= len(b)
	return c.ResponseWriter.Write(b)
}

func pulling(t *testing.T, change func(*mirror)) (*Provider, *mirror) {
	t.Helper()
	src, data := fakeSources()
	m := &mirror{data: data, cut: 10_000}
	if change != nil {
		change(m)
	}
	s := httptest.NewServer(m)
	t.Cleanup(s.Close)
	return New(Options{ModelsDir: t.TempDir(), Sources: src, Mirror: s.URL + "/base", HTTP: s.Client()}), m
}

func whole(t *testing.T, p *Provider) {
	t.Helper()
	c := new(checker)
	if err := errors.Join(c.installed(t.Context(), p.opts.ModelsDir, p.src.Models[0]), c.libsReady(t.Context(), p.opts.ModelsDir, p.src.Libraries[0])); err != nil {
		t.Error(err)
	}
	if left, _ := filepath.Glob(filepath.Join(p.opts.ModelsDir, "*", "*.part")); left != nil {
		t.Errorf("left %v", left)
	}
}

func TestPull(t *testing.T) {
	p, m := pulling(t, nil)
	var last int64
	if err := p.Pull(t.Context(), "local/tiny", func(f string, done, total int64) {
		if f == "tiny.gguf" {
			last = done
		}
		if done > total {
			t.Errorf("%s: %d of %d", f, done, total)
		}
	}); err != nil {
		t.Fatal(err)
	}
	whole(t, p)
	if last != int64(len(m.data["tiny.gguf"])) || m.gets != 3 || m.ranges != nil {
		t.Errorf("progress %d, %d requests, ranges %v", last, m.gets, m.ranges)
	}
	if err := p.Pull(t.Context(), "tiny", nil); err != nil || m.gets != 3 {
		t.Errorf("again: %v, %d requests", err, m.gets)
	}
}

// TestPullFollowsToWhereTheFilesLie: the address of a file is often not where it lies.
func TestPullFollowsToWhereTheFilesLie(t *testing.T) {
	p, m := pulling(t, nil)
	away := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, strings.TrimSuffix(p.opts.Mirror, "/base")+r.URL.Path, http.StatusFound)
	}))
	t.Cleanup(away.Close)
	c, err := llm.HTTPClient(llm.HTTPOptions{Proxy: "off"})
	if err != nil {
		t.Fatal(err)
	}
	p.Fetching(away.URL+"/base", c)
	if err := p.Pull(t.Context(), "tiny", nil); err != nil {
		t.Fatal(err)
	}
	whole(t, p)
	if m.gets != 3 {
		t.Errorf("%d requests", m.gets)
	}
}

func TestPullResumes(t *testing.T) {
	p, m := pulling(t, func(m *mirror) { m.cuts.Store(2) })
	if err := p.Pull(t.Context(), "tiny", nil); err != nil {
		t.Fatal(err)
	}
	whole(t, p)
	if strings.Join(m.ranges, " ") != "bytes=10000- bytes=20000-" {
		t.Errorf("ranges %v", m.ranges)
	}
}

func TestPullResumesLater(t *testing.T) {
	p, m := pulling(t, func(m *mirror) { m.cuts.Store(1) })
	ctx, cancel := context.WithCancel(t.Context())
	err := p.Pull(ctx, "tiny", func(_ string, done, _ int64) {
		if done >= 10_000 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || len(p.Installed()) != 0 {
		t.Fatal(err)
	}
	if err := p.Pull(t.Context(), "tiny", nil); err != nil {
		t.Fatal(err)
	}
	whole(t, p)
	if len(m.ranges) != 1 {
		t.Errorf("ranges %v", m.ranges)
	}
}

func TestPullFromAServerWithoutRanges(t *testing.T) {
	p, _ := pulling(t, func(m *mirror) { m.cuts.Store(1); m.noRng = true })
	if err := p.Pull(t.Context(), "tiny", nil); err != nil {
		t.Fatal(err)
	}
	whole(t, p)
}

func TestPullOverAWrongBeginning(t *testing.T) {
	p, _ := pulling(t, nil)
	part := filepath.Join(p.opts.ModelsDir, "tiny", "tiny.gguf.part")
	for _, junk := range []string{"junk", strings.Repeat("j", 40_000), strings.Repeat("j", 50_000)} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(part), 0o700), os.WriteFile(part, []byte(junk), 0o600)); err != nil {
			t.Fatal(err)
		}
		if err := p.Pull(t.Context(), "tiny", nil); err != nil {
			t.Fatal(err)
		}
		whole(t, p)
		if err := p.Remove(t.Context(), "tiny"); err != nil {
			t.Fatal(err)
		}
	}
}

func TestPullRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*mirror)
		says   string
	}{
		"404":       {func(m *mirror) { m.status = 404 }, "answered 404"},
		"500":       {func(m *mirror) { m.status = 500 }, "answered 500"},
		"other":     {func(m *mirror) { m.data["tiny.gguf"] = bytes.Repeat([]byte("W"), 40_000) }, "sha256 differs"},
		"larger":    {func(m *mirror) { m.data["tiny.gguf"] = bytes.Repeat([]byte("W"), 50_000) }, "has 50000 bytes of it"},
		"smaller":   {func(m *mirror) { m.data["tiny.gguf"] = m.data["tiny.gguf"][:30_000] }, "has 30000 bytes of it instead of 40000"},
		"cut, ever": {func(m *mirror) { m.cuts.Store(99); m.cut = 1000 }, "connection broke after 6000 of 40000"},
		"cut at 0":  {func(m *mirror) { m.cuts.Store(99); m.cut = 0 }, "connection broke"},
	} {
		t.Run(name, func(t *testing.T) {
			p, _ := pulling(t, c.change)
			err := p.Pull(t.Context(), "tiny", nil)
			var e *core.Error
			if !errors.As(err, &e) || e.Code != core.UpstreamUnavailable || !strings.Contains(e.Message, c.says) || e.Hint == "" {
				t.Fatalf("%v", err)
			}
			if len(p.Installed()) != 0 {
				t.Error("installed all the same")
			}
		})
	}
	p, _ := pulling(t, nil)
	if err := p.Pull(t.Context(), "nothing", nil); core.CodeOf(err) != core.NotFound {
		t.Error(err)
	}
	p.Fetching("ftp://x", nil)
	if err := p.Pull(t.Context(), "tiny", nil); core.CodeOf(err) != core.BadRequest {
		t.Error(err)
	}
	p.Fetching("", nil)
	if err := p.Pull(t.Context(), "tiny", nil); core.CodeOf(err) != core.Unsupported {
		t.Error(err)
	}
}

func TestPullTwiceAtOnce(t *testing.T) {
	p, _ := pulling(t, nil)
	once := false
	if err := p.Pull(t.Context(), "tiny", func(string, int64, int64) {
		if !once {
			once = true
			if err := p.Pull(t.Context(), "tiny", nil); core.CodeOf(err) != core.Conflict {
				t.Error(err)
			}
		}
	}); err != nil {
		t.Fatal(err)
	}
}

func TestFullDisk(t *testing.T) {
	for _, err := range []error{syscall.ENOSPC, &diskError{&os.PathError{Op: "write", Path: "/x", Err: syscall.ENOSPC}}} {
		var e *core.Error
		if got := fsError("fetch tiny.gguf", err); !errors.As(got, &e) || e.Message != "fetch tiny.gguf: the disk is full" || e.Hint != "df -h" {
			t.Errorf("%v", got)
		}
	}
}
