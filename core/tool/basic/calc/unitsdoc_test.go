package calc

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write UNITS.md anew")

// unitsDoc lists the units by kind with their names.
func unitsDoc() []byte {
	var b strings.Builder
	b.WriteString("# The units of calculate\n\nGenerated from the table by `go test ./core/tool/basic/calc -run TestUnitsDoc -update`; a test fails when it is stale. Do not edit.\n")
	for _, k := range table {
		if k.kind != "" {
			b.WriteString("\n## " + k.kind + "\n\n")
		}
		for _, r := range k.rows {
			b.WriteString("- " + r.label + ": " + strings.ReplaceAll(r.names, ",", ", ") + "\n")
		}
	}
	return []byte(b.String())
}

func TestUnitsDoc(t *testing.T) {
	got := unitsDoc()
	if *update {
		if err := os.WriteFile("UNITS.md", got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("UNITS.md")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, bytes.ReplaceAll(want, []byte("\r\n"), []byte("\n"))) {
		t.Error("UNITS.md is stale: go test ./core/tool/basic/calc -run TestUnitsDoc -update")
	}
}
