package bolt

import (
	"bytes"
	"slices"
	"testing"
	"time"
)

func FuzzKey(f *testing.F) {
	f.Add([]byte("a"), []byte("b"), []byte("a\x00"), []byte(""))
	f.Add([]byte{0}, []byte{0xff}, []byte{0, 0}, []byte{0, 0xff})
	f.Add([]byte{}, []byte{0}, []byte{0, 0xff}, []byte{0xff, 0})
	f.Fuzz(func(t *testing.T, a1, a2, b1, b2 []byte) {
		a, b := [][]byte{a1, a2}, [][]byte{b1, b2}
		ka, kb := key(a...), key(b...)
		if got, want := bytes.Compare(ka, kb), slices.CompareFunc(a, b, bytes.Compare); got != want {
			t.Errorf("%x and %x compare as %d, their parts as %d", ka, kb, got, want)
		}
		parts, err := splitKey(ka)
		if err != nil || !slices.EqualFunc(parts, a, bytes.Equal) {
			t.Errorf("round trip of %x gave %x, %v", a, parts, err)
		}
		if bytes.HasPrefix(ka, key(b1)) != bytes.Equal(a1, b1) {
			t.Errorf("prefix %x and key %x: a part reached into the next", key(b1), ka)
		}
		if bytes.HasPrefix(ka, appendPart(nil, b1)) && !bytes.HasPrefix(a1, b1) {
			t.Errorf("open prefix %x matches %x", appendPart(nil, b1), ka)
		}
	})
}

func FuzzSplitKey(f *testing.F) {
	f.Add([]byte("a\x00\x00"))
	f.Add([]byte("a\x00\x01"))
	f.Add([]byte{0})
	f.Fuzz(func(t *testing.T, k []byte) {
		parts, err := splitKey(k)
		if err == nil && !bytes.Equal(key(parts...), k) {
			t.Errorf("%x became %x", k, key(parts...))
		}
	})
}

func TestTimesSort(t *testing.T) {
	times := []time.Time{
		{},
		time.Unix(-1, 0), time.Unix(0, 0), time.Unix(0, 1), time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
		time.Date(2026, 1, 1, 0, 0, 0, 1, time.UTC), time.Date(3000, 1, 1, 0, 0, 0, 0, time.UTC),
	}
	for i := 1; i < len(times); i++ {
		a, b := times[i-1], times[i]
		if bytes.Compare(oldest(a), oldest(b)) >= 0 || bytes.Compare(newest(a), newest(b)) <= 0 {
			t.Errorf("%v and %v sort wrongly", a, b)
		}
		if got, err := fromNewest(newest(b)); err != nil || (b.Year() < 2262 && !got.Equal(b)) {
			t.Errorf("%v came back as %v, %v", b, got, err)
		}
	}
}

func TestAfter(t *testing.T) {
	for _, c := range []struct{ prefix, want []byte }{
		{[]byte("a"), []byte("b")},
		{[]byte{1, 0xff}, []byte{2}},
		{[]byte{0xff}, nil},
		{nil, nil},
	} {
		if got := after(c.prefix); !bytes.Equal(got, c.want) {
			t.Errorf("after(%x) = %x, want %x", c.prefix, got, c.want)
		}
	}
}
