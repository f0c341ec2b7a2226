package core

import "errors"

// Code is what a program reads of an error; daemon/api maps it to an HTTP status and cmd/cli to an exit code.
type Code string

// The codes of seed 002, appendix B, and ours behind them.
const (
	Unauthorized        Code = "unauthorized"
	ScopeDenied         Code = "scope_denied"
	UserNotAllowed      Code = "user_not_allowed"
	NotFound            Code = "not_found"
	RateLimited         Code = "rate_limited"
	UpstreamUnavailable Code = "upstream_unavailable"
	BadRequest          Code = "bad_request"

	MethodNotAllowed Code = "method_not_allowed"
	Conflict         Code = "conflict"
	Answered         Code = "answered"
	TooLarge         Code = "too_large"
	Unsupported      Code = "unsupported"
	BudgetExceeded   Code = "budget_exceeded"
	StoreDamaged     Code = "store_damaged"
	Internal         Code = "internal"
)

// Error carries a code for programs, a sentence for people, the next command to type and the cause for the log.
// Message is one sentence without a trailing stop; Hint is a command, or "" when there is none better than the root's.
type Error struct {
	Code    Code
	Message string
	Hint    string
	Err     error
}

// Error is the sentence for people; the cause is for the log only, because it may hold what people must not see.
func (e *Error) Error() string { return e.Message }

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// E makes an Error. cause may be nil.
func E(code Code, message, hint string, cause error) *Error {
	return &Error{Code: code, Message: message, Hint: hint, Err: cause}
}

// CodeOf gives the code of the first Error in err's chain, "" for nil and Internal for everything else.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return Internal
}
