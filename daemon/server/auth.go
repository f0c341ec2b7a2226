package server

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"strings"

	"jarvis/core"
)

type connKey struct{}

// peer is who sits at the other end of a socket connection, asked of the kernel once a connection.
type peer struct {
	uid int
	err error
}

func (s *Server) connContext(ctx context.Context, c net.Conn) context.Context {
	if _, unix := c.LocalAddr().(*net.UnixAddr); !unix {
		return ctx
	}
	uid, err := s.c.Peer(c)
	return context.WithValue(ctx, connKey{}, peer{uid: uid, err: err})
}

func digest(token string) [32]byte { return sha256.Sum256([]byte(token)) }

// settle finds out who is calling before any handler runs: the peer's uid and the token, because a tool runs under the same
// uid and the socket's mode alone does not keep it out.
func (s *Server) settle(next http.Handler) http.Handler {
	return s.handle(func(w http.ResponseWriter, r *http.Request) error {
		if r.Header.Get("Origin") != "" || r.Header.Get("Sec-Fetch-Site") != "" {
			return core.E(core.ScopeDenied, "the control API does not answer web pages", "", nil)
		}
		if isOpen(r) {
			next.ServeHTTP(w, r)
			return nil
		}
		p, ok := r.Context().Value(connKey{}).(peer)
		if !ok || p.err != nil {
			return core.E(core.Unauthorized, "cannot tell who is calling", "", p.err)
		}
		if p.uid != s.c.UID && p.uid != 0 {
			s.refuse(r, "uid", p.uid)
			return core.E(core.Unauthorized, "this daemon belongs to another user of this machine", "jarvis daemon status", nil)
		}
		token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		given := digest(token)
		if !ok || s.c.Token == "" || subtle.ConstantTimeCompare(given[:], s.token[:]) != 1 {
			s.refuse(r, "token", p.uid)
			return core.E(core.Unauthorized, "the token of the socket is missing or wrong", "jarvis daemon restart", nil)
		}
		if s.c.Fresh != nil {
			s.c.Fresh(r.Context())
		}
		next.ServeHTTP(w, r)
		return nil
	})
}

func isOpen(r *http.Request) bool {
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) && (r.URL.Path == "/healthz" || r.URL.Path == "/readyz")
}

// localNames refuses names that are not this machine's: a page can let its own name point at 127.0.0.1 and would then be
// of the same origin.
func (s *Server) localNames(next http.Handler) http.Handler {
	return s.handle(func(w http.ResponseWriter, r *http.Request) error {
		if !isOpen(r) && (!localHost(r.Host) || !localOrigin(r.Header.Get("Origin"))) {
			return core.E(core.ScopeDenied, "the control API does not answer under this name", "", nil)
		}
		next.ServeHTTP(w, r)
		return nil
	})
}

func localHost(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.Trim(host, "[]")
	if host == "localhost" || host == "jarvis" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

func localOrigin(origin string) bool {
	if origin == "" {
		return true
	}
	_, host, ok := strings.Cut(origin, "://")
	return ok && localHost(host)
}

// user is who asks. On the socket it is the owner; log-ins come with the users.
func user(*http.Request) core.UserID { return core.Owner }
