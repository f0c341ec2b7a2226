//go:build !unix

package cli

import "os"

const nonblock = 0

var stopSignals = []os.Signal{os.Interrupt}
