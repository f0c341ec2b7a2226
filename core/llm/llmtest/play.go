package llmtest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"time"
)

// wire writes a script in one protocol. Each method gives the bytes of zero or more events.
type wire interface {
	head() []byte
	reasoning(text, signature string) []byte
	text(piece string) []byte
	call(i int, c Call) []byte
	end(sc Script) []byte
	bad() []byte // an event that is no JSON
	mediaType() string
}

// play streams a script. It reports whether the client hung up.
func (s *Server) play(w http.ResponseWriter, r *http.Request, sc Script, p wire) (gone bool) {
	if sc.Fault == Hang {
		return s.hang(r)
	}
	if sc.Delay > 0 && s.wait(r, sc.Delay) {
		return true
	}
	w.Header().Set("Content-Type", p.mediaType())
	w.Header().Set("Cache-Control", "no-cache")
	w.WriteHeader(http.StatusOK)
	out := &stream{w: w, f: http.NewResponseController(w)}
	out.add(p.head())
	if sc.Reasoning != "" {
		out.add(p.reasoning(sc.Reasoning, sc.Signature))
	}
	if out.flush() {
		return true
	}
	pieces := sc.pieces()
	if sc.Fault == BigLine {
		pieces = []string{strings.Repeat("x", lineBytes(sc.Line))}
	}
	half := len(pieces)
	if sc.Fault != "" && sc.Fault != BigLine {
		half = (half + 1) / 2
	}
	if s.paced(r, out, sc.Pace, pieces[:half], p) {
		return true
	}
	switch sc.Fault {
	case HangMid:
		return s.hang(r)
	case Cut:
		panic(http.ErrAbortHandler)
	case BadEvent:
		out.add(p.bad())
		return out.flush()
	}
	for i, c := range sc.Calls {
		out.add(p.call(i, c))
	}
	out.add(p.end(sc))
	return out.flush()
}

func lineBytes(n int) int {
	if n <= 0 {
		return 32 << 20
	}
	return n
}

// paced writes pieces at their times with one timer. A piece that is late goes out with the ones before it, so that the rate
// holds also on a busy machine.
func (s *Server) paced(r *http.Request, out *stream, pace time.Duration, pieces []string, p wire) (gone bool) {
	if pace <= 0 {
		for _, t := range pieces {
			if out.add(p.text(t)); out.flush() {
				return true
			}
		}
		return false
	}
	start := time.Now()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for i := 0; i < len(pieces); {
		select {
		case <-timer.C:
		case <-r.Context().Done():
			return true
		case <-s.stop:
			return true
		}
		for ; i < len(pieces) && time.Since(start) >= time.Duration(i)*pace; i++ {
			out.add(p.text(pieces[i]))
		}
		if out.flush() {
			return true
		}
		timer.Reset(time.Until(start.Add(time.Duration(i) * pace)))
	}
	return false
}

// wait waits and reports whether the client hung up.
func (s *Server) wait(r *http.Request, d time.Duration) (gone bool) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return false
	case <-r.Context().Done():
		return true
	case <-s.stop:
		return true
	}
}

// hang waits for the client to hang up.
func (s *Server) hang(r *http.Request) (gone bool) {
	select {
	case <-r.Context().Done():
		return true
	case <-s.stop:
		return false
	}
}

// stream collects events and writes them at once.
type stream struct {
	w   http.ResponseWriter
	f   *http.ResponseController
	buf bytes.Buffer
}

func (s *stream) add(b []byte) { s.buf.Write(b) }

// flush reports whether the client is gone.
func (s *stream) flush() (gone bool) {
	if s.buf.Len() == 0 {
		return false
	}
	_, err := s.w.Write(s.buf.Bytes())
	s.buf.Reset()
	return err != nil || s.f.Flush() != nil
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the client may be gone
}

// mustJSON marshals what always marshals.
func mustJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

// sse makes one event; name may be "".
func sse(name string, v any) []byte {
	var b bytes.Buffer
	if name != "" {
		b.WriteString("event: " + name + "\n")
	}
	b.WriteString("data: ")
	b.Write(mustJSON(v))
	b.WriteString("\n\n")
	return b.Bytes()
}

// quoted is a JSON string.
func quoted(s string) []byte { return mustJSON(s) }

// pre joins preformatted parts around a text.
func pre(head []byte, text string, tail []byte) []byte {
	q := quoted(text)
	out := make([]byte, 0, len(head)+len(q)+len(tail))
	return append(append(append(out, head...), q...), tail...)
}
