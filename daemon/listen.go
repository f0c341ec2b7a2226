package daemon

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"syscall"
	"time"

	"jarvis/core"
	"jarvis/daemon/config"
	"jarvis/daemon/home"
)

// listenSocket opens the Unix socket, 0600 in a folder of 0700. What a killed daemon left is removed only after a dial was
// refused: the file of one that lives must stay.
func listenSocket(ctx context.Context, h home.Home) (net.Listener, error) {
	if err := h.CheckSocket(); err != nil {
		return nil, err
	}
	info, err := os.Lstat(h.Socket)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, fmt.Errorf("look at socket: %w", err)
	case info.Mode()&fs.ModeSocket == 0:
		return nil, core.E(core.Conflict, h.Socket+" is in the way: it is not a socket", "ls -l "+h.Socket, nil)
	default:
		d := net.Dialer{Timeout: 2 * time.Second}
		conn, err := d.DialContext(ctx, "unix", h.Socket)
		if err == nil {
			_ = conn.Close()
			return nil, core.E(core.Conflict, "another program answers on "+h.Socket, "jarvis daemon status", nil)
		}
		if !errors.Is(err, syscall.ECONNREFUSED) && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("try old socket: %w", err)
		}
		if err := os.Remove(h.Socket); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("remove old socket: %w", err)
		}
	}
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "unix", h.Socket)
	if err != nil {
		return nil, fmt.Errorf("listen on socket: %w", err)
	}
	if err := os.Chmod(h.Socket, 0o600); err != nil {
		_ = l.Close()
		return nil, fmt.Errorf("protect socket: %w", err)
	}
	return l, nil
}

// listenTCP opens the TCP listener. A busy port is normal where two homes share a machine.
func listenTCP(ctx context.Context, h home.Home, addr string, t config.TLS) (net.Listener, error) {
	var conf *tls.Config
	if t.On() {
		cert, err := certificate(h, t, addr)
		if err != nil {
			return nil, err
		}
		conf = &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{cert}, NextProtos: []string{"http/1.1"}}
	}
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", addr)
	if err != nil {
		sentence := "cannot listen on " + addr
		if errors.Is(err, syscall.EADDRINUSE) {
			sentence = "the port of listen: " + addr + " is in use by another program"
		}
		return nil, core.E(core.Conflict, sentence, `jarvis config set listen ""   # or another host:port`, err)
	}
	if conf != nil {
		l = tls.NewListener(l, conf)
	}
	return l, nil
}
