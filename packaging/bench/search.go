package main

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"jarvis/core"
	"jarvis/store/bolt"
)

// asked is a search and what grep looks for instead.
type asked struct{ query, grep string }

// searches are of all kinds; the words are those of prose. The first two are in nearly every message.
var searches = []asked{
	{"be", "be"},
	{"be bi bo", "be.*bi.*bo"},
	{"bakeli", "bakeli"},
	{`"be bi"`, "be bi"},
	{"babe*", "babe"},
	{"ba*", "ba"},
	{"be -bi from:me", "be"},
	{"to before:7d", "to"},
	{"type:tool after:7d", "time"},
	{"absent", "absent"},
}

// search: the index of a thousand and of a hundred thousand messages, with -big 10000 of a million too: what making it takes,
// and how long searches take against grep over a file of the same text.
func (b *bench) search() error {
	sizes := []int{10, 1000}
	if b.big > 1000 {
		sizes = append(sizes, b.big)
	}
	for _, sessions := range sizes {
		if err := b.searchIn(sessions); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) searchIn(sessions int) error {
	f, err := b.newFull(fmt.Sprintf("search-%d", sessions), filling{sessions, perSession, false})
	if err != nil {
		return err
	}
	text := filepath.Join(f.dir, "text")
	if err := b.dump(f.testHome, text); err != nil {
		return err
	}
	if err := f.start(); err != nil {
		return err
	}
	defer f.stop()
	n := sessions * perSession
	label := fmt.Sprintf("search in %d messages: ", n)
	if err := b.indexed(f, label, n, text); err != nil {
		return err
	}
	if err := b.queries(f, label, text); err != nil {
		return err
	}
	return b.indexMemory(f, label+"jarvis-index after that, own memory (peak, files too)")
}

// dump writes the text of all messages of a home whose daemon does not run, one a line.
func (b *bench) dump(h *testHome, path string) (err error) {
	db, err := bolt.Open(b.ctx, bolt.Options{Path: h.h.DB, HomeIDPath: h.h.ID, LockPath: h.h.Lock, PID: os.Getpid()})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	out, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	w := bufio.NewWriterSize(out, 1<<20)
	for at := core.Cursor(""); ; {
		ms, next, err := db.AllText(b.ctx, at, 1000)
		if err != nil {
			return err
		}
		for _, m := range ms {
			if _, err := w.WriteString(m.Text + "\n"); err != nil {
				return err
			}
		}
		if at = next; at == "" {
			return w.Flush()
		}
	}
}

// indexed measures the first search and what follows it, until the index is complete.
func (b *bench) indexed(f *full, label string, n int, text string) error {
	start := time.Now()
	h, err := f.c.Search(b.ctx, "absent", 1, "")
	if err != nil {
		return err
	}
	b.add(label+"the first one, which begins the index", ms(time.Since(start)), "", "", "< 3 s")
	for !h.Complete {
		time.Sleep(200 * time.Millisecond)
		if h, err = f.c.Search(b.ctx, "absent", 1, ""); err != nil {
			return err
		}
	}
	took := time.Since(start)
	pid, err := indexPID(f.testHome)
	if err != nil {
		return err
	}
	wrote, err := written(pid)
	if err != nil {
		return err
	}
	used, err := cpu(pid)
	if err != nil {
		return err
	}
	size, err := folderSize(f.h.Index)
	if err != nil {
		return err
	}
	info, err := os.Stat(text)
	if err != nil {
		return err
	}
	each := func(d time.Duration) string { return us(d / time.Duration(n)) }
	b.add(label+"making the index, a message (processor time)", fmt.Sprintf("%s (%s)", each(took), each(used)), "", "", "–")
	b.add(label+"bytes written, a message, against the text's own", fmt.Sprintf("%.1f KB", float64(wrote)/float64(n)/1e3),
		fmt.Sprintf("%.1f KB", float64(info.Size())/float64(n)/1e3), fmt.Sprintf("%.1f", float64(wrote)/float64(info.Size())), "–")
	b.add(label+"size of the index against the text", fmt.Sprintf("%.1f MB", float64(size)/1e6),
		fmt.Sprintf("%.1f MB", float64(info.Size())/1e6), fmt.Sprintf("%.2f", float64(size)/float64(info.Size())), "–")
	return nil
}

// queries asks every search, and grep for the same.
func (b *bench) queries(f *full, label, text string) error {
	rounds := max(min(b.n, 20), 3)
	var ours, bare []time.Duration
	var worst struct {
		d time.Duration
		q string
	}
	for _, s := range searches {
		for i := range rounds {
			start := time.Now()
			if _, err := f.c.Search(b.ctx, s.query, 20, ""); err != nil {
				return fmt.Errorf("%s: %w", s.query, err)
			}
			d := time.Since(start)
			if ours = append(ours, d); d > worst.d {
				worst.d, worst.q = d, s.query
			}
			if i >= 3 {
				continue // grep takes the same each time
			}
			start = time.Now()
			err := exec.CommandContext(b.ctx, "grep", "-ciw", s.grep, text).Run()
			if exit := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
				return fmt.Errorf("grep: %w", err)
			}
			bare = append(bare, time.Since(start))
		}
	}
	b.pair(label+"median of ten kinds, against grep over the same text", median(ours), median(bare), "–")
	b.pair(label+"worst, "+worst.q+", against the worst of grep", worst.d, slices.Max(bare), "–")
	return nil
}

func (b *bench) indexMemory(f *full, what string) error {
	pid, err := indexPID(f.testHome)
	if err != nil {
		return err
	}
	own, resident, err := memory(pid)
	if err != nil {
		return err
	}
	peak, err := procField(pid, "status", "VmHWM:")
	if err != nil {
		return err
	}
	b.add(what, fmt.Sprintf("%.0f MiB (%.0f, now %.0f)", own, float64(peak)/1024, resident), "", "", "–")
	return b.idle(f.testHome, strings.Replace(what, "jarvis-index", "jarvisd", 1), "–")
}

// indexPID finds the daemon's child that keeps the index.
func indexPID(h *testHome) (int, error) {
	st, err := h.status()
	if err != nil {
		return 0, err
	}
	procs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return 0, err
	}
	for _, p := range procs {
		pid, _ := strconv.Atoi(filepath.Base(p))
		if parent, err := procField(pid, "status", "PPid:"); err != nil || parent != int64(st.PID) {
			continue
		}
		if name, err := os.ReadFile(p + "/comm"); err == nil && strings.TrimSpace(string(name)) == "jarvis-index" {
			return pid, nil
		}
	}
	return 0, errors.New("the index's program does not run")
}

func written(pid int) (int64, error) { return procField(pid, "io", "write_bytes:") }

// procField is the number behind a name in one of the files of /proc/<pid>.
func procField(pid int, file, name string) (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, file))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == name {
			return strconv.ParseInt(f[1], 10, 64)
		}
	}
	return 0, fmt.Errorf("%s of process %d says nothing about %s", file, pid, name)
}

func folderSize(dir string) (size int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			size += info.Size()
		}
		return err
	})
	return size, err
}
