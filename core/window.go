package core

// Window is what would fill a model's window with the next message of a session, in estimated tokens.
type Window struct {
	Session SessionID    `json:"session"`
	Model   string       `json:"model"` // "" = none can be reached
	Size    int          `json:"context_window"`
	Known   bool         `json:"known"`    // false: nobody has told the size, and Size is what is assumed
	Used    int          `json:"used"`     // by the parts
	Answer  int          `json:"answer"`   // kept for the answer
	Reserve int          `json:"reserve"`  // kept free because all of this is estimated
	Free    int          `json:"free"`     // for the message, and for what comes; negative = older chains give way
	LeftOut bool         `json:"left_out"` // there are older chains that neither fit nor are summarised
	Summary *Summary     `json:"summary"`  // that stands for the oldest chains; null = none
	Parts   []WindowPart `json:"parts"`    // in the order of the request
}

// WindowPart is one thing in a window.
type WindowPart struct {
	Kind   string  `json:"kind"`  // system, tool, summary, chain, context
	Label  string  `json:"label"` // of a chain, the beginning of its message
	Tokens int     `json:"tokens"`
	Chain  ChainID `json:"chain,omitempty"`
	Whole  bool    `json:"whole,omitempty"` // a chain with its tool calls and results
}

// The kinds of a WindowPart.
const (
	WindowSystem  = "system"
	WindowTool    = "tool"
	WindowSummary = "summary"
	WindowChain   = "chain"
	WindowContext = "context" // what changes from turn to turn and travels with the newest message
)
