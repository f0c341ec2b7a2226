package core

import "time"

// Summary stands in a session's prompt for the chains of its range. Nothing that it covers is deleted: undoing it brings them
// back. A later one takes an earlier one in and stands for its chains too.
type Summary struct {
	Session SessionID `json:"session"`
	From    uint64    `json:"from"`           // position of the first chain it covers
	To      uint64    `json:"to"`             // of the last one; it names the summary in its session
	Prev    uint64    `json:"prev,omitempty"` // To of the summary that it takes in; 0 = none
	First   ChainID   `json:"first"`          // the chain at From
	Last    ChainID   `json:"last"`           // the chain at To
	Since   time.Time `json:"since"`          // when the first one began
	Until   time.Time `json:"until"`          // when the last one began
	Chains  int       `json:"chains"`         // how many it covers, those of the one that it takes in included
	Text    string    `json:"text"`
	Model   string    `json:"model"`         // that wrote it
	Before  int       `json:"before_tokens"` // estimated size of what it stands for
	After   int       `json:"after_tokens"`  // and of itself
	Prompt  int       `json:"prompt_tokens"` // estimated size of the request that made it
	Usage   Usage     `json:"usage"`
	Chain   ChainID   `json:"chain"` // in whose turn it was made
	Created time.Time `json:"created"`
}
