// Package zone finds a time zone by what people call it: an IANA name, a city or country in English or German, or an offset
// from UTC. It is a leaf and holds no state.
package zone

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // a fresh machine may have no zone files
)

// ErrUnknown marks a name that no zone is known by.
var ErrUnknown = errors.New("unknown time zone")

// maxName bounds what is looked at.
const maxName = 60

var offset = regexp.MustCompile(`^(?:utc|gmt|z)?\s*([+\-−])\s*(\d{1,2})(?::?(\d{2}))?$`)

// Find gives the zone of a name. Its String is the IANA name, or "UTC+02:00" for an offset.
func Find(name string) (*time.Location, error) {
	name = strings.TrimSpace(name)
	if len(name) > maxName || name == "" {
		return nil, ErrUnknown
	}
	key := Fold(name)
	if m := offset.FindStringSubmatch(strings.ToLower(name)); m != nil {
		return fixed(m[1], m[2], m[3])
	}
	if iana, ok := places()[key]; ok {
		return load(iana)
	}
	if head, _, ok := strings.Cut(key, ","); ok { // Auckland, New Zealand
		if iana, ok := places()[strings.TrimSpace(head)]; ok {
			return load(iana)
		}
	}
	if strings.Contains(name, "/") {
		return load(canonical(name))
	}
	return nil, ErrUnknown
}

// Fold makes names comparable: lower case, without accents and hyphens.
func Fold(s string) string {
	s = strings.ToLower(s)
	s = folder.Replace(s)
	return strings.Join(strings.Fields(s), " ")
}

var folder = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss", "ã", "a", "á", "a", "à", "a", "â", "a", "é", "e", "è", "e", "ê", "e",
	"í", "i", "ó", "o", "ô", "o", "õ", "o", "ú", "u", "ñ", "n", "ç", "c", "ø", "o", "å", "a", "ł", "l", "ś", "s", "ń", "n", "ž", "z", "š", "s", "č", "c", "-", " ", ".", "", "’", "", "'", "")

func fixed(sign, hours, minutes string) (*time.Location, error) {
	h, _ := strconv.Atoi(hours)
	m, _ := strconv.Atoi(minutes)
	if h > 14 || m > 59 {
		return nil, ErrUnknown
	}
	if sign == "+" {
		return time.FixedZone(fmt.Sprintf("UTC+%02d:%02d", h, m), h*3600+m*60), nil
	}
	return time.FixedZone(fmt.Sprintf("UTC-%02d:%02d", h, m), -h*3600-m*60), nil
}

func load(iana string) (*time.Location, error) {
	l, err := time.LoadLocation(iana)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	return l, nil
}

// canonical writes europe/berlin as Europe/Berlin.
func canonical(name string) string {
	if len(name) > 0 && strings.ToUpper(name) == name && !strings.Contains(name, "/") {
		return name
	}
	b := []byte(strings.ToLower(strings.ReplaceAll(name, " ", "_")))
	for i := range b {
		if (i == 0 || b[i-1] == '/' || b[i-1] == '_' || b[i-1] == '-') && b[i] >= 'a' && b[i] <= 'z' {
			b[i] -= 'a' - 'A'
		}
	}
	return strings.NewReplacer("_Of_", "_of_", "_Es_", "_es_", "Etc/Utc", "Etc/UTC", "Etc/Gmt", "Etc/GMT", "Us/", "US/", "Port-Au-Prince", "Port-au-Prince", "Dumontdurville", "DumontDUrville").Replace(string(b))
}
