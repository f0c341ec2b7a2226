//go:build unix

package journal

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"jarvis/core"
)

// TestMain runs the test binary as a child that the parent kills or starves.
func TestMain(m *testing.M) {
	switch os.Getenv("JOURNAL_TEST_CHILD") {
	case "write":
		os.Exit(writeForEver(os.Getenv("JOURNAL_TEST_ROOT")))
	case "full":
		os.Exit(fillDisk(os.Getenv("JOURNAL_TEST_ROOT")))
	}
	os.Exit(m.Run())
}

func child(t *testing.T, what, root string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), "JOURNAL_TEST_CHILD="+what, "JOURNAL_TEST_ROOT="+root)
	cmd.Stderr = os.Stderr
	return cmd
}

// writeForEver has eight chains stream; a reader of each shows what it gets.
func writeForEver(root string) int {
	d, err := Open(root, Options{})
	if err != nil {
		return 1
	}
	var (
		mu sync.Mutex
		wg sync.WaitGroup
	)
	for n := range 8 {
		l, err := d.Log(id(n))
		if err != nil {
			fmt.Fprintln(os.Stderr, "child:", err)
			return 1
		}
		first := l.Last()
		ahead := make(chan struct{}, 40) // how far the writer is ahead of its reader at most
		wg.Go(func() {
			seq := first
			for e, err := range d.Read(context.Background(), id(n), first) {
				if err != nil {
					return
				}
				mu.Lock()
				fmt.Printf("%d %d %s\n", n, e.Seq, strings.ReplaceAll(e.Text, "\n", " "))
				mu.Unlock()
				for ; seq < e.Seq; seq++ {
					<-ahead
				}
			}
		})
		wg.Go(func() {
			for i := first + 1; ; i++ {
				ahead <- struct{}{}
				if _, err := l.Append(text(fmt.Sprintf("%d,", i))); err != nil {
					return
				}
			}
		})
	}
	wg.Wait()
	return 1
}

// TestKilled kills a process that streams: every word that was shown is in the journal, and recovery can close it.
func TestKilled(t *testing.T) {
	root := t.TempDir()
	rng := rand.New(rand.NewPCG(5, 6))
	shown := map[int]uint64{} // the last number shown of each chain
	total := 0
	for range 5 {
		cmd := child(t, "write", root)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		kill := 50 + rng.IntN(800) // lines, not a time: a slow machine tests as much
		sc := bufio.NewScanner(out)
		sc.Buffer(nil, 1<<20)
		for lines := 0; sc.Scan(); lines++ {
			f := strings.Fields(sc.Text())
			if len(f) < 2 {
				break
			}
			n, err1 := strconv.Atoi(f[0])
			seq, err2 := strconv.ParseUint(f[1], 10, 64)
			if err1 != nil || err2 != nil {
				t.Fatalf("child says %q", sc.Text())
			}
			shown[n] = seq
			total++
			if lines == kill {
				_ = cmd.Process.Kill()
			}
		}
		_, _ = io.Copy(io.Discard, out)
		_ = cmd.Wait()
		check(t, root, shown)
	}
	if total < 250 {
		t.Errorf("only %d events were shown: the test kills nothing", total)
	}
}

func check(t *testing.T, root string, shown map[int]uint64) {
	t.Helper()
	d := openT(t, root, Options{})
	defer func() { _ = d.Close() }()
	open := 0
	for _, err := range d.Unsealed(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		open++
	}
	if open != 8 {
		t.Errorf("%d of 8 journals are known as unsealed", open)
	}
	for n, last := range shown {
		l := logT(t, d, id(n))
		if l.Last() < last {
			t.Errorf("chain %d: event %d was shown, the journal ends at %d", n, last, l.Last())
		}
		var want strings.Builder
		for i := uint64(1); i <= l.Last(); i++ {
			fmt.Fprintf(&want, "%d,", i)
		}
		if got := textOf(now(t, d, id(n), 0, l.Last())); got != want.String() {
			t.Errorf("chain %d: the text differs", n)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
}

// fillDisk appends until the allowed size is used up, and goes on when there is room again.
func fillDisk(root string) int {
	signal.Ignore(syscall.SIGXFSZ)
	d, err := Open(root, Options{})
	if err != nil {
		return 1
	}
	l, err := d.Log(id(1))
	if err != nil {
		return 1
	}
	limit := func(n uint64) {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: n, Max: 1 << 40}); err != nil {
			fmt.Fprintln(os.Stderr, "child:", err)
		}
	}
	limit(10_000)
	n := 0
	for ; n < 1000; n++ {
		if _, err = l.Append(text(strings.Repeat("x", 300))); err != nil {
			break
		}
	}
	if core.CodeOf(err) != core.Internal || !strings.Contains(err.Error(), "disk is full") {
		fmt.Fprintln(os.Stderr, "child: full disk gave", err)
		return 1
	}
	if _, err = l.Append(text(strings.Repeat("x", 300))); err == nil {
		return 1
	}
	limit(1 << 20)
	for _, e := range []core.Event{text("room again"), done()} {
		if _, err := l.Append(e); err != nil {
			fmt.Fprintln(os.Stderr, "child: with room again", err)
			return 1
		}
	}
	fmt.Println(n + 2)
	return 0
}

func TestFullDisk(t *testing.T) {
	root := filepath.Join(t.TempDir(), "runs")
	out, err := child(t, "full", root).Output()
	if err != nil {
		t.Fatalf("child: %v", err)
	}
	want, err := strconv.ParseUint(strings.TrimSpace(string(out)), 10, 64)
	if err != nil || want < 10 {
		t.Fatalf("child says %q", out)
	}
	d := openT(t, root, Options{})
	evs, err := read(t.Context(), d, id(1), 0)
	if err != nil || evs[len(evs)-1].Seq != want || !strings.HasSuffix(textOf(evs), "xroom again") {
		t.Errorf("read %d events, %v", len(evs), err)
	}
	if aside, err := filepath.Glob(filepath.Join(root, "*", "*"+damagedSuffix)); err != nil || len(aside) > 0 {
		t.Errorf("the half line was taken for damage: %q, %v", aside, err)
	}
}
