package api

// RouteSearch finds messages of the caller; query: q (what a person types, see core/search), limit (20, at most 200), cursor,
// and offset, the caller's distance from UTC in seconds, which dates are read with. The answer is core.Hits.
const RouteSearch = "GET /api/search"

// MaxQuery is the longest query, in bytes. It travels in the address.
const MaxQuery = 2000
