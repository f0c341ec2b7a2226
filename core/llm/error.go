package llm

import (
	"errors"
	"fmt"
	"time"

	"jarvis/core"
)

// Kind classes what went wrong with a request to a provider.
type Kind string

// The kinds. Retryable ones are retried only before the first token.
const (
	KindAuth        Kind = "auth"         // 401, 403: key missing or refused
	KindNotFound    Kind = "not_found"    // the model is unknown to the provider
	KindBadRequest  Kind = "bad_request"  // the provider refuses the request itself
	KindTooLong     Kind = "too_long"     // prompt beyond the model's window
	KindRateLimited Kind = "rate_limited" // 429
	KindOverloaded  Kind = "overloaded"   // 503, 529
	KindServer      Kind = "server"       // other 5xx
	KindNetwork     Kind = "network"      // no connection
	KindTimeout     Kind = "timeout"      // connect, first token or between tokens
	KindCut         Kind = "cut"          // the stream ended without its end
	KindMalformed   Kind = "malformed"    // what came is not the protocol
	KindEmpty       Kind = "empty"        // an answer without text and calls
	KindQuota       Kind = "quota"        // the account has no money left; not retried
	KindUnavailable Kind = "unavailable"  // not installed, not configured, not started
)

// Error is a provider's failure. Message is the provider's own sentence, cut to one line, without secrets.
type Error struct {
	Kind       Kind
	Provider   string
	Model      string // id without the provider's name; "" when the failure is the provider's
	Status     int    // HTTP status; 0 = none
	RetryAfter time.Duration
	Message    string
	Hint       string // the next command, "" = by kind
	Err        error
}

// Error names provider, model and cause.
func (e *Error) Error() string {
	ref := e.Provider
	if e.Model != "" {
		ref += "/" + e.Model
	}
	msg := e.Message
	if msg == "" && e.Err != nil {
		msg = e.Err.Error()
	}
	if msg == "" {
		msg = string(e.Kind)
	}
	if e.Status != 0 {
		return fmt.Sprintf("%s: %d %s", ref, e.Status, msg)
	}
	return fmt.Sprintf("%s: %s", ref, msg)
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// Retryable reports whether the same request may work a moment later.
func (e *Error) Retryable() bool {
	if errors.Is(e.Err, errLine) || errors.Is(e.Err, errAnswer) {
		return false // the next answer is no shorter, and each costs a whole one
	}
	switch e.Kind {
	case KindRateLimited, KindOverloaded, KindServer, KindNetwork, KindTimeout, KindCut, KindMalformed, KindEmpty:
		return true
	}
	return false
}

// Core turns it into the error that people see, with the next command to type.
func (e *Error) Core() *core.Error {
	hint := e.Hint
	if hint == "" {
		hint = e.hint()
	}
	code := core.UpstreamUnavailable
	if e.Kind == KindRateLimited {
		code = core.RateLimited
	}
	if e.Kind == KindTooLong {
		code = core.TooLarge
	}
	return core.E(code, e.Error(), hint, e)
}

func (e *Error) hint() string {
	switch e.Kind {
	case KindAuth, KindQuota:
		return "jarvis setup"
	case KindNotFound:
		return "jarvis model list"
	case KindTooLong:
		return "jarvis model list -o json   # context_window: the largest prompt each model takes"
	}
	const another = "jarvis model list   # another model"
	switch {
	case e.Kind == KindNetwork && e.Provider == TypeOllama:
		return "ollama serve   # or set OLLAMA_HOST to where it runs"
	case e.Kind == KindNetwork && !service(e.Provider) && e.Provider != TypeLocal && e.Provider != TypeBuiltin:
		return "jarvis config get providers." + e.Provider + ".base_url"
	case e.Kind == KindNetwork, e.Kind == KindTimeout, e.Kind == KindRateLimited, e.Kind == KindOverloaded, e.Kind == KindServer:
		return another
	case e.Model == "":
		return "jarvis model list"
	}
	return "jarvis model test " + e.Provider + "/" + e.Model
}
