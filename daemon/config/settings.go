package config

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"jarvis/core"
)

// changeable are the top-level keys that may be changed over the control API. What opens a door, names a host or holds a secret
// is changed by a person at the file only: who has got hold of a token must not send keys elsewhere with it.
var changeable = []string{
	"model", "language", "theme", "aliases", "max_iterations", "max_tokens", "limits", "idle_exit", "backup", "log", "budgets",
	"concurrency", "embedder", "vision_model", "speech",
}

// Changeable lists the top-level keys that Change takes.
func Changeable() []string { return slices.Clone(changeable) }

// maxChanges bounds the keys of one Change.
const maxChanges = 100

// Digest tells one text of the file from another.
func Digest(text []byte) string {
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// Snapshot is the configuration in force and the digest of its text.
func (l *Live) Snapshot() (*Config, string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.current, Digest(l.text)
}

// Change sets several values of the file at once, or none: null takes a key out, so that its default is in force again. digest
// is that of the text that the caller knows; core.Conflict when the file is another one now.
func Change(file string, env Env, digest string, set map[string]json.RawMessage) (Changed, error) {
	if len(set) == 0 || len(set) > maxChanges {
		return Changed{}, core.E(core.BadRequest, fmt.Sprintf("give 1 to %d settings", maxChanges), "jarvis config show", nil)
	}
	return Update(file, env, func(old []byte) ([]byte, error) {
		if Digest(old) != digest {
			return nil, core.E(core.Conflict, "the settings were changed meanwhile; read them again", "jarvis config show", nil)
		}
		text := old
		for _, path := range sortedKeys(set) {
			var err error
			if text, err = changeOne(file, text, path, set[path]); err != nil {
				return nil, err
			}
		}
		return text, nil
	})
}

func changeOne(file string, text []byte, path string, value json.RawMessage) ([]byte, error) {
	keys, err := ParsePath(path)
	if err != nil {
		return nil, err
	}
	f, err := fieldAt(keys)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(changeable, keys[0]) || f.secret() {
		return nil, core.E(core.ScopeDenied, JoinPath(keys...)+" is not changed over the API", "jarvis config set "+JoinPath(keys...)+" VALUE", nil)
	}
	value = bytes.TrimSpace(value)
	wrong := core.E(core.BadRequest, JoinPath(keys...)+" must be "+f.kind(), "jarvis config get "+JoinPath(keys...), nil)
	word := f.t.Kind() == reflect.String
	switch {
	case string(value) == "null":
		out, err := UnsetText(file, text, keys)
		if core.CodeOf(err) == core.NotFound {
			return text, nil
		}
		return out, err
	case len(value) > 0 && value[0] == '"':
		var s string
		if !word && !f.own() || json.Unmarshal(value, &s) != nil {
			return nil, wrong
		}
		return SetText(file, text, keys, s)
	case word || len(value) == 0:
		return nil, wrong
	}
	return SetText(file, text, keys, string(value))
}
