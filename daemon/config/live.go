package config

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

// settle is how long the file must be quiet before it is read: editors write in several steps.
const settle = 150 * time.Millisecond

// Live holds the configuration that is in force and follows the file. A bad edit keeps the last good one. A Config that was
// handed out never changes, so a chain keeps the one it started with.
type Live struct {
	path string
	env  Env
	log  *slog.Logger

	mu       sync.Mutex // guards what follows; never held while a subscriber runs
	first    *Config    // what listen, tls and store are until a restart
	current  *Config
	text     []byte
	problem  error
	warnings []Warning
	subs     map[int]func(old, now *Config)
	next     int

	apply sync.Mutex // one reload at a time; taken before mu
}

// Open loads the file for the first time. Here a bad file is an error: there is no good one to keep.
func Open(path string, env Env, log *slog.Logger) (*Live, error) {
	text, err := read(path)
	if err != nil {
		return nil, err
	}
	c, warnings, err := Parse(path, text, env)
	if err != nil {
		return nil, err
	}
	return &Live{path: path, env: slices.Clone(env), log: log, first: c, current: c, text: text, warnings: warnings, subs: map[int]func(old, now *Config){}}, nil
}

// Current is the configuration in force. It must not be changed.
func (l *Live) Current() *Config {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.current
}

// Problem is what keeps the file as it is now from being in force, nil when nothing does.
func (l *Live) Problem() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.problem
}

// Warnings are those of the configuration in force.
func (l *Live) Warnings() []Warning {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.warnings)
}

// NeedsRestart names the values that differ from those the daemon started with and that only a restart takes up.
func (l *Live) NeedsRestart() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return RestartKeys(l.first, l.current)
}

// Subscribe calls fn after each change, one call at a time; stop ends that.
func (l *Live) Subscribe(fn func(old, now *Config)) (stop func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	id := l.next
	l.next++
	l.subs[id] = fn
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.subs, id)
	}
}

// Reload reads the file now. The error is Problem's.
func (l *Live) Reload() error {
	l.apply.Lock()
	defer l.apply.Unlock()
	text, err := read(l.path)
	l.mu.Lock()
	same := err == nil && l.problem == nil && bytes.Equal(text, l.text)
	l.mu.Unlock()
	if same {
		return nil
	}
	var c *Config
	var warnings []Warning
	if err == nil {
		c, warnings, err = Parse(l.path, text, l.env)
	}
	if err != nil {
		l.mu.Lock()
		known := l.problem != nil && l.problem.Error() == err.Error()
		l.problem = err
		l.mu.Unlock()
		if !known {
			l.log.Warn("Configuration not taken up, the last good one stays", "error", err)
		}
		return err
	}
	l.mu.Lock()
	old := l.current
	l.current, l.text, l.problem, l.warnings = c, text, nil, warnings
	var subs []func(old, now *Config)
	for _, id := range sortedIDs(l.subs) {
		subs = append(subs, l.subs[id])
	}
	l.mu.Unlock()
	l.log.Info("Configuration reloaded", "file", l.path)
	for _, fn := range subs {
		fn(old, c)
	}
	return nil
}

// Serve follows the file until ctx ends.
func (l *Live) Serve(ctx context.Context) error {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return l.poll(ctx, err)
	}
	defer func() { _ = w.Close() }()
	if err := l.watch(w); err != nil {
		return l.poll(ctx, err)
	}
	// What changed between Open and now was seen by nobody.
	_ = l.Reload()
	return l.follow(ctx, w.Events, w.Errors)
}

// look is how often the file is read where the system cannot watch it.
const look = 5 * time.Second

// poll does without a watcher: the system's number of them is limited, and some file systems have none.
func (l *Live) poll(ctx context.Context, cause error) error {
	l.log.Warn("Configuration cannot be watched, reading it every few seconds", "error", cause)
	tick := time.NewTicker(look)
	defer tick.Stop()
	for {
		_ = l.Reload()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// watch looks at folders, never at the file: editors replace it. A linked file has two folders, the link's and its own.
func (l *Live) watch(w *fsnotify.Watcher) error {
	dir := filepath.Dir(l.path)
	if err := w.Add(dir); err != nil {
		return err
	}
	if real, err := filepath.EvalSymlinks(l.path); err == nil && filepath.Dir(real) != dir {
		return w.Add(filepath.Dir(real))
	}
	return nil
}

func (l *Live) follow(ctx context.Context, events <-chan fsnotify.Event, errs <-chan error) error {
	timer := time.NewTimer(settle)
	timer.Stop()
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case e, ok := <-events:
			if !ok {
				return errors.New("watch the configuration: the watcher ended")
			}
			if l.ours(e.Name) && e.Op&^fsnotify.Chmod != 0 {
				timer.Reset(settle)
			}
		case err, ok := <-errs:
			if !ok {
				return errors.New("watch the configuration: the watcher ended")
			}
			// An overflow has lost events, so the file may have changed.
			l.log.Warn("Watching the configuration failed for a moment", "error", err)
			timer.Reset(settle)
		case <-timer.C:
			_ = l.Reload()
		}
	}
}

func (l *Live) ours(name string) bool {
	if filepath.Clean(name) == l.path {
		return true
	}
	real, err := filepath.EvalSymlinks(l.path)
	return err == nil && filepath.Clean(name) == real
}

// RestartKeys names the values that differ between two configurations and that a running daemon cannot change.
func RestartKeys(a, b *Config) []string {
	var out []string
	for _, f := range root().fields() {
		if f.restart && !reflect.DeepEqual(a.value(f.name), b.value(f.name)) {
			out = append(out, f.path)
		}
	}
	return out
}

// value is the field of that name.
func (c *Config) value(name string) any {
	v, t := reflect.ValueOf(c).Elem(), reflect.TypeFor[Config]()
	for i := range t.NumField() {
		if t.Field(i).IsExported() && t.Field(i).Tag.Get("yaml") == name {
			return v.Field(i).Interface()
		}
	}
	return nil
}

func sortedIDs(m map[int]func(old, now *Config)) []int {
	out := make([]int, 0, len(m))
	for id := range m {
		out = append(out, id)
	}
	slices.Sort(out)
	return out
}

// Environ is the process's environment, for the mains.
func Environ() Env { return os.Environ() }
