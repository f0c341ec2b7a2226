package client

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// maxLine bounds one line of a stream: a done event repeats the whole answer.
const maxLine = 64 << 20

var errLongLine = errors.New("a line of the stream is too long")

// sseReader reads the data of server-sent events. It ignores comments, ids and names: our objects have both inside.
type sseReader struct {
	r    *bufio.Reader
	line []byte
	data []byte
}

func newSSE(r io.Reader) *sseReader { return &sseReader{r: bufio.NewReaderSize(r, 32<<10)} }

// next gives the data of the next event, valid until the following call; io.EOF at a clean end between events.
func (s *sseReader) next() ([]byte, error) {
	s.data = s.data[:0]
	got := false
	for {
		line, err := s.readLine()
		if err != nil {
			if err == io.EOF && (got || len(line) > 0) { //nolint:errorlint // bufio gives the value itself
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
		if len(line) == 0 {
			if got {
				return s.data, nil
			}
			continue
		}
		rest, ok := bytes.CutPrefix(line, []byte("data:"))
		if !ok {
			continue
		}
		if got {
			s.data = append(s.data, '\n')
		}
		got = true
		if s.data = append(s.data, bytes.TrimPrefix(rest, []byte(" "))...); len(s.data) > maxLine {
			return nil, errLongLine
		}
	}
}

// readLine gives a line without its end.
func (s *sseReader) readLine() ([]byte, error) {
	s.line = s.line[:0]
	for {
		part, err := s.r.ReadSlice('\n')
		if err == nil && len(s.line) == 0 {
			return bytes.TrimRight(part, "\r\n"), nil
		}
		s.line = append(s.line, part...)
		if len(s.line) > maxLine {
			return nil, errLongLine
		}
		if err == nil {
			return bytes.TrimRight(s.line, "\r\n"), nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return s.line, err
		}
	}
}
