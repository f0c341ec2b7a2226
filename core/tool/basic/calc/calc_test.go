package calc

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func TestCalculate(t *testing.T) {
	for _, c := range []struct{ lang, in, want string }{
		{"en", "17% of 2,400", "17% of 2400 = 408"},
		{"de", "17% von 2.400", "17% of 2400 = 408"},
		{"de", "17% von 2,400", "17% of 2.4 = 0.408"},
		{"en", "20% off 80", "20% off 80 = 64"},
		{"en", "80 plus 5%", "80 + 5% = 84"},
		{"en", "80 - 5%", "80 - 5% = 76"},
		{"en", "5% + 3%", "5% + 3% = 8%"},
		{"en", "20/80 in %", "20 / 80 in % = 25%"},
		{"en", "17 % 5", "17 mod 5 = 2"},
		{"en", "-7 mod 3", "-7 mod 3 = 2"},
		{"en", "0.1 + 0.2", "0.1 + 0.2 = 0.3"},
		{"en", "1/3", "1 / 3 ≈ 0.333333333333"},
		{"en", "2/3 * 3", "2 / 3 * 3 = 2"},
		{"en", "2^100", "2^100 = 1267650600228229401496703205376"},
		{"en", "2**-2", "2^-2 = 0.25"},
		{"en", "-2^2", "-2^2 = -4"},
		{"en", "(1+2)*3", "(1 + 2) * 3 = 9"},
		{"en", "2^3^2", "2^3^2 = 512"},
		{"en", "10 - (3 - 2)", "10 - (3 - 2) = 9"},
		{"en", "10!", "10! = 3628800"},
		{"en", "sqrt(16)", "sqrt(16) = 4"},
		{"en", "sqrt(2)", "sqrt(2) ≈ 1.41421356237"},
		{"en", "square root of 144", "sqrt(144) = 12"},
		{"de", "Wurzel aus 144", "sqrt(144) = 12"},
		{"en", "8^(1/3)", "8^(1 / 3) = 2"},
		{"en", "round(3.14159; 2)", "round(3.14159; 2) = 3.14"},
		{"en", "avg(1, 2, 6)", "avg(1; 2; 6) = 3"},
		{"en", "five times seven", "5 * 7 = 35"},
		{"en", "two hundred and five plus twenty-five", "205 + 25 = 230"},
		{"de", "zwölf mal elf", "12 * 11 = 132"},
		{"de", "zweihundertfünfzig geteilt durch fünf", "250 / 5 = 50"},
		{"de", "dreitausendzweihundert minus einundzwanzig", "3200 - 21 = 3179"},
		{"en", "half of 30", "0.5 of 30 = 15"},
		{"de", "ein Drittel von 90", "1 / 3 of 90 = 30"},
		{"en", "three quarters of 80", "0.75 of 80 = 60"},
		{"en", "2.5 million / 4", "2500000 / 4 = 625000"},
		{"de", "2,5 Milliarden / 4", "2500000000 / 4 = 625000000"},
		{"en", "5 km in miles", "5 km in mi ≈ 3.10685596119 mi"},
		{"en", "100 F to C", "100 °F in °C ≈ 37.7777777778 °C"},
		{"en", "-40 C to F", "-40 °C in °F = -40 °F"},
		{"en", "20 degrees Celsius in Fahrenheit", "20 °C in °F = 68 °F"},
		{"de", "20 Grad in Fahrenheit", "20° in °F = 68 °F"},
		{"en", "2 h 30 min in minutes", "2 h 30 min in min = 150 min"},
		{"de", "2 Stunden und 30 Minuten in Minuten", "2 h 30 min in min = 150 min"},
		{"en", "5 ft 11 in in cm", "5 ft 11 inch in cm = 180.34 cm"},
		{"en", "5'11\" in cm", "5 ft 11 inch in cm = 180.34 cm"},
		{"en", "10 in to cm", "10 inch in cm = 25.4 cm"},
		{"en", "1 GiB in MB", "1 GiB in MB = 1073.741824 MB"},
		{"en", "100 km/h in mph", "100 km/h in mph ≈ 62.1371192237 mph"},
		{"en", "100 kilometers per hour in m/s", "100 km/h in m/s ≈ 27.7777777778 m/s"},
		{"de", "3 Quadratmeter in Quadratzentimeter", "3 m² in cm² = 30000 cm²"},
		{"en", "2 square feet in m^2", "2 ft² in m² = 0.18580608 m²"},
		{"en", "3 m2 in cm2", "3 m² in cm² = 30000 cm²"},
		{"en", "5 km + 300 m", "5 km + 300 m = 5.3 km"},
		{"en", "100 km / 2 h", "100 km / 2 h = 50 km/h"},
		{"en", "60 km/h * 2 h", "60 km/h * 2 h = 120 km"},
		{"en", "20% off $80", "20% off 80 $ = 64 $"},
		{"en", "half an hour in minutes", "0.5 h in min = 30 min"},
		{"de", "eine halbe Stunde in Minuten", "0.5 h in min = 30 min"},
		{"en", "1 atm in hPa", "1 atm in hPa = 1013.25 hPa"},
		{"en", "180 degrees in rad", "180° in rad ≈ 3.14159265359 rad"},
		{"en", "1 gallon in liters", "1 gal in l = 3.785411784 l"},
		{"de", "10 Pfund in kg", "10 Pfund in kg = 5 kg"},
		{"en", "sin(30 degrees)", "sin(30°) ≈ 0.5"},
		{"en", "3.1415 km in m", "3.1415 km in m = 3141.5 m"},
		{"en", "½ + ¼", "0.5 + 0.25 = 0.75"},
		{"en", "1e3 * 2", "1000 * 2 = 2000"},
	} {
		got, err := Calculate(c.in, c.lang)
		if err != nil || got != c.want {
			t.Errorf("%s %q = %q, %v, want %q", c.lang, c.in, got, err, c.want)
			continue
		}
		// The form without language is what a tool call carries: it must mean the same whoever reads it.
		canon, _, _ := strings.Cut(strings.ReplaceAll(got, " ≈ ", " = "), " = ")
		for _, lang := range []string{"en", "de"} {
			if again, err := Calculate(canon, lang); err != nil || again != got {
				t.Errorf("%q read again in %s: %q, %v", canon, lang, again, err)
			}
		}
	}
}

