package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"sync"

	"jarvis/daemon/home"
)

// socket is the Unix socket under its path. The path can be taken away while the daemon runs (a cleaner of /tmp, a hand that
// tidies up): then repair listens anew, and whoever accepts goes on at the new one. Connections that were made stay.
type socket struct {
	home home.Home

	mu     sync.Mutex // guards what follows
	l      *net.UnixListener
	own    fs.FileInfo // the file of l
	closed bool
}

// openSocket listens under the home's path; the home's lock is held.
func openSocket(ctx context.Context, h home.Home) (*socket, error) {
	l, err := listenSocket(ctx, h)
	if err != nil {
		return nil, err
	}
	s := &socket{home: h}
	if err := s.take(l, h.Socket); err != nil {
		_ = l.Close()
		return nil, err
	}
	return s, nil
}

// take makes l, whose file lies at path, the listener. s.mu is held, or nobody else has s yet.
func (s *socket) take(l net.Listener, path string) error {
	u, ok := l.(*net.UnixListener)
	if !ok {
		return errors.New("the listener is no Unix socket")
	}
	// By its path it would remove whatever lies there when it is closed, its successor too.
	u.SetUnlinkOnClose(false)
	info, err := os.Lstat(path)
	if err != nil {
		return fmt.Errorf("look at socket: %w", err)
	}
	s.l, s.own = u, info
	return nil
}

// Accept waits for a connection, at whatever listener is the present one.
func (s *socket) Accept() (net.Conn, error) {
	for {
		s.mu.Lock()
		l, closed := s.l, s.closed
		s.mu.Unlock()
		if closed {
			return nil, net.ErrClosed
		}
		conn, err := l.Accept()
		if err == nil || !s.replaced(l) {
			return conn, err
		}
	}
}

func (s *socket) replaced(l net.Listener) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.closed && s.l != l
}

// Addr is the path by which it is found.
func (s *socket) Addr() net.Addr { return &net.UnixAddr{Name: s.home.Socket, Net: "unix"} }

// Close ends listening and takes the file away, if it is still this one's.
func (s *socket) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return net.ErrClosed
	}
	s.closed = true
	if s.there() {
		_ = os.Remove(s.home.Socket)
	}
	return s.l.Close()
}

// there reports whether the path still leads to this socket. An unlinked socket keeps its inode for as long as it is open, so
// that no other file can pass for it. s.mu is held.
func (s *socket) there() bool {
	info, err := os.Lstat(s.home.Socket)
	return err == nil && os.SameFile(info, s.own)
}

// repair listens anew when the path does not lead here any more. The home's lock is held, so the path is this daemon's: what
// lies there is put aside. It reports whether there was something to do.
func (s *socket) repair(ctx context.Context) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.there() {
		return false, nil
	}
	if _, err := os.Stat(s.home.State); err != nil {
		return true, fmt.Errorf("the home is gone: %w", err)
	}
	if err := s.home.Ensure(); err != nil {
		return true, err
	}
	if err := putAside(s.home.Socket); err != nil {
		return true, err
	}
	// Made beside and renamed: who dials meets no socket or one that is open to this user only.
	fresh := filepath.Join(filepath.Dir(s.home.Socket), "new.sock")
	if err := os.Remove(fresh); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return true, fmt.Errorf("remove half a socket: %w", err)
	}
	l, err := new(net.ListenConfig).Listen(ctx, "unix", fresh)
	if err != nil {
		return true, fmt.Errorf("listen on socket: %w", err)
	}
	old := s.l
	err = os.Chmod(fresh, 0o600)
	if err == nil {
		err = os.Rename(fresh, s.home.Socket)
	}
	if err == nil {
		err = s.take(l, s.home.Socket)
	}
	if err != nil {
		_ = l.Close()
		return true, fmt.Errorf("listen anew: %w", err)
	}
	_ = old.Close() // Accept goes on at the new one
	return true, nil
}

// putAside keeps what somebody laid in the socket's place, unless it is only another socket.
func putAside(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode()&fs.ModeSocket != 0 {
		return nil
	}
	if err == nil {
		err = os.Rename(path, path+".aside")
	}
	if err != nil {
		return fmt.Errorf("put aside what is in the socket's place: %w", err)
	}
	return nil
}
