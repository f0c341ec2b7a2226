// Package llama is the model worker's side of core/llm/local: it runs one GGUF model with llama.cpp's shared libraries and
// speaks core/llm/local/wire over an inherited socket.
//
// Only cmd/jarvis-model may import it. Its ffi panics before main where libffi or glibc is missing, and a null dereference in
// C ends a Go process whatever it recovers, so it must never be linked into the daemon. It reads no configuration, no
// environment and no network; it opens the files it is told to open and nothing else.
package llama
