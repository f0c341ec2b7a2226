package bolt

import (
	"context"
	"fmt"
	"strings"
	"testing"

	bbolt "go.etcd.io/bbolt"

	"jarvis/core"
)

// TestAPageOfLargeMessagesEndsEarlier: a page must fit into the memory of whoever reads it, and the cursor goes on behind it.
func TestAPageOfLargeMessagesEndsEarlier(t *testing.T) {
	d := openT(t, Options{})
	in := intakeOf("s", "c1")
	sizes := []int{10, pageBytes / 2, pageBytes / 3, pageBytes / 2, 2 * pageBytes, 10, 10, pageBytes + 1}
	var ms []core.Message
	for i, n := range sizes {
		ms = append(ms, core.Message{N: uint32(i + 1), Type: core.TypeText, Text: strings.Repeat("x", n)})
	}
	run(t, d, in, ms...)
	for _, backward := range []bool{false, true} {
		var got []string // numbers of the messages of each page
		for p := (core.Page{Backward: backward}); ; {
			page, next, err := d.History(t.Context(), "s", p)
			if err != nil || len(page) == 0 {
				t.Fatalf("%v, %d messages", err, len(page))
			}
			ns, size := "", 0
			for _, m := range page {
				ns += fmt.Sprint(m.N)
				size += len(m.Text)
			}
			if size > pageBytes && len(page) > 1 {
				t.Errorf("a page of %d bytes", size)
			}
			got = append(got, ns)
			if p.After = next; next == "" {
				break
			}
		}
		want := "0123 4 5 67 8"
		if backward {
			want = "8 67 5 34 012" // what fits differs from the other end
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("backward %v: pages %q, want %q", backward, s, want)
		}
	}
}

// TestADamagedOpenChainHidesNoOther: recovery must find the rest.
func TestADamagedOpenChainHidesNoOther(t *testing.T) {
	for _, bucket := range []string{bChain, bOpen} {
		d := openT(t, Options{})
		for i := range 3 {
			if _, _, err := d.Accept(t.Context(), intakeOf(fmt.Sprint("s", i), fmt.Sprint("c", i))); err != nil {
				t.Fatal(err)
			}
		}
		err := d.b.Update(func(bt *bbolt.Tx) error {
			return bt.Bucket([]byte(bucket)).Put(key(str("c1")), []byte("no record of ours"))
		})
		if err != nil {
			t.Fatal(err)
		}
		good, bad := "", ""
		for c, err := range d.Unfinished(t.Context(), "me") {
			if err != nil {
				if core.CodeOf(err) != core.StoreDamaged {
					t.Errorf("%s: %v", bucket, err)
				}
				bad += string(c.ID)
				continue
			}
			good += string(c.ID)
		}
		if good != "c0c2" || bad != "c1" {
			t.Errorf("%s: found %q, damaged %q", bucket, good, bad)
		}
	}
	// What is no single chain's fault is the end, without an id.
	d := openT(t, Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for c, err := range d.Unfinished(ctx, "me") {
		if c.ID != "" || err == nil {
			t.Errorf("%v, %v", c.ID, err)
		}
	}
}
