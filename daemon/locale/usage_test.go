package locale

import "testing"

const english = `Usage:
  jarvis model [command]

Available Commands:
  completion  Generate the autocompletion script for the specified shell
  bash        Generate the autocompletion script for bash
  help        Help about any command

Flags:
  -h, --help        help for model
  -n, --number int  how many (default 100)

Use "jarvis model [command] --help" for more information about a command.
`

const deutsch = `Aufruf:
  jarvis model [Befehl]

Befehle:
  completion  Die Vervollständigung für eine Shell ausgeben
  bash        Die Vervollständigung für bash ausgeben
  help        Hilfe zu jedem Befehl

Schalter:
  -h, --help        diese Hilfe
  -n, --number int  how many (Vorgabe 100)

Mehr zu einem Befehl: jarvis model [Befehl] --help
`

func TestUsage(t *testing.T) {
	if got := Usage("de", english); got != deutsch {
		t.Errorf("got\n%s", got)
	}
	if got := Usage("", english); got != english {
		t.Errorf("English is not left alone:\n%s", got)
	}
}
