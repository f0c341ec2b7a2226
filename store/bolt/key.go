package bolt

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"time"
)

// A composite key is its parts, each escaped (00 becomes 00 FF) and ended by 00 00. So keys sort as their parts do, one
// after the other, and no part can reach into the next one, whatever bytes it holds.

var errKey = errors.New("malformed key")

// key builds a composite key; the result is also the prefix of every key that continues with further parts.
func key(parts ...[]byte) []byte {
	n := 0
	for _, p := range parts {
		n += len(p) + bytes.Count(p, []byte{0}) + 2
	}
	k := make([]byte, 0, n)
	for _, p := range parts {
		k = append(appendPart(k, p), 0, 0)
	}
	return k
}

// appendPart appends a part without its end: the beginning of every part that starts with p.
func appendPart(k, p []byte) []byte {
	for _, c := range p {
		k = append(k, c)
		if c == 0 {
			k = append(k, 0xff)
		}
	}
	return k
}

// splitKey gives the parts of a composite key.
func splitKey(k []byte) ([][]byte, error) {
	var parts [][]byte
	part := []byte{}
	for i := 0; i < len(k); i++ {
		if k[i] != 0 {
			part = append(part, k[i])
			continue
		}
		i++
		if i == len(k) {
			return nil, errKey
		}
		switch k[i] {
		case 0xff:
			part = append(part, 0)
		case 0:
			parts = append(parts, part)
			part = []byte{}
		default:
			return nil, errKey
		}
	}
	if len(part) > 0 {
		return nil, errKey
	}
	return parts, nil
}

func str[S ~string](s S) []byte { return []byte(s) }

func u64[N ~int | ~int64 | ~uint64](n N) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)) }

func fromU64(part []byte) uint64 { return binary.BigEndian.Uint64(part) }

func u32(n uint32) []byte { return binary.BigEndian.AppendUint32(nil, n) }

// newest makes a part that sorts later times first, and oldest one that sorts earlier times first.
func newest(t time.Time) []byte { return u64(^ticks(t)) }
func oldest(t time.Time) []byte { return u64(ticks(t)) }

// ticks maps a time to a number that sorts as it does; what nanoseconds cannot hold is clamped to the ends.
func ticks(t time.Time) uint64 {
	var ns int64
	switch {
	case t.Year() < 1678:
		ns = math.MinInt64
	case t.Year() > 2261:
		ns = math.MaxInt64
	default:
		ns = t.UnixNano()
	}
	return uint64(ns) ^ 1<<63
}

// fromNewest is the time that newest made a part of.
func fromNewest(part []byte) (time.Time, error) {
	if len(part) != 8 {
		return time.Time{}, errKey
	}
	return time.Unix(0, int64(^binary.BigEndian.Uint64(part)^1<<63)), nil
}

// after is the first key that does not begin with prefix, nil when there is none.
func after(prefix []byte) []byte {
	end := bytes.Clone(prefix)
	for i := len(end) - 1; i >= 0; i-- {
		if end[i] < 0xff {
			end[i]++
			return end[:i+1]
		}
	}
	return nil
}
