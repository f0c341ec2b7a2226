package config

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"jarvis/core"
)

// maxPath bounds a typed path, in bytes.
const maxPath = 1024

var plainKey = regexp.MustCompile(`^[^."\s\x00-\x1f]+$`)

// ParsePath splits a.b."c.d".0 into its keys; a key with a dot, a quote or a space stands in double quotes.
func ParsePath(s string) ([]string, error) {
	bad := func() ([]string, error) {
		return nil, core.E(core.BadRequest, fmt.Sprintf("%.100q is not a path such as log.level or aliases.\"my.model\"", s), "jarvis config show", nil)
	}
	if s == "" || len(s) > maxPath || !utf8.ValidString(s) {
		return bad()
	}
	var keys []string
	for rest := s; ; {
		key, after := "", ""
		if strings.HasPrefix(rest, `"`) {
			quoted, err := strconv.QuotedPrefix(rest)
			if err != nil {
				return bad()
			}
			if key, err = strconv.Unquote(quoted); err != nil || key == "" {
				return bad()
			}
			after = rest[len(quoted):]
		} else {
			end := strings.IndexByte(rest, '.')
			if end < 0 {
				end = len(rest)
			}
			if key, after = rest[:end], rest[end:]; !plainKey.MatchString(key) {
				return bad()
			}
		}
		keys = append(keys, key)
		if after == "" {
			return keys, nil
		}
		if after[0] != '.' || len(after) == 1 {
			return bad()
		}
		rest = after[1:]
	}
}

// JoinPath is ParsePath's other direction.
func JoinPath(keys ...string) string {
	var b strings.Builder
	for i, k := range keys {
		if i > 0 {
			b.WriteByte('.')
		}
		if plainKey.MatchString(k) {
			b.WriteString(k)
		} else {
			b.WriteString(strconv.Quote(k))
		}
	}
	return b.String()
}

func child(path, key string) string {
	if path == "" {
		return JoinPath(key)
	}
	return path + "." + JoinPath(key)
}

// nearest gives the candidate most like s, "" when none is near.
func nearest(s string, candidates []string) string {
	best, bestD := "", min(len(s)/2+2, max(3, len(s)/3+1)) // what is further off is a guess
	for _, c := range candidates {
		d := distance(strings.ToLower(s), strings.ToLower(c))
		if strings.HasPrefix(c, s) || strings.HasSuffix(c, s) || len(c) > 2 && strings.HasPrefix(s, c) {
			d = min(d, 2)
		}
		if d < bestD {
			best, bestD = c, d
		}
	}
	return best
}

// distance is how many letters must change, be added, dropped or swapped to make b of a.
func distance(a, b string) int {
	if len(a) > 64 || len(b) > 64 {
		return max(len(a), len(b))
	}
	rows := [3][]int{make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)}
	for j := range rows[1] {
		rows[1][j] = j
	}
	for i := 1; i <= len(a); i++ {
		prev2, prev, cur := rows[(i-1)%3], rows[i%3], rows[(i+1)%3]
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], prev2[j-2]+1)
			}
		}
	}
	return rows[(len(a)+1)%3][len(b)]
}
