package llm

import (
	"cmp"
	"slices"
	"strings"
)

// Nearest gives up to n of the names that a mistyped one could mean, the best first: those that hold it, then those within
// a third of its length in edits. The part before the slash does not count when the name has none.
func Nearest(name string, names []string, n int) []string {
	type scored struct {
		name string
		d    int
	}
	name = strings.ToLower(name)
	limit := max(2, len([]rune(name))/3)
	var found []scored
	for _, full := range names {
		cand := strings.ToLower(full)
		if !strings.Contains(name, "/") {
			_, cand, _ = cutLast(cand)
		}
		d := distance(name, cand, limit)
		if len(name) > 2 && strings.Contains(cand, name) {
			d = 0
		}
		if d <= limit {
			found = append(found, scored{full, d})
		}
	}
	slices.SortStableFunc(found, func(a, b scored) int {
		return cmp.Or(cmp.Compare(a.d, b.d), cmp.Compare(len(a.name), len(b.name)), cmp.Compare(a.name, b.name))
	})
	var out []string
	for _, f := range found {
		if len(out) < n && !slices.Contains(out, f.name) {
			out = append(out, f.name)
		}
	}
	return out
}

func cutLast(s string) (before, after string, found bool) {
	if i := strings.LastIndexByte(s, '/'); i >= 0 {
		return s[:i], s[i+1:], true
	}
	return "", s, false
}

// distance is the Levenshtein distance, or anything above limit when it is above limit.
func distance(a, b string, limit int) int {
	x, y := []rune(a), []rune(b)
	if len(x)-len(y) > limit || len(y)-len(x) > limit {
		return limit + 1
	}
	prev := make([]int, len(y)+1)
	for j := range prev {
		prev[j] = j
	}
	cur := make([]int, len(y)+1)
	for i := range x {
		cur[0] = i + 1
		for j := range y {
			cost := 1
			if x[i] == y[j] {
				cost = 0
			}
			cur[j+1] = min(prev[j]+cost, prev[j+1]+1, cur[j]+1)
		}
		prev, cur = cur, prev
	}
	return prev[len(y)]
}
