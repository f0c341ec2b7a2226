package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"go.yaml.in/yaml/v4"

	"jarvis/core"
)

// Warning is something that does not keep the configuration from being used.
type Warning struct {
	Message string
	Hint    string // the next command to type, or ""
}

// String is the sentence.
func (w Warning) String() string { return w.Message }

// Env is an environment as os.Environ gives it.
type Env []string

// Get is os.Getenv over it.
func (e Env) Get(name string) string {
	for i := len(e) - 1; i >= 0; i-- {
		if k, v, ok := strings.Cut(e[i], "="); ok && k == name {
			return v
		}
	}
	return ""
}

// Load reads the file, then the JARVIS_ variables of the environment over it. A file that does not exist is the defaults.
// Every error is a *core.Error that names the place.
func Load(path string, env Env) (*Config, []Warning, error) {
	data, err := read(path)
	if err != nil {
		return nil, nil, err
	}
	return Parse(path, data, env)
}

// Parse is Load for text that is at hand; path names it in errors.
func Parse(path string, data []byte, env Env) (*Config, []Warning, error) {
	node, err := parse(path, data)
	if err != nil {
		return nil, nil, err
	}
	c := Default()
	c.path = path
	d := &decoder{file: path, sources: map[string]place{}, seen: map[visit]bool{}}
	if node != nil {
		c.order = keysOf(node, "providers")
		d.check(node, root())
		if err := d.err(); err != nil {
			return nil, nil, err
		}
		if err := node.Load(c, yaml.WithKnownFields()); err != nil {
			return nil, nil, syntaxError(path, err)
		}
	}
	warnings, err := c.overlay(env, d)
	if err != nil {
		return nil, nil, err
	}
	c.validate(d)
	if err := d.err(); err != nil {
		return nil, nil, err
	}
	for k, v := range d.sources {
		c.sources[k] = v.short()
	}
	return c, append(warnings, c.advise(env.Get)...), nil
}

// short is the place without the file's path, which whoever shows it names once.
func (p place) short() string {
	if p.env != "" {
		return p.env
	}
	return fmt.Sprintf("line %d", p.line)
}

// Source says where the value at path comes from: "default", "line 12" or the name of a variable.
func (c *Config) Source(path string) string {
	if s, ok := c.sources[path]; ok {
		return s
	}
	return "default"
}

// openFile opens a file for reading. A pipe in its place is there at once, to be refused by what it is: opened as usual it would
// hold the daemon until somebody writes into it.
func openFile(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}

// read gives the file's text, nil when there is none.
func read(path string) ([]byte, error) {
	fail := func(why string, err error) ([]byte, error) {
		return nil, core.E(core.Internal, "the configuration "+path+" "+why, "ls -l "+path, err)
	}
	f, err := openFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case errors.Is(err, fs.ErrPermission):
		return fail("cannot be read: no permission", err)
	case err != nil:
		return fail("cannot be read", err)
	}
	defer func() { _ = f.Close() }()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return fail("is not a file", err)
	}
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return fail("cannot be read", err)
	}
	return data, nil
}

// keysOf gives the keys of the map under a key of n, in their order.
func keysOf(n *yaml.Node, key string) []string {
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value != key {
			continue
		}
		m := n.Content[i+1]
		for m.Kind == yaml.AliasNode && m.Alias != nil {
			m = m.Alias
		}
		var out []string
		for j := 0; m.Kind == yaml.MappingNode && j+1 < len(m.Content); j += 2 {
			out = append(out, m.Content[j].Value)
		}
		return out
	}
	return nil
}
