package offline

import (
	"context"
	"time"

	"jarvis/daemon/api"
	"jarvis/daemon/client"
	"jarvis/daemon/home"
)

// machine is what doctor and install see of the system around them; a nil field is the real one. Tests give their own.
type machine struct {
	now     func() time.Time
	room    func(dir string) (free uint64, device uint64, err error)
	status  func(ctx context.Context, h home.Home) (api.Status, error)
	path    string // where programs are looked for; "" = home.SafePath
	system  string // "" = the real one, else as runtime.GOOS
	uid     func() int
	units   string                 // folder of the system's units; "" = /etc/systemd/system
	program func() (string, error) // path of jarvisd
	ask     time.Duration          // how long a model may take; 0 = askTime
	index   func() error           // nothing when jarvis-index is there
	known   func(user string) bool // the system has such a user
}

// patience bounds what the doctor waits for one answer of a daemon or a program.
const patience = 5 * time.Second

// askDaemon asks a running daemon how it is. It starts none, and tells it nothing of the shell's variables: it would note in the
// home that it was told.
func askDaemon(ctx context.Context, h home.Home) (api.Status, error) {
	c := client.New(client.Options{Home: h, NoAutostart: true, Getenv: func(string) string { return "" }})
	defer c.Close()
	return c.Status(ctx)
}
