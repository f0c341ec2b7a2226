package core

// Copied is a part of a session that is written whole and not by a conversation. Positions in it are the store's to give: a
// chain is named by its id, and summaries come in the order in which one takes the other in.
type Copied struct {
	Chains    []Chain
	Messages  []Message
	Summaries []Summary
	Archives  []CopiedArchive
}

// CopiedArchive is an archive whose spans are named by their first and last chains.
type CopiedArchive struct {
	Archive
	Ranges []ChainRange
}

// ChainRange is a range of chains, both ends in it.
type ChainRange struct {
	First ChainID `json:"first"`
	Last  ChainID `json:"last"`
}
