// Command jarvis is the command people type: a thin client of the daemon. It may link no renderer, model SDK or store.
package main

import (
	"os"

	"jarvis/cmd/cli"
)

func main() { os.Exit(cli.Main()) }
