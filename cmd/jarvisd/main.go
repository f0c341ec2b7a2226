// Command jarvisd is the daemon, and what works without one: configuration and setup. It is pure Go: no native code may be
// linked here.
package main

import (
	"os"

	"jarvis/daemon"
)

func main() { os.Exit(daemon.Main()) }
