// Package engine keeps the full-text index with bleve. Only cmd/jarvis-index may import it: the library takes memory and time
// at start, and its memory maps can end the process.
package engine
