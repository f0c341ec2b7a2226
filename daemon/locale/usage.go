package locale

import (
	"regexp"
	"strings"
)

// usageLines are whole lines of the help's frame, which comes from the library that parses command lines.
var usageLines = map[string]string{
	"Usage:":                  "Aufruf:",
	"Aliases:":                "Andere Namen:",
	"Examples:":               "Beispiele:",
	"Available Commands:":     "Befehle:",
	"Additional Commands:":    "Weitere Befehle:",
	"Flags:":                  "Schalter:",
	"Global Flags:":           "Schalter für alle Befehle:",
	"Additional help topics:": "Weitere Hilfe:",
}

// usageEnds are what its lines end with. They are compiled when a help is asked for, not at each start of a short command.
var usageEnds = [][2]string{
	{`^(  .*)\[command\]( \[flags\])?$`, "$1[Befehl]$2"},
	{`^(  .*)\[flags\]$`, "$1[Schalter]"},
	{`^(  +-h, --help +)help for .*$`, "${1}diese Hilfe"},
	{`^(  +.*--.*)\(default (.*)\)$`, "$1(Vorgabe $2)"},
	{`^(  help +)Help about any command$`, "${1}Hilfe zu jedem Befehl"},
	{`^(  completion +)Generate the autocompletion script for the specified shell$`, "${1}Die Vervollständigung für eine Shell ausgeben"},
	{`^(  (?:bash|zsh|fish|powershell) +)Generate the autocompletion script for (.*)$`, "${1}Die Vervollständigung für $2 ausgeben"},
	{`^Use "(.*) \[command\] --help" for more information about a command\.$`, "Mehr zu einem Befehl: $1 [Befehl] --help"},
}

// Usage is a command's usage text in a language. Only the frame is translated, the rest of the text has its sentences already.
func Usage(lang, text string) string {
	if lang != "de" {
		return text
	}
	ends := make([]*regexp.Regexp, len(usageEnds))
	for i, e := range usageEnds {
		ends[i] = regexp.MustCompile(e[0])
	}
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if g, ok := usageLines[l]; ok {
			lines[i] = g
			continue
		}
		for i, e := range ends {
			l = e.ReplaceAllString(l, usageEnds[i][1])
		}
		lines[i] = l
	}
	return strings.Join(lines, "\n")
}
