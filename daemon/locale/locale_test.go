package locale

import (
	"strings"
	"testing"
	"unicode"
)

func env(list ...string) func(string) string {
	return func(name string) string {
		for _, e := range list {
			if v, ok := strings.CutPrefix(e, name+"="); ok {
				return v
			}
		}
		return ""
	}
}

func TestLang(t *testing.T) {
	for _, tt := range []struct {
		env  []string
		want string
	}{
		{nil, ""},
		{[]string{"LANG=de_DE.UTF-8"}, "de"},
		{[]string{"LANG=de"}, "de"},
		{[]string{"LANG=de-DE"}, "de"},
		{[]string{"LANG=DE_AT@euro"}, "de"},
		{[]string{"LANG=de.UTF-8"}, "de"},
		{[]string{"LANG=de_DE.UTF-8", "LC_ALL=C"}, ""},
		{[]string{"LANG=de_DE.UTF-8", "LC_ALL=C.UTF-8"}, ""},
		{[]string{"LANG=de_DE.UTF-8", "LC_MESSAGES=POSIX"}, ""},
		{[]string{"LANG=en_US.UTF-8", "LC_MESSAGES=de_AT.UTF-8"}, "de"},
		{[]string{"LANG=dek_XX"}, "dek"},
		{[]string{"LANG=fr_FR.UTF-8"}, "fr"},
		{[]string{"LANG=../../etc"}, ""},
		{[]string{"LANG=d\x1b"}, ""},
	} {
		if got := Lang(env(tt.env...)); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.env, got, tt.want)
		}
	}
}

func TestZone(t *testing.T) {
	for tz, want := range map[string]string{
		"Europe/Berlin":                     "Europe/Berlin",
		":Asia/Tokyo":                       "Asia/Tokyo",
		"/usr/share/zoneinfo/Europe/Vienna": "Europe/Vienna",
	} {
		if got := Zone(env("TZ=" + tz)); got != want {
			t.Errorf("TZ=%s: %q, want %q", tz, got, want)
		}
	}
}

func TestTranslationsHaveTheirVerbs(t *testing.T) {
	for _, table := range []Table{Common, errorSentences} {
		for _, m := range table.Mismatches() {
			t.Error(m)
		}
	}
	if got := (Table{"%s of %d": "%d von %s", "%q": "%q", "%.1f s": "%.2f s"}).Mismatches(); len(got) != 2 {
		t.Errorf("mismatches %q", got)
	}
}

func TestOf(t *testing.T) {
	own := Table{"Hello, %s": "Hallo, %s", "Try:": "Probier:"}
	for _, tt := range []struct{ lang, want string }{{"de", "Hallo, 100%"}, {"en", "Hello, 100%"}, {"", "Hello, 100%"}} {
		if got := own.Of(tt.lang, "Hello, %s", "100%"); got != tt.want {
			t.Errorf("%s: %q", tt.lang, got)
		}
	}
	if own.Of("de", "Try:") != "Probier:" || own.Of("de", "Warning:") != "Warnung:" || own.Of("de", "50% of it") != "50% of it" {
		t.Error("a table goes before Common, and a sentence without arguments is no format")
	}
}

func TestTryCountsLetters(t *testing.T) {
	got := Try("Nächster Schritt:", "one\ntwo")
	if len(got) != 2 || got[0] != "Nächster Schritt: one" || got[1] != strings.Repeat(" ", 18)+"two" {
		t.Errorf("%q", got)
	}
}

func TestMessage(t *testing.T) {
	for _, tt := range []struct{ lang, in, want string }{
		{"de", "the daemon is not running", "der Dienst läuft nicht"},
		{"de", "there is no session 3fa9c1", "es gibt kein Gespräch 3fa9c1"},
		{"de", "anthropic: 429 slow down", "anthropic: 429 slow down"},
		{"", "the daemon is not running", "the daemon is not running"},
	} {
		if got := Message(tt.lang, tt.in); got != tt.want {
			t.Errorf("%s %q: %q", tt.lang, tt.in, got)
		}
	}
}

func FuzzLang(f *testing.F) {
	f.Add("de_DE.UTF-8")
	f.Add("\x00")
	f.Fuzz(func(t *testing.T, v string) {
		got := Lang(env("LC_ALL=" + v))
		if len(got) > 3 || strings.IndexFunc(got, func(r rune) bool { return r > unicode.MaxASCII || !unicode.IsLower(r) }) >= 0 {
			t.Errorf("%q gives %q", v, got)
		}
	})
}
