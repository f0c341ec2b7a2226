package daemon

import (
	"context"
	"crypto/subtle"
	"errors"
	"os"
	"strings"
	"time"

	"jarvis/daemon/home"
)

// keepEvery is how often the daemon looks whether those who look for it can find it.
const keepEvery = time.Second

// keeper keeps the two files by which a daemon is found: its socket and its token. A home that lost one of them would be stuck:
// held by a daemon that nobody can reach.
type keeper struct {
	d     *daemon
	token os.FileInfo // the file as it was when it held the token; nil = look into it
	said  string      // the last complaint, so that the log is not filled with it
}

func (k *keeper) serve(ctx context.Context) error {
	return each(ctx, keepEvery, keepEvery, func(ctx context.Context) error {
		k.look(ctx)
		return nil
	})
}

// look repairs what is missing. What fails is tried again at the next look. The token comes first: whoever can connect must be
// able to know it.
func (k *keeper) look(ctx context.Context) {
	wrote, terr := k.keepToken()
	if wrote && terr == nil {
		k.d.log.Warn("The token was gone and is written again", "path", k.d.o.Home.Token)
	}
	anew, serr := k.d.socket.repair(ctx)
	if anew && serr == nil {
		k.d.log.Warn("The socket was gone and is made again", "path", k.d.o.Home.Socket)
	}
	said := ""
	if err := errors.Join(terr, serr); err != nil {
		said = err.Error()
	}
	if said != "" && said != k.said {
		k.d.log.Error("The daemon cannot be found", "error", said)
	}
	k.said = said
}

// keepToken writes the token when the file does not hold it. A look costs one lstat while nothing changes.
func (k *keeper) keepToken() (wrote bool, err error) {
	path := k.d.o.Home.Token
	info, err := os.Lstat(path)
	if err == nil && k.token != nil && same(info, k.token) {
		return false, nil
	}
	k.token = nil
	if err == nil {
		b, rerr := home.ReadRegular(path, 1<<10)
		if rerr == nil && subtle.ConstantTimeCompare([]byte(strings.TrimSpace(string(b))), []byte(k.d.token)) == 1 {
			k.token = info
			return false, nil
		}
	}
	if _, err := os.Stat(k.d.o.Home.Run); err != nil {
		if _, err := os.Stat(k.d.o.Home.State); err != nil {
			return false, nil // the whole home is gone: the socket's repair says so
		}
		if err := k.d.o.Home.Ensure(); err != nil {
			return true, err
		}
	}
	return true, home.WriteFile(path, []byte(k.d.token+"\n"))
}
