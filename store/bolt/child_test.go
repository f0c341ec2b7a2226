//go:build unix

package bolt_test

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
	"jarvis/store/bolt"
)

// TestMain runs the test binary as a child that the parent kills or starves.
func TestMain(m *testing.M) {
	switch os.Getenv("BOLT_TEST_CHILD") {
	case "write":
		os.Exit(writeForEver(os.Getenv("BOLT_TEST_PATH")))
	case "full":
		os.Exit(fillDisk(os.Getenv("BOLT_TEST_PATH")))
	}
	os.Exit(m.Run())
}

func child(t *testing.T, what, path string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), "BOLT_TEST_CHILD="+what, "BOLT_TEST_PATH="+path)
	cmd.Stderr = os.Stderr
	return cmd
}

func cid(n int) core.ChainID { return core.ChainID(fmt.Sprintf("01900000-0000-7000-8000-%012x", n)) }

func sid(n int) core.SessionID {
	return core.SessionID(fmt.Sprintf("01900000-0000-7000-9000-%012x", n))
}

func intake(session, n int, text string) core.Intake {
	c := core.Chain{ID: cid(n), Session: sid(session), User: core.Owner, Lane: "session:" + string(sid(session))}
	return core.Intake{
		Chain: c, Message: core.Message{Type: core.TypeText, Text: text},
		Session: &core.Session{ID: c.Session, User: core.Owner},
	}
}

// writeForEver runs whole chains in eight lanes and says each write once it is acknowledged.
func writeForEver(path string) int {
	ctx := context.Background()
	db, err := bolt.Open(ctx, bolt.Options{Path: path})
	if err != nil {
		fmt.Println("error", err)
		return 1
	}
	base, err := strconv.Atoi(os.Getenv("BOLT_TEST_BASE"))
	if err != nil {
		return 1
	}
	var mu sync.Mutex
	say := func(what string, n int) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Println(what, n)
	}
	var wg sync.WaitGroup
	for lane := range 8 {
		wg.Go(func() {
			for i := 0; ; i++ {
				n := base + i*8 + lane
				if err := runChain(ctx, db, base+lane, n, say); err != nil {
					fmt.Println("error", err)
					return
				}
			}
		})
	}
	wg.Wait()
	return 1
}

func runChain(ctx context.Context, db *bolt.DB, session, n int, say func(string, int)) error {
	c, _, err := db.Accept(ctx, intake(session, n, "ask"))
	if err != nil {
		return err
	}
	say("accepted", n)
	if _, _, err = db.Claim(ctx, c.Lane, "child", c.Created); err != nil {
		return err
	}
	say("claimed", n)
	p := core.Progress{Chain: c.ID, Owner: "child", Step: &core.Step{N: 1}, Messages: []core.Message{{N: 1, Text: "answer"}}}
	if err := db.Append(ctx, p); err != nil {
		return err
	}
	say("appended", n)
	if err := db.Finish(ctx, core.Ending{Progress: core.Progress{Chain: c.ID, Owner: "child"}, Stop: core.EndTurn}); err != nil {
		return err
	}
	say("finished", n)
	return nil
}

// TestKilled kills a writing process at random moments: what it acknowledged is there, once, and the store opens again.
func TestKilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "jarvis.db")
	rng := rand.New(rand.NewPCG(3, 4))
	said := map[int]string{}
	for round := range 5 {
		cmd := child(t, "write", path)
		cmd.Env = append(cmd.Env, fmt.Sprint("BOLT_TEST_BASE=", round*1_000_000+1))
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		// Killed after a number of lines, not after a time: a slow machine tests as much.
		kill := 20 + rng.IntN(400)
		sc := bufio.NewScanner(out)
		for lines := 0; sc.Scan(); lines++ {
			what, num, _ := strings.Cut(sc.Text(), " ")
			n, err := strconv.Atoi(num)
			if err != nil {
				t.Fatalf("child says %q", sc.Text())
			}
			said[n] = what
			if lines == kill {
				_ = cmd.Process.Kill()
			}
		}
		_, _ = io.Copy(io.Discard, out)
		_ = cmd.Wait()
		verify(t, path, said)
	}
	if len(said) < 5*8 {
		t.Errorf("only %d chains were written: the test kills nothing", len(said))
	}
}

