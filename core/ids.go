package core

import (
	"slices"
	"strings"
)

// UserID is a small integer, because plugins see it in namespaces (u4) and answers. 0 is the guest, Owner the first user.
type UserID int64

// Owner is the account that set the home up; on the socket the caller is the owner.
const Owner UserID = 1

// Nothing is ordered by an id: a client's clock may be wrong, so positions come from the store.
type (
	// SessionID is a UUIDv7 in lower case.
	SessionID string
	// ChainID is a UUIDv7 in lower case, minted by the client; it is the idempotency key of the request.
	ChainID string
	// MessageID is "<chain>.<n>".
	MessageID string
	// CallID is ours and unique inside a chain; the provider's own id lies in Message.Opaque.
	CallID string
	// AgentID is the name of the agent's folder.
	AgentID string
	// ProjectID is the name of the project's folder.
	ProjectID string
	// InstanceID is one daemon process; it is stored with everything that process has claimed.
	InstanceID string
	// Digest is a sha256 in lower-case hex; it names a blob.
	Digest string
	// Cursor is opaque to everyone but the store that made it; "" is the start, and as an answer: no more.
	Cursor string
	// MicroUSD is a millionth of a dollar.
	MicroUSD int64
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
// Stores find by an index instead; this is the rule that they and what stands in for them are held to (store/storetest).
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
