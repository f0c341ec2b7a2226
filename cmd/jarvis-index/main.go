// Command jarvis-index keeps the full-text index for the jarvis daemon, which starts, speaks to and ends it.
package main

import (
	"os"

	"jarvis/store/index/engine"
)

func main() { os.Exit(engine.Main()) }
