// Package home says where everything of an installation lies: configuration, data, state, the socket, and the sibling
// programs. It is a leaf that uses the standard library only, because the thin command links it; it opens no database
// and reads no configuration.
package home

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// Error is a sentence for people about a home that cannot be used, with the next command to type.
type Error struct {
	Message string
	Hint    string
	Err     error
}

// Error is the sentence.
func (e *Error) Error() string { return e.Message }

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// Home is the paths of one installation, all absolute. With $JARVIS_HOME they lie in one flat folder, otherwise where the
// XDG rules put them.
type Home struct {
	Flat bool // one folder for everything ($JARVIS_HOME)

	ConfigDir string // holds the five below
	Config    string // config.yaml
	MCP       string // mcp.json
	Commands  string // folder of custom commands
	Secrets   string // folder of key files, 0600 each

	Data   string // what must be backed up
	DB     string // jarvis.db
	Lock   string // jarvis.db.lock, held for as long as a daemon has the home
	ID     string // home.id: exists once the home has been used
	Runs   string // journals
	Blobs  string
	Index  string // the full-text index over messages: derived, in no backup
	Models string // GGUF files and libraries

	State  string
	Logs   string
	Run    string // 0700
	Token  string // run/token, what a caller on the socket presents
	Socket string // run/jarvis.sock, or a short path under /tmp that Pointer names
	// Pointer is the file that names the socket when its usual path is too long, "" when it is not.
	Pointer string
	Start   string // lock file of auto-start: whoever holds it starts the daemon
}

// Audit is audit.jsonl; what belongs to it lies beside it.
func (h Home) Audit() string { return filepath.Join(h.Data, "audit.jsonl") }

// usualSocket is the longest socket path, in bytes, that every supported system binds.
func usualSocket() int {
	if runtime.GOOS == "darwin" {
		return 103
	}
	return 104
}

// Find gives the paths that the environment means. It creates nothing; a relative $JARVIS_HOME is taken from the current
// folder, and relative XDG values are ignored, as their rules say.
func Find(getenv func(string) string) (Home, error) {
	if root := getenv("JARVIS_HOME"); root != "" {
		abs, err := filepath.Abs(root)
		if err != nil {
			return Home{}, &Error{Message: "JARVIS_HOME is not a usable path: " + root, Hint: "export JARVIS_HOME=/absolute/path", Err: err}
		}
		return layout(abs, abs, abs, true), nil
	}
	user := getenv("HOME")
	if user == "" && runtime.GOOS == "windows" {
		user = getenv("USERPROFILE")
	}
	dir := func(name, below string) string {
		if v := getenv(name); filepath.IsAbs(v) {
			return filepath.Join(v, "jarvis")
		}
		if user == "" {
			return ""
		}
		return filepath.Join(user, below, "jarvis")
	}
	config, data, state := dir("XDG_CONFIG_HOME", ".config"), dir("XDG_DATA_HOME", ".local/share"), dir("XDG_STATE_HOME", ".local/state")
	if config == "" || data == "" || state == "" || !filepath.IsAbs(data) || !filepath.IsAbs(config) || !filepath.IsAbs(state) {
		return Home{}, &Error{Message: "there is no home folder: neither JARVIS_HOME nor HOME names an absolute path", Hint: "export JARVIS_HOME=/absolute/path"}
	}
	return layout(config, data, state, false), nil
}

func layout(config, data, state string, flat bool) Home {
	in := filepath.Join
	h := Home{
		Flat:      flat,
		ConfigDir: config, Config: in(config, "config.yaml"), MCP: in(config, "mcp.json"),
		Commands: in(config, "commands"), Secrets: in(config, "secrets"),
		Data: data, DB: in(data, "jarvis.db"), Lock: in(data, "jarvis.db.lock"), ID: in(data, "home.id"), Runs: in(data, "runs"), Blobs: in(data, "blobs"),
		Index: in(data, "index", "messages"), Models: in(data, "models"),
		State: state, Logs: in(state, "logs"), Run: in(state, "run"),
	}
	h.Token, h.Start = in(h.Run, "token"), in(h.Run, "start.lock")
	h.Socket = in(h.Run, "jarvis.sock")
	if len(h.Socket) > usualSocket() {
		h.Pointer = in(h.Run, "socket")
		h.Socket = h.shortSocket()
	}
	return h
}

// shortSocket is what Pointer names, else where a daemon of this user and state folder would listen. TMPDIR plays no part,
// so that cron, sudo and services find the same path.
func (h Home) shortSocket() string {
	if b, err := os.ReadFile(h.Pointer); err == nil {
		named := strings.TrimSpace(string(b))
		if shortForm(named) {
			return named
		}
	}
	state := h.State
	if real, err := filepath.EvalSymlinks(state); err == nil {
		state = real
	}
	sum := sha256.Sum256([]byte(state))
	return filepath.Join("/tmp", "jarvis-"+strconv.Itoa(os.Getuid())+"-"+hex.EncodeToString(sum[:6]), "jarvis.sock")
}

// shortForm keeps a damaged Pointer from sending the token to a socket anywhere else.
func shortForm(path string) bool {
	dir, file := filepath.Split(path)
	return file == "jarvis.sock" && filepath.Clean(path) == path &&
		filepath.Dir(filepath.Clean(dir)) == "/tmp" && strings.HasPrefix(filepath.Base(dir), "jarvis-")
}
