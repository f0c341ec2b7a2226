package core

import (
	"math"
	"time"
)

// LimitUSD turns a limit in dollars into micro-dollars: none stays none, what is below the smallest sum is that sum and not none,
// and a vast one is cut to a billion dollars, which no sum overflows.
func LimitUSD(usd float64) MicroUSD {
	if !(usd > 0) {
		return 0
	}
	return MicroUSD(max(1, math.Floor(min(usd, 1e9)*1e6)))
}

// Account is whose money is spent: "all", "user:1", "agent:ID", "session:ID", "plugin:ID", "key:KID" or "chain:ID" (a chain and
// its children).
type Account string

// Period is a day ("2026-11-30") or a month ("2026-11") in the daemon's time zone; "" is for ever, for a chain.
type Period string

// Claim is one limit that a request must stay within.
type Claim struct {
	Account Account
	Period  Period
	Limit   MicroUSD
	Name    string // the budget as its owner wrote it ("agent:researcher, daily"), for the error
}

// Reservation holds the most that one request may cost on each of its claims until it is settled or released. It is named by
// chain and step.
type Reservation struct {
	Chain  ChainID
	Step   int
	Owner  InstanceID // of a dead one they are released at start
	Amount MicroUSD
	Claims []Claim
}

// Debit is what one step cost, for each account and period that counts it. It replaces the step's reservation.
type Debit struct {
	Account Account  `json:"account"`
	Period  Period   `json:"period"`
	Amount  MicroUSD `json:"amount"`
}

// Spent is the state of an account in a period.
type Spent struct {
	Amount MicroUSD `json:"amount"`
	Held   MicroUSD `json:"held"`
}

// UsageBy names what a usage listing is by.
type UsageBy string

// The four listings.
const (
	ByDay     UsageBy = "day"
	ByModel   UsageBy = "model"
	ByAgent   UsageBy = "agent"
	BySession UsageBy = "session"
)

// UsageQuery asks what a user has used between two days, both in it; "" = open.
type UsageQuery struct {
	User     UserID
	By       UsageBy
	From, To Period // days
}

// UsageRow is the sum of one name: a day, a model's ref, an agent or a session.
type UsageRow struct {
	Name     string
	Usage    Usage
	Requests int64 // to models
	Chains   int64 // ended
	Last     time.Time
}
