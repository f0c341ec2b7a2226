package llm

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

// Source names who answers a request, for its errors.
type Source struct {
	Provider string
	Model    string   // id without the provider's name; "" = the provider itself
	Secrets  []string // never shown
}

// Error makes an error of this source. message is cut to one line and freed of secrets.
func (s Source) Error(kind Kind, message string, cause error) *Error {
	return &Error{Kind: kind, Provider: s.Provider, Model: s.Model, Message: s.clean(message), Err: cause}
}

func (s Source) clean(text string) string { return OneLine(Redact(text, s.Secrets...)) }

// Fail classes what went wrong with the request that w watches. It is ctx's own error when ctx ended.
func (w *Watch) Fail(s Source, err error) error {
	if e := w.parent.Err(); e != nil {
		return e
	}
	var quiet *silence
	if errors.As(context.Cause(w.ctx), &quiet) {
		return s.Error(KindTimeout, quiet.text, quiet)
	}
	return s.Fail(err)
}

// Fail classes a transport's or decoder's error. An error that is classed already is passed on.
func (s Source) Fail(err error) error {
	var e *Error
	var dial *net.OpError
	var syntax *json.SyntaxError
	var shape *json.UnmarshalTypeError
	var timeout net.Error
	var cert *tls.CertificateVerificationError
	var away *redirected
	switch {
	case err == nil:
		return nil
	case errors.As(err, &e):
		return e
	case errors.As(err, &away):
		return s.elsewhere(away)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded) && !errors.As(err, &dial):
		return err
	case errors.Is(err, errLine):
		e := s.Error(KindMalformed, root(err).Error(), err)
		e.Hint = "jarvis config set limits.model_line 64MiB"
		return e
	case errors.Is(err, errAnswer), errors.Is(err, bufio.ErrTooLong):
		return s.Error(KindMalformed, root(err).Error(), err)
	case errors.As(err, &syntax), errors.As(err, &shape):
		return s.Error(KindMalformed, "the answer is not valid JSON", err)
	case errors.As(err, &cert):
		e := s.Error(KindUnavailable, "its certificate is not trusted: "+cert.Err.Error(), err) // no retry changes that
		e.Hint = "jarvis config set network.ca_file FILE"
		return e
	case errors.As(err, &dial) && dial.Op == "dial":
		if dial.Timeout() {
			return s.Error(KindTimeout, "no connection: timed out", err)
		}
		return s.Error(KindNetwork, "no connection: "+reason(dial.Err), err)
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return s.Error(KindCut, "the connection was closed before the answer was complete", err)
	case errors.As(err, &timeout) && timeout.Timeout():
		return s.Error(KindTimeout, root(err).Error(), err)
	default:
		return s.Error(KindNetwork, root(err).Error(), err)
	}
}

// reason takes the name of the system call out of an error.
func reason(err error) string {
	var call *os.SyscallError
	if errors.As(err, &call) {
		err = call.Err
	}
	return err.Error()
}

// Refused makes an error of a request that could not even be built (an attachment that cannot be read). It is ctx's own error
// when ctx ended.
func (w *Watch) Refused(s Source, err error) error {
	var e *Error
	switch {
	case w.parent.Err() != nil:
		return w.parent.Err()
	case errors.As(err, &e):
		return e
	}
	return s.Error(KindBadRequest, err.Error(), err)
}

// root takes the URL out of an error of net/http: it may hold a secret and says nothing that provider and model do not.
func root(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

// Status makes an error of an HTTP answer. body is the answer's, or as much of it as was read.
func (s Source) Status(status int, h http.Header, body []byte) *Error {
	d := parseErrorBody(body)
	e := s.Error(kindOf(status, d), d.message, nil)
	e.Status = status
	if e.Message == "" {
		e.Message = http.StatusText(status)
	}
	e.RetryAfter = RetryAfter(h, time.Now())
	return e
}

// Reported makes an error of one that came inside a stream, in any provider's form.
func (s Source) Reported(body []byte) *Error {
	d := parseErrorBody(body)
	e := s.Error(kindOf(d.status, d), d.message, nil)
	if d.status >= 400 && d.status < 600 {
		e.Status = d.status
	}
	if e.Message == "" {
		e.Message = "the provider reported an error"
	}
	return e
}

// kinds are the names that providers give to what went wrong; they are surer than the status.
var kinds = map[string]Kind{
	"authentication_error": KindAuth, "permission_error": KindAuth, "invalid_api_key": KindAuth,
	"unauthenticated": KindAuth, "permission_denied": KindAuth, "api_key_invalid": KindAuth,
	"not_found_error": KindNotFound, "model_not_found": KindNotFound, "not_found": KindNotFound,
	"rate_limit_error": KindRateLimited, "rate_limit_exceeded": KindRateLimited, "resource_exhausted": KindRateLimited,
	"overloaded_error": KindOverloaded, "unavailable": KindOverloaded,
	"insufficient_quota": KindQuota, "billing_error": KindQuota, "billing_hard_limit_reached": KindQuota,
	"context_length_exceeded": KindTooLong, "request_too_large": KindTooLong,
	"api_error": KindServer, "server_error": KindServer, "internal": KindServer, "timeout_error": KindServer,
	"invalid_request_error": KindBadRequest, "invalid_argument": KindBadRequest,
}

func kindOf(status int, d detail) Kind {
	text := strings.ToLower(d.message)
	switch {
	case containsAny(text, "credit balance is too low", "insufficient credits"):
		return KindQuota
	case containsAny(text, "prompt is too long", "maximum context length", "context length", "context window", "too many tokens"):
		return KindTooLong
	case status == http.StatusBadRequest && containsAny(text, "api key not valid", "api key expired"):
		return KindAuth
	}
	for _, name := range []string{d.code, d.class} {
		k, ok := kinds[strings.ToLower(name)]
		// "invalid_request_error" also comes with 401 and 404: there the status says more.
		if ok && (k != KindBadRequest || status == 0 || status == http.StatusBadRequest) {
			return k
		}
	}
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return KindAuth
	case status == http.StatusPaymentRequired:
		return KindQuota
	case status == http.StatusNotFound:
		return KindNotFound
	case status == http.StatusRequestEntityTooLarge:
		return KindTooLong
	case status == http.StatusTooManyRequests:
		return KindRateLimited
	case status == http.StatusRequestTimeout:
		return KindTimeout
	case status == http.StatusServiceUnavailable, status == 529:
		return KindOverloaded
	case status >= 400 && status < 500:
		return KindBadRequest
	default:
		return KindServer
	}
}

func containsAny(s string, subs ...string) bool {
	for _, sub := range subs {
		if strings.Contains(s, sub) {
			return true
		}
	}
	return false
}
