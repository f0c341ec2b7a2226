// Package view is pure rendering: text and a width become lines for a terminal. It holds the theme, the Markdown renderer,
// and Stream, which renders an answer while it grows. It reads no terminal, file or environment, starts no goroutine, and
// lets no control character of foreign text through: everything passes core.Printable, and what is escaped in it are our own
// colours only.
//
// Rendering is by goldmark's top-level blocks and local: a block looks the same whatever comes after it. That is what lets a
// stream be committed block by block and still equal rendering it once. Two things follow: a reference link resolves against
// definitions that stand before it (the definitions themselves are shown, so nothing is lost), and blank lines between list
// items are kept where they are instead of spreading to the whole list.
//
// What has scrolled away is never changed. So two things may look unlike rendering once: a table taller than the window keeps
// the column widths that its first rows had, and a block whose upper part left the window before it changed (a marker that
// closes far below, another window width) goes on as plain text from there. No word is lost or repeated by either.
package view
