package daemon

import (
	"io"
	"log/slog"
	"path/filepath"

	lumberjack "gopkg.in/natefinch/lumberjack.v2"

	"jarvis/daemon/home"
)

// The log rotates by size, so that it can never fill a disk: a full disk ends chains.
const (
	logFile    = "daemon.log"
	logMegas   = 10
	logBackups = 4
)

// logs is the daemon's log: a file that rotates, and stderr when a person watches.
type logs struct {
	*slog.Logger
	level slog.LevelVar
	file  *lumberjack.Logger
}

// openLogs starts a log at level info; follow sets what the configuration says. stderr nil means nobody watches.
func openLogs(h home.Home, format string, stderr io.Writer) *logs {
	l := &logs{file: &lumberjack.Logger{Filename: filepath.Join(h.Logs, logFile), MaxSize: logMegas, MaxBackups: logBackups}}
	o := &slog.HandlerOptions{Level: &l.level}
	var handlers []slog.Handler
	if format == "text" {
		handlers = append(handlers, slog.NewTextHandler(l.file, o))
	} else {
		handlers = append(handlers, slog.NewJSONHandler(l.file, o))
	}
	if stderr != nil {
		if format == "json" {
			handlers = append(handlers, slog.NewJSONHandler(stderr, o))
		} else {
			handlers = append(handlers, slog.NewTextHandler(stderr, o))
		}
	}
	l.Logger = slog.New(slog.NewMultiHandler(handlers...))
	return l
}

// follow takes up a level; an unknown one is info.
func (l *logs) follow(level string) {
	var v slog.Level
	if err := v.UnmarshalText([]byte(level)); err != nil {
		v = slog.LevelInfo
	}
	l.level.Set(v)
}

func (l *logs) Close() error { return l.file.Close() }