func verify(t *testing.T, path string, said map[int]string) {
	t.Helper()
	db := open(t, bolt.Options{Path: path})
	defer func() { _ = db.Close() }()
	if err := db.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	messages := map[core.MessageID]int{}
	for n, what := range said {
		c, err := db.Chain(t.Context(), cid(n))
		if err != nil {
			t.Fatalf("chain %d was %s and is gone: %v", n, what, err)
		}
		switch {
		case what == "finished" && c.State != core.Ended, what == "claimed" && c.State == core.Queued,
			what == "appended" && c.Iterations != 1:
			t.Errorf("chain %d was %s and is %s", n, what, c.State)
		}
		if messages[core.MessageID(c.ID+".0")] > 0 {
			continue
		}
		for p := (core.Page{Limit: 1000}); ; {
			ms, next, err := db.History(t.Context(), c.Session, p)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range ms {
				messages[m.ID]++
			}
			if p.After = next; next == "" {
				break
			}
		}
	}
	for n, what := range said {
		if got := messages[core.MessageID(fmt.Sprintf("%s.0", cid(n)))]; got != 1 {
			t.Errorf("the message of chain %d is there %d times", n, got)
		}
		if got := messages[core.MessageID(fmt.Sprintf("%s.1", cid(n)))]; (what == "appended" || what == "finished") && got != 1 {
			t.Errorf("the answer of chain %d, %s, is there %d times", n, what, got)
		}
	}
}

// fillDisk writes until the allowed file size is used up, then raises it and goes on. It exits 0 when all was as it should.
func fillDisk(path string) int {
	signal.Ignore(syscall.SIGXFSZ)
	ctx := context.Background()
	db, err := bolt.Open(ctx, bolt.Options{Path: path})
	if err != nil {
		return fail("open", err)
	}
	limit := func(n uint64) error {
		return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: n, Max: syscall.RLIM_INFINITY & (1<<63 - 1)})
	}
	if err := limit(512 << 10); err != nil {
		return fail("limit", err)
	}
	text := strings.Repeat("x", 20<<10)
	n := 1
	for ; n < 1000; n++ {
		if _, _, err = db.Accept(ctx, intake(n, n, text)); err != nil {
			break
		}
	}
	if core.CodeOf(err) != core.Internal || !strings.Contains(err.Error(), "disk is full") {
		return fail("accept on a full disk", err)
	}
	for refused := 0; refused < 3; { // it stays usable for readers; a write that fits into free pages may still go through
		_, _, err = db.Accept(ctx, intake(n, n, text))
		switch {
		case err == nil && n < 1000:
			n++
		case err == nil || !strings.Contains(err.Error(), "disk is full"):
			return fail("accept again", err)
		default:
			refused++
		}
		if _, err := db.Chain(ctx, cid(1)); err != nil {
			return fail("read", err)
		}
	}
	if _, err := db.Chain(ctx, cid(n)); core.CodeOf(err) != core.NotFound {
		return fail("the chain that was refused", err)
	}
	if err := limit(64 << 20); err != nil {
		return fail("limit", err)
	}
	for i := range 20 {
		if _, _, err := db.Accept(ctx, intake(n+i, n+i, text)); err != nil {
			return fail("accept with room again", err)
		}
	}
	if err := db.Check(ctx); err != nil {
		return fail("check", err)
	}
	if err := db.Close(); err != nil {
		return fail("close", err)
	}
	fmt.Println(n + 20)
	return 0
}

func fail(what string, err error) int {
	fmt.Fprintln(os.Stderr, "child:", what, err)
	return 1
}

func TestFullDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "jarvis.db")
	out, err := child(t, "full", path).Output()
	if err != nil {
		t.Fatalf("child: %v", err)
	}
	end, err := strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil || end < 22 {
		t.Fatalf("child says %q", out)
	}
	db := open(t, bolt.Options{Path: path})
	for n := 1; n < end; n++ {
		if _, err := db.Chain(t.Context(), cid(n)); err != nil {
			t.Errorf("chain %d of %d: %v", n, end, err)
		}
	}
}
