package daemon

import (
	"context"
	"io"
	"log/slog"
	"path/filepath"
	"sync/atomic"

	lumberjack "gopkg.in/natefinch/lumberjack.v2"

	"jarvis/daemon/config"
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
	level  slog.LevelVar
	format atomic.Value // a string: auto, text or json
	file   *lumberjack.Logger
}

// openLogs starts a log at level info; follow sets what the configuration says. stderr nil means nobody watches.
func openLogs(h home.Home, stderr io.Writer) *logs {
	l := &logs{file: &lumberjack.Logger{Filename: filepath.Join(h.Logs, logFile), MaxSize: logMegas, MaxBackups: logBackups}}
	l.format.Store("auto")
	handlers := []slog.Handler{l.writer(l.file, "json")}
	if stderr != nil {
		handlers = append(handlers, l.writer(stderr, "text"))
	}
	l.Logger = slog.New(slog.NewMultiHandler(handlers...))
	return l
}

// follow takes up what the configuration says; an unknown level is info.
func (l *logs) follow(c config.Log) {
	var v slog.Level
	if err := v.UnmarshalText([]byte(c.Level)); err != nil {
		v = slog.LevelInfo
	}
	l.level.Set(v)
	l.format.Store(c.Format)
}

func (l *logs) Close() error { return l.file.Close() }

// writer writes to one place, in the format of the moment; auto is what auto means there.
func (l *logs) writer(w io.Writer, auto string) slog.Handler {
	o := &slog.HandlerOptions{Level: &l.level}
	return formats{text: slog.NewTextHandler(w, o), json: slog.NewJSONHandler(w, o), isJSON: func() bool {
		format := l.format.Load()
		return format == "json" || format == "auto" && auto == "json"
	}}
}

// formats is a handler whose format may change while loggers made of it are in use.
type formats struct {
	text, json slog.Handler
	isJSON     func() bool
}

// Enabled is by the level, which both have in common.
func (f formats) Enabled(ctx context.Context, level slog.Level) bool {
	return f.text.Enabled(ctx, level)
}

// Handle writes in the format of the moment.
func (f formats) Handle(ctx context.Context, r slog.Record) error {
	if f.isJSON() {
		return f.json.Handle(ctx, r)
	}
	return f.text.Handle(ctx, r)
}

// WithAttrs adds them to both.
func (f formats) WithAttrs(as []slog.Attr) slog.Handler {
	return formats{text: f.text.WithAttrs(as), json: f.json.WithAttrs(as), isJSON: f.isJSON}
}

// WithGroup opens one in both.
func (f formats) WithGroup(name string) slog.Handler {
	return formats{text: f.text.WithGroup(name), json: f.json.WithGroup(name), isJSON: f.isJSON}
}
