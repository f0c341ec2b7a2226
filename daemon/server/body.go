package server

import (
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"jarvis/core"
)

// bodyStall is how long a caller may send nothing of a body that it has announced.
const bodyStall = 30 * time.Second

// moving gives each read of a body its own deadline: a large one may take its time, one that stalls holds no goroutine.
func (s *Server) moving(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body == nil || r.ContentLength == 0 {
			next.ServeHTTP(w, r)
			return
		}
		b := &body{ReadCloser: r.Body, c: http.NewResponseController(w), stall: s.c.BodyStall}
		q := r.WithContext(r.Context()) // net/http goes by the type of its own body when it answers before reading it
		q.Body = b
		next.ServeHTTP(w, q)
		if !b.whole { // net/http reads on, to keep the connection
			b.deadline(time.Now().Add(b.stall))
		}
	})
}

type body struct {
	io.ReadCloser
	c     *http.ResponseController
	stall time.Duration
	whole bool
}

func (b *body) Read(p []byte) (int, error) {
	b.deadline(time.Now().Add(b.stall))
	n, err := b.ReadCloser.Read(p)
	switch {
	case errors.Is(err, io.EOF):
		b.whole = true
		b.deadline(time.Time{}) // an answer that streams waits for its reader as long as it likes
	case errors.Is(err, os.ErrDeadlineExceeded):
		err = core.E(core.BadRequest, "the body stopped coming in the middle", "", err)
	}
	return n, err
}

func (b *body) deadline(t time.Time) {
	_ = b.c.SetReadDeadline(t) //nolint:errcheck // a test's recorder has none
}
