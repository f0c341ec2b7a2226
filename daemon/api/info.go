package api

// RouteInfo tells which build answers (seed 001).
const RouteInfo = "GET /api/info"

// Info is its answer. Built is the time of the source's revision, RFC 3339, "" in a build outside a checkout.
type Info struct {
	Version string `json:"version"`
	Built   string `json:"built"`
	Go      string `json:"go"`
}
