package core

import (
	"slices"
	"strings"
)

// UserID is a small integer, because plugins see it in namespaces (u4) and answers. 0 is the guest, Owner the first user.
type UserID int64

// Owner is the account that set the home up; on the socket the caller is the owner.
const Owner UserID = 1

// Ids are UUIDv7 strings in lower case unless the comment says otherwise. Nothing is ordered by them: a client's clock
// may be wrong, so positions come from the store.
type (
	SessionID  string
	ChainID    string // minted by the client; it is the idempotency key of the request
	MessageID  string // "<chain>.<n>"
	CallID     string // ours, unique inside a chain; the provider's own id lies in Message.Opaque
	AgentID    string // the name of the agent's folder
	ProjectID  string
	InstanceID string // one daemon process; stored with everything it has claimed
	Digest     string // sha256 in lower-case hex; names a blob
	Cursor     string // opaque to everyone but the store that made it; "" is the start, and as an answer: no more
	MicroUSD   int64  // a millionth of a dollar
)

// shortLen is how many digits of an id people see; minPrefix is the length from which a typed id is a prefix.
const (
	shortLen  = 6
	minPrefix = 8
)

// Short is the form of an id that people see and type: its last six hex digits (the first ones of a UUIDv7 are a clock).
func Short(id string) string {
	d := digits(id)
	if len(d) <= shortLen {
		return d
	}
	return d[len(d)-shortLen:]
}

// MatchID reports whether typed names id: under eight digits it is a suffix, otherwise a prefix. Dashes and case are ignored.
func MatchID(id, typed string) bool {
	d, t := digits(id), digits(typed)
	if t == "" {
		return false
	}
	if len(t) < minPrefix {
		return strings.HasSuffix(d, t)
	}
	return strings.HasPrefix(d, t)
}

// ValidUUID reports whether s is a UUID in the canonical lower-case form, the only form that is stored.
func ValidUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		c := s[i]
		switch i {
		case 8, 13, 18, 23:
			if c != '-' {
				return false
			}
		default:
			if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
				return false
			}
		}
	}
	return true
}

// HexDigits reports whether s could be a typed id: one to 36 hex digits and dashes.
func HexDigits(s string) bool {
	d := digits(s)
	return d != "" && len(s) <= 36 && !slices.ContainsFunc([]byte(d), func(c byte) bool {
		return (c < '0' || c > '9') && (c < 'a' || c > 'f')
	})
}

func digits(id string) string { return strings.ToLower(strings.ReplaceAll(id, "-", "")) }
