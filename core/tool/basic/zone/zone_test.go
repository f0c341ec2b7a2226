package zone

import (
	"strings"
	"testing"
	"time"
)

func TestFind(t *testing.T) {
	for name, want := range map[string]string{
		"Tokyo": "Asia/Tokyo", "tokio": "Asia/Tokyo", "São Paulo": "America/Sao_Paulo", "sao paulo": "America/Sao_Paulo",
		"München": "Europe/Berlin", "muenchen": "Europe/Berlin", "Zürich": "Europe/Zurich", "New York": "America/New_York",
		"Auckland, New Zealand": "Pacific/Auckland", "india": "Asia/Kolkata", "UTC": "UTC", "gmt": "Etc/GMT",
		"europe/helsinki": "Europe/Helsinki", "America/Denver": "America/Denver", "america/argentina/buenos aires": "America/Argentina/Buenos_Aires",
		"UTC+2": "UTC+02:00", "gmt-5": "UTC-05:00", "+05:30": "UTC+05:30", "utc +0530": "UTC+05:30", "Peking": "Asia/Shanghai",
	} {
		l, err := Find(name)
		if err != nil || l.String() != want {
			t.Errorf("%q = %v, %v, want %s", name, l, err, want)
		}
	}
	for _, name := range []string{"", "Atlantis", "../etc/passwd", "Europe/Nowhere", "UTC+25", "utc+3:99", "a/b/c/d", string(make([]byte, 5000))} {
		if l, err := Find(name); err == nil {
			t.Errorf("%.20q = %v, want an error", name, l)
		}
	}
}

func TestEveryPlaceLoads(t *testing.T) {
	for name, iana := range places() {
		if _, err := time.LoadLocation(iana); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzFind(f *testing.F) {
	for _, s := range []string{"Tokyo", "UTC+2", "europe/berlin", "../x", "+99"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if l, err := Find(s); (l == nil) == (err == nil) {
			t.Errorf("%q = %v, %v", s, l, err)
		}
	})
}

func TestNoPlaceTwice(t *testing.T) {
	seen := map[string]string{}
	for line := range strings.SplitSeq(strings.TrimSpace(placeList), "\n") {
		iana, names, _ := strings.Cut(line, ":")
		for n := range strings.SplitSeq(names, ",") {
			if n = Fold(n); n == "" {
				continue
			}
			if other, ok := seen[n]; ok && other != iana {
				t.Errorf("%q is in %s and in %s", n, other, iana)
			}
			seen[n] = iana
		}
	}
}
