package api

import (
	"net/http"

	"jarvis/core"
)

// ErrorBody is the inside of the one error envelope (seed 002, appendix B).
type ErrorBody struct {
	Code      core.Code `json:"code"`
	Message   string    `json:"message"`
	Status    int       `json:"status"`
	RequestID string    `json:"request_id"`
	Hint      string    `json:"hint,omitempty"` // the next command to type
}

// Envelope is the body of every response that is an error.
type Envelope struct {
	Error ErrorBody `json:"error"`
}

var statuses = map[core.Code]int{
	core.Unauthorized:        http.StatusUnauthorized,
	core.ScopeDenied:         http.StatusForbidden,
	core.UserNotAllowed:      http.StatusForbidden,
	core.NotFound:            http.StatusNotFound,
	core.RateLimited:         http.StatusTooManyRequests,
	core.UpstreamUnavailable: http.StatusBadGateway,
	core.BadRequest:          http.StatusBadRequest,
	core.MethodNotAllowed:    http.StatusMethodNotAllowed,
	core.Conflict:            http.StatusConflict,
	core.Answered:            http.StatusConflict,
	core.TooLarge:            http.StatusRequestEntityTooLarge,
	core.Unsupported:         http.StatusUnprocessableEntity,
	core.BudgetExceeded:      http.StatusPaymentRequired,
	core.StoreDamaged:        http.StatusServiceUnavailable,
	core.Internal:            http.StatusInternalServerError,
}

// StatusOf gives a code's HTTP status; an unknown code is 500.
func StatusOf(c core.Code) int {
	if s, ok := statuses[c]; ok {
		return s
	}
	return http.StatusInternalServerError
}

// Err turns the inside of an envelope back into an error.
func (b ErrorBody) Err() *core.Error { return core.E(b.Code, b.Message, b.Hint, nil) }
