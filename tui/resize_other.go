//go:build !unix

package tui

import "os"

// resizes never tells: there is no such signal here, so a resized window keeps its first width.
func resizes() <-chan os.Signal { return nil }
