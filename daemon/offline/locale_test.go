package offline

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strconv"
	"strings"
	"testing"

	"jarvis/daemon/config"
	"jarvis/daemon/locale"
)

// TestGermanIsWhole holds that every sentence given to t and tf has a German one with the same verbs, and that none is left over.
func TestGermanIsWhole(t *testing.T) {
	used := map[string]bool{}
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), f.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) == 0 {
				return true
			}
			sel, ok := call.Fun.(*ast.SelectorExpr)
			if ok && (sel.Sel.Name == "t" || sel.Sel.Name == "tf") {
				if s, ok := literal(call.Args[0]); ok {
					used[s] = true
				}
			}
			return true
		})
	}
	for _, m := range messagesDE.Mismatches() {
		t.Error(m)
	}
	for s := range used {
		_, own := messagesDE[s]
		_, common := locale.Common[s]
		if !own && !common {
			t.Errorf("no German for %q", s)
		}
	}
	for s := range messagesDE {
		if !used[s] {
			t.Errorf("German for a sentence that nobody says: %q", s)
		}
	}
}

func literal(e ast.Expr) (string, bool) {
	switch x := e.(type) {
	case *ast.BasicLit:
		s, err := strconv.Unquote(x.Value)
		return s, err == nil
	case *ast.BinaryExpr:
		a, ok := literal(x.X)
		b, ok2 := literal(x.Y)
		return a + b, ok && ok2
	}
	return "", false
}

func TestLocale(t *testing.T) {
	tests := []struct {
		env  config.Env
		want string
	}{
		{nil, "Try:"},
		{config.Env{"LANG=de_DE.UTF-8"}, "Nächster Schritt:"},
		{config.Env{"LANG=de-DE"}, "Nächster Schritt:"},
		{config.Env{"LANG=de"}, "Nächster Schritt:"},
		{config.Env{"LANG=de_DE.UTF-8", "LC_ALL=C"}, "Try:"},
		{config.Env{"LANG=en_US.UTF-8", "LC_MESSAGES=de_AT.UTF-8"}, "Nächster Schritt:"},
		{config.Env{"LANG=dek_XX"}, "Try:"},
	}
	for _, tt := range tests {
		if got := (&App{Env: tt.env}).t("Try:"); got != tt.want {
			t.Errorf("%v: got %q, want %q", tt.env, got, tt.want)
		}
	}
}

func TestHelpIsGerman(t *testing.T) {
	var out strings.Builder
	a := &App{Out: &out, Err: &out, Env: config.Env{"LANG=de"}}
	if code := a.Main(t.Context(), []string{"config", "show", "--help"}); code != 0 || !strings.Contains(out.String(), "\nAufruf:\n") || strings.Contains(out.String(), "Flags") {
		t.Errorf("exit %d:\n%s", code, out.String())
	}
}