func TestNumbersByLanguage(t *testing.T) {
	for _, c := range []struct{ in, en, de string }{
		{"2,400", "2400", "2.4"},
		{"2.400", "2.4", "2400"},
		{"1,234,567", "1234567", "1234567"},
		{"1.234.567", "1234567", "1234567"},
		{"1,234.5", "1234.5", "1234.5"},
		{"1.234,5", "1234.5", "1234.5"},
		{"2,5", "2.5", "2.5"},
		{"0.125", "0.125", "0.125"},
		{"0,125", "0.125", "0.125"},
		{"3.125", "3.1250", "3125"},
		{"1234.567", "1234.567", "1234.567"},
		{"12'000", "12000", "12000"},
	} {
		for lang, want := range map[string]string{"en": c.en, "de": c.de} {
			e, err := Parse(c.in, lang)
			if err != nil {
				t.Errorf("%s %q: %v", lang, c.in, err)
				continue
			}
			if got := e.Text(""); got != want {
				t.Errorf("%s %q = %s, want %s", lang, c.in, got, want)
			}
		}
	}
}

func TestHostileInput(t *testing.T) {
	start := time.Now()
	for _, c := range []struct {
		in   string
		want error // nil: any error
	}{
		{"9^9^9", ErrLarge},
		{"9^9^9^9^9", ErrLarge},
		{"(10^10000)^1000", ErrLarge},
		{"100000!", ErrLarge},
		{"1e999999999", ErrLarge},
		{"2^(-10^9)", ErrLarge},
		{strings.Repeat("(", 500) + "1" + strings.Repeat(")", 500), ErrSyntax},
		{strings.Repeat("-", 900) + "1", ErrSyntax},
		{strings.Repeat("9", 5000), ErrSyntax},
		{strings.Repeat("1+", 499) + "1", ErrSyntax},
		{"", ErrSyntax},
		{"1/0", nil},
		{"5 mod 0", nil},
		{"0^-1", nil},
		{"sqrt(-1)", nil},
		{"(-8)^0.5", nil},
		{"ln(0)", ErrLarge},
		{"ln(-1)", nil},
		{"tan(90 degrees)", nil},
		{"5 km + 3 kg", nil},
		{"5 km in kg", nil},
		{"5 € in $", nil},
		{"5 km + 3", nil},
		{"1.2.3", ErrSyntax},
		{"1 2", ErrSyntax},
		{"10:30", ErrSyntax},
		{"hello", ErrSyntax},
		{"2 +", ErrSyntax},
		{"\xff\xfe", ErrSyntax},
		{"1; 2", ErrSyntax},
	} {
		got, err := Calculate(c.in, "en")
		if err == nil || c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%.40q = %.40q, %v, want error %v", c.in, got, err, c.want)
		}
	}
	if d := time.Since(start); d > 2*time.Second {
		t.Errorf("hostile input took %v", d)
	}
}

func TestFormatByLanguage(t *testing.T) {
	for _, c := range []struct{ in, lang, want string }{
		{"1000 * 1234.5", "en", "1,234,500"},
		{"1000,5 * 2", "de", "2.001"},
		{"1/3", "de", "0,333333333333"},
		{"20/80 in %", "de", "25 %"},
		{"100! * 1", "en", ""},
		{"10^30/7", "en", "1.42857142857e29"},
	} {
		e, err := Parse(c.in, c.lang)
		if err != nil {
			t.Fatal(err)
		}
		v, err := e.Eval()
		if err != nil {
			t.Fatal(err)
		}
		if _, got := v.Format(c.lang); c.want != "" && got != c.want {
			t.Errorf("%s in %s = %s, want %s", c.in, c.lang, got, c.want)
		}
	}
}

func FuzzCalculate(f *testing.F) {
	for _, s := range []string{"17% of 2,400", "5 ft 11 in in cm", "2^3^2", "sqrt(2)!", "1/3 km", "zwölf mal 3", "-40 C to F", "(((", "9^9^9", "1e5", "½", "m²", "round(1;2)", "3 km1/3 km", "2 1/2 cups in ml"} {
		f.Add(s, true)
		f.Add(s, false)
	}
	f.Fuzz(func(t *testing.T, s string, german bool) {
		lang := map[bool]string{true: "de", false: "en"}[german]
		e, err := Parse(s, lang)
		if err != nil {
			return
		}
		v, err := e.Eval()
		if err != nil {
			return
		}
		sign, text := v.Format("")
		// What is printed must mean the same to everyone.
		for _, l := range []string{"en", "de"} {
			again, err := Parse(e.Text(""), l)
			if err != nil {
				if len(e.Text("")) > MaxInput {
					return
				}
				t.Fatalf("%q prints as %q, which %s cannot read: %v", s, e.Text(""), l, err)
			}
			w, err := again.Eval()
			if err != nil {
				t.Fatalf("%q prints as %q: %v", s, e.Text(""), err)
			}
			if s2, t2 := w.Format(""); strings.ContainsRune(e.Text(""), 'e') == false && (s2 != sign || t2 != text) {
				t.Fatalf("%q = %s %s, but printed %q = %s %s", s, sign, text, e.Text(""), s2, t2)
			}
		}
	})
}
