package llama

import (
	"strings"
	"sync"

	"github.com/ebitengine/purego"
	"github.com/hybridgroup/yzma/pkg/llama"
)

// logTail keeps llama.cpp's last error line: ModelLoadFromFile tells no reason. All other lines are dropped.
type logTail struct {
	mu   sync.Mutex // guards last: native threads log too
	last string
}

func newLogTail() *logTail { return &logTail{} }

// install makes it the log of the process. Once: purego's callbacks are never freed.
func (l *logTail) install() {
	llama.LogSet(purego.NewCallback(func(level int32, text *byte, _ uintptr) uintptr {
		if llama.LogLevel(level) == llama.LogLevelError && text != nil {
			if s := strings.TrimSpace(cString(text)); s != "" {
				l.mu.Lock()
				l.last = s
				l.mu.Unlock()
			}
		}
		return 0
	}))
}

// suffix is ": <last error>", "" when there was none.
func (l *logTail) suffix() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.last == "" {
		return ""
	}
	return ": " + l.last
}
