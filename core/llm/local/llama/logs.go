package llama

import (
	"strings"
	"sync"

	"github.com/ebitengine/purego"
	"github.com/hybridgroup/yzma/pkg/llama"
)

// logTail keeps llama.cpp's first error line since it was last asked: ModelLoadFromFile tells no reason, and later lines only
// say that something failed. All other lines are dropped.
type logTail struct {
	mu    sync.Mutex // guards first: native threads log too
	first string
}

func newLogTail() *logTail { return &logTail{} }

// install makes it the log of the process. Once: purego's callbacks are never freed.
func (l *logTail) install() {
	llama.LogSet(purego.NewCallback(func(level int32, text *byte, _ uintptr) uintptr {
		if llama.LogLevel(level) == llama.LogLevelError && text != nil {
			if s := strings.TrimSpace(cString(text)); s != "" {
				l.mu.Lock()
				if l.first == "" {
					l.first = s
				}
				l.mu.Unlock()
			}
		}
		return 0
	}))
}

// suffix is ": <error>", "" when there was none.
func (l *logTail) suffix() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.first
	l.first = ""
	if s == "" {
		return ""
	}
	return ": " + s
}
