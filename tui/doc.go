// Package tui is the screen: the filter that `jarvis ask` writes through on a terminal, and the conversation, line by line. It
// is a client like any other: it knows the daemon's API and no service, and leaves all rendering to tui/view. It asks the
// terminal nothing, because a terminal that does not answer would stall it, and writes each change in one write that leaves
// the cursor visible, so that no exit path has anything to restore but the line mode.
package tui
