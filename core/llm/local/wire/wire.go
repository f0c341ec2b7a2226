// Package wire is what the daemon and the model worker say to each other: JSON lines over one inherited socket. It holds
// types and framing only; it links no native code, so both sides may import it.
package wire

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
)

// FD is the descriptor of the inherited socket in the worker.
const FD = 3

// MaxLine bounds a line in bytes, either way. A longer one ends the connection: there is no way to find the next line's start
// that a hostile peer could not forge.
const MaxLine = 32 << 20

// The operations of a Request.
const (
	OpLoad     = "load"     // once, first
	OpGenerate = "generate" // one at a time
	OpCancel   = "cancel"   // ends the generation with this ID; without effect when it has ended
)

// Request is one line from the daemon.
type Request struct {
	ID       uint64    `json:"id"`
	Op       string    `json:"op"`
	Load     *Load     `json:"load,omitempty"`
	Generate *Generate `json:"generate,omitempty"`
}

// Load names the model's file, the folder of llama.cpp's libraries and the sizes of the context, in tokens. Zero sizes are
// the worker's defaults.
type Load struct {
	Model   string `json:"model"`
	Libs    string `json:"libs"`
	Ctx     int    `json:"ctx,omitempty"`
	Batch   int    `json:"batch,omitempty"`
	Threads int    `json:"threads,omitempty"`
}

// Message is one turn; Role is system, user or assistant.
type Message struct {
	Role string `json:"role"`
	Text string `json:"text"`
}

// Generate asks for one answer. Temperature 0 is greedy; Grammar is GBNF with the rule root, "" = free text.
type Generate struct {
	Messages    []Message `json:"messages"`
	Grammar     string    `json:"grammar,omitempty"`
	MaxTokens   int       `json:"max_tokens,omitempty"` // 0 = until the context is full
	Temperature float64   `json:"temperature"`
	TopP        float64   `json:"top_p,omitempty"` // 0 = 1
	Seed        uint32    `json:"seed,omitempty"`
}

// The kinds of an Event. Every request but cancel is answered by exactly one of loaded, done and error.
const (
	EvLoaded = "loaded"
	EvAlive  = "alive" // native code is making progress; sent at most once a second
	EvDelta  = "delta"
	EvDone   = "done"
	EvError  = "error"
)

// Event is one line from the worker.
type Event struct {
	ID     uint64  `json:"id"`
	Kind   string  `json:"kind"`
	Text   string  `json:"text,omitempty"` // of a delta: whole runes
	Loaded *Loaded `json:"loaded,omitempty"`
	Done   *Done   `json:"done,omitempty"`
	Error  *Error  `json:"error,omitempty"`
}

// Loaded tells what was loaded. Window is the context in tokens, which is what prompt and answer share.
type Loaded struct {
	Window int    `json:"window"`
	Train  int    `json:"train"` // the window the model was trained for
	Desc   string `json:"desc,omitempty"`
	TookMS int64  `json:"took_ms"`
}

// The reasons an answer ended.
const (
	StopEnd    = "end"          // the model ended it
	StopMax    = "max_tokens"   // MaxTokens
	StopFull   = "context_full" // no room left in the window
	StopCancel = "cancelled"
)

// Done ends an answer. Prompt counts all tokens of the prompt, Reused those of them that were still in the cache.
type Done struct {
	Stop     string `json:"stop"`
	Prompt   int    `json:"prompt"`
	Reused   int    `json:"reused"`
	Out      int    `json:"out"`
	PromptUS int64  `json:"prompt_us"`
	GenUS    int64  `json:"gen_us"`
}

// The codes of an Error.
const (
	ErrLibs    = "libs"     // the shared libraries do not load
	ErrCPU     = "cpu"      // no library fits this processor
	ErrModel   = "model"    // the file is not a model, or is damaged
	ErrMemory  = "memory"   // no room for model or context
	ErrTooLong = "too_long" // Tokens and Window say how much
	ErrGrammar = "grammar"
	ErrRequest = "request" // the request itself is wrong
	ErrNative  = "native"  // llama.cpp refused
)

// Error is a failure the worker survived.
type Error struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Tokens  int    `json:"tokens,omitempty"`
	Window  int    `json:"window,omitempty"`
}

// Error is the worker's sentence.
func (e *Error) Error() string { return e.Message }

// ErrLine marks a line that is longer than MaxLine, or no JSON of its type.
var ErrLine = errors.New("malformed line")

// Reader reads lines of one type.
type Reader struct{ r *bufio.Reader }

// NewReader wraps r.
func NewReader(r io.Reader) *Reader { return &Reader{r: bufio.NewReaderSize(r, 64<<10)} }

// Read decodes the next line into v: io.EOF at a clean end, ErrLine for what is not the protocol.
func (r *Reader) Read(v any) error {
	var line []byte
	for {
		part, err := r.r.ReadSlice('\n')
		if len(line)+len(part) > MaxLine {
			return fmt.Errorf("longer than %d bytes: %w", MaxLine, ErrLine)
		}
		switch {
		case err == nil && line == nil:
			line = part // not copied: valid until the next read
		case err == nil:
			line = append(line, part...)
		case errors.Is(err, bufio.ErrBufferFull):
			line = append(line, part...)
			continue
		case errors.Is(err, io.EOF) && len(line)+len(part) > 0:
			return io.ErrUnexpectedEOF
		default:
			return err
		}
		if err := json.Unmarshal(line, v); err != nil {
			return fmt.Errorf("%w: %w", ErrLine, err)
		}
		return nil
	}
}

// Writer writes lines; safe for concurrent use.
type Writer struct {
	mu sync.Mutex // guards w: a line is one write, never mixed with another
	w  io.Writer
}

// NewWriter wraps w.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// Write sends v as one line.
func (w *Writer) Write(v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if len(b) >= MaxLine {
		return fmt.Errorf("longer than %d bytes: %w", MaxLine, ErrLine)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err = w.w.Write(append(b, '\n'))
	return err
}
