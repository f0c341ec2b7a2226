package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"jarvis/core"
)

// decode reads a body of at most limit bytes strictly into v: a field that v does not have is an error that names it.
func decode(w http.ResponseWriter, r *http.Request, limit int64, v any) error {
	if r.ContentLength > limit {
		return tooLarge("the request", limit)
	}
	d := json.NewDecoder(http.MaxBytesReader(inner(w), r.Body, limit))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return badJSON(err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		var big *http.MaxBytesError
		if errors.As(err, &big) {
			return err
		}
		return core.E(core.BadRequest, "the body goes on after its JSON value", "", err)
	}
	return nil
}

// inner finds net/http's own writer: MaxBytesReader tells it to close the connection instead of reading on.
func inner(w http.ResponseWriter) http.ResponseWriter {
	for {
		u, ok := w.(interface{ Unwrap() http.ResponseWriter })
		if !ok {
			return w
		}
		w = u.Unwrap()
	}
}

func badJSON(err error) error {
	var big *http.MaxBytesError
	if errors.As(err, &big) {
		return err
	}
	var judged *core.Error
	if errors.As(err, &judged) {
		return err
	}
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		field := kind.Field
		if field == "" {
			field = "the body"
		}
		return core.E(core.BadRequest, fmt.Sprintf("%s must not be a JSON %s", clip(field), kind.Value), "", err)
	}
	if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return core.E(core.BadRequest, "unknown field "+clip(name), "", err)
	}
	if errors.Is(err, io.EOF) {
		return core.E(core.BadRequest, "the body is empty; it must be a JSON object", "", err)
	}
	return core.E(core.BadRequest, "the body is not valid JSON", "", err)
}

func tooLarge(what string, limit int64) *core.Error {
	return core.E(core.TooLarge, fmt.Sprintf("%s is larger than %s", what, size(limit)), "jarvis config get limits", nil)
}

func size(n int64) string {
	if n >= 1<<20 && n%(1<<20) == 0 {
		return strconv.FormatInt(n>>20, 10) + " MiB"
	}
	if n >= 1<<10 && n%(1<<10) == 0 {
		return strconv.FormatInt(n>>10, 10) + " KiB"
	}
	return strconv.FormatInt(n, 10) + " bytes"
}

// page reads limit and cursor of a listing.
func page(r *http.Request) (core.Page, error) {
	q := r.URL.Query()
	p := core.Page{After: core.Cursor(q.Get("cursor")), Backward: truthy(q.Get("backward"))}
	if v := q.Get("limit"); v != "" {
		n, err := strconv.Atoi(v)
		if err != nil || n < 1 {
			return p, core.E(core.BadRequest, "limit must be a whole number from 1 on", "", nil)
		}
		p.Limit = n
	}
	return p, nil
}

func truthy(v string) bool { return v == "1" || v == "true" }
