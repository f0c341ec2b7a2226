// Command jarvis-model runs one local model for the jarvis daemon, which starts, speaks to and ends it.
package main

import (
	"os"

	"jarvis/core/llm/local/llama"
)

func main() { os.Exit(llama.Main()) }
