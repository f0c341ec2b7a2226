//go:build !unix

package tui

import "os"

// resizes never tells: there is no such signal here, so a resized window keeps its first width.
func resizes() <-chan os.Signal { return nil }

// suspender has nothing to give: there is no job control here.
func suspender(func(), func() error) func() error { return nil }
