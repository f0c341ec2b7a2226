// Command jarvis-tui is the screen: the conversation, and `render`, the filter that ask writes through on a terminal. It is a
// client of the daemon and may link no store, service or native code.
package main

import (
	"os"

	"jarvis/tui"
)

func main() { os.Exit(tui.Main()) }
