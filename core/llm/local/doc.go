// Package local is the provider of local/<name>: GGUF models that run on this machine in a worker program. It installs and
// verifies the files, starts the worker on first use, keeps it warm, ends it when idle and turns whatever befalls it into one
// sentence.
//
// It is the daemon's side and pure Go: it never imports core/llm/local/llama, knows of it only the protocol in
// core/llm/local/wire, and holds no model in its own memory.
package local
