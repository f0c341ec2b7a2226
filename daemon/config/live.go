package config

import (
	"bytes"
	"log/slog"
	"os"
	"reflect"
	"slices"
	"sync"
)

// Live holds the configuration that is in force. Whoever sees that the file has changed calls Reload. A bad edit keeps the last good one. A Config that was
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

// RestartKeys names the values that differ between two configurations and that a running daemon cannot change.
func RestartKeys(a, b *Config) []string {
	var out []string
	for _, f := range root().fields() {
		if f.restart && !reflect.DeepEqual(value(a, f.name), value(b, f.name)) {
			out = append(out, f.path)
		}
	}
	return out
}

func value(c *Config, name string) any { return part(reflect.ValueOf(c).Elem(), name).Interface() }

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
