// Package transcript gives a conversation as a file: as JSON, which can be read back, as Markdown and as a page of HTML for
// people. Everything is written as it comes, entry by entry, so that a long conversation takes no more memory than a short
// one. Whatever it reads, and whatever models wrote, is hostile. It may know no store and no front end.
package transcript

import (
	"encoding/json"
	"io"
	"iter"
	"time"

	"jarvis/core"
)

// What the head of a file says. A file with another format or a newer version is not read.
const (
	Format  = "jarvis-session"
	Version = 1
)

// The bounds of a file, beyond that of its whole size.
const (
	maxEntry = 64 << 20 // bytes of one entry: a prompt of the usual limit, every character escaped
	maxDepth = 1000     // of nested values in one entry
	chunk    = 48 << 10 // bytes of an attachment in one entry
	maxFiles = 100      // attachments of one message
)

// Source is a conversation to be written.
type Source struct {
	Session core.Session
	// Entries are its ended chains, each followed by its messages, in order, and then its summaries and archives. An error
	// is the last pair.
	Entries iter.Seq2[Entry, error]
	// Blob opens an attachment; nil leaves attachments out.
	Blob func(core.Digest) (io.ReadCloser, error)
	// Lang is the language of what Markdown and HTML say around the messages: "de", else English.
	Lang string
	// Math renders a formula as MathML; nil leaves formulas as they were written. Only HTML asks for it.
	Math Math
}

// Entry is a chain, a message, a summary or an archive.
type Entry struct {
	Chain   *core.Chain
	Message *core.Message
	Summary *core.Summary
	Archive *core.CopiedArchive
}

// Math renders TeX as MathML, well-formed and harmless whatever it is given; false when it cannot.
type Math func(tex string, display bool) (mathml string, ok bool)

// head is everything of a file in front of its entries.
type head struct {
	Format      string  `json:"format"`
	Version     int     `json:"version"`
	Attachments bool    `json:"attachments"` // they are in the file
	Session     session `json:"session"`
}

// tail is what follows the entries. Its digest is of the session and the entries, each as compact JSON and a line feed.
type tail struct {
	Chains      int         `json:"chains"`
	Messages    int         `json:"messages"`
	Summaries   int         `json:"summaries"`
	Archives    int         `json:"archives"`
	Attachments int         `json:"attachments"`
	SHA256      core.Digest `json:"sha256"`
}

// session is what a file says of core.Session: nothing that is of a place in somebody's lists.
type session struct {
	ID       core.SessionID `json:"id"`
	Title    string         `json:"title"`
	Agent    core.AgentID   `json:"agent"`
	Project  core.ProjectID `json:"project,omitempty"`
	Model    string         `json:"model,omitempty"`
	Context  string         `json:"context,omitempty"`
	Created  time.Time      `json:"created"`
	Modified time.Time      `json:"modified"`
}

// item is one entry: exactly one of its fields is set. The content of an attachment follows it in items of data, and stands
// in front of the first message that names it.
type item struct {
	Chain      *chain      `json:"chain,omitempty"`
	Message    *message    `json:"message,omitempty"`
	Summary    *summary    `json:"summary,omitempty"`
	Archive    *archive    `json:"archive,omitempty"`
	Attachment *attachment `json:"attachment,omitempty"`
	Data       []byte      `json:"data,omitempty"`
}

// chain is what a file says of core.Chain; all of them have ended.
type chain struct {
	ID           core.ChainID      `json:"id"`
	Pos          uint64            `json:"pos"` // its place in the file, from 1
	Agent        core.AgentID      `json:"agent,omitempty"`
	Project      core.ProjectID    `json:"project,omitempty"`
	Origin       string            `json:"origin,omitempty"`
	Responder    core.Responder    `json:"responder"`
	OnDisconnect core.OnDisconnect `json:"on_disconnect"`
	Params       core.Params       `json:"params"`
	System       string            `json:"system,omitempty"`
	Model        string            `json:"model,omitempty"`
	Stop         core.StopReason   `json:"stop"`
	Usage        core.Usage        `json:"usage"`
	Iterations   int               `json:"iterations,omitempty"`
	Created      time.Time         `json:"created"`
	Started      time.Time         `json:"started,omitzero"`
	Done         time.Time         `json:"done,omitzero"`
}

// message is what a file says of core.Message. A provider's own data stays here: it is for that provider.
type message struct {
	ID          core.MessageID    `json:"id"`
	Chain       core.ChainID      `json:"chain"`
	N           uint32            `json:"n"`
	Agent       core.AgentID      `json:"agent,omitempty"`
	Role        string            `json:"role"`
	Type        string            `json:"type"`
	Text        string            `json:"text"`
	Context     string            `json:"context,omitempty"`
	Tool        string            `json:"tool,omitempty"`
	Call        core.CallID       `json:"call,omitempty"`
	Input       json.RawMessage   `json:"input,omitempty"`
	IsError     bool              `json:"is_error,omitempty"`
	Attachments []core.Attachment `json:"attachments,omitempty"`
	Partial     bool              `json:"partial,omitempty"`
	Marked      bool              `json:"marked,omitempty"`
	Deleted     bool              `json:"deleted,omitempty"`
	Created     time.Time         `json:"created"`
}

// summary is what a file says of core.Summary. It takes in the one in front of it.
type summary struct {
	First   core.ChainID `json:"first"`
	Last    core.ChainID `json:"last"`
	Chain   core.ChainID `json:"chain,omitempty"`
	Since   time.Time    `json:"since"`
	Until   time.Time    `json:"until"`
	Chains  int          `json:"chains"`
	Text    string       `json:"text"`
	Model   string       `json:"model"`
	Before  int          `json:"before_tokens"`
	After   int          `json:"after_tokens"`
	Prompt  int          `json:"prompt_tokens"`
	Usage   core.Usage   `json:"usage"`
	Created time.Time    `json:"created"`
}

// archive is what a file says of core.Archive.
type archive struct {
	Title   string            `json:"title"`
	Ranges  []core.ChainRange `json:"ranges"`
	Created time.Time         `json:"created"`
}

func fromSummary(s core.Summary) summary {
	return summary{
		First: s.First, Last: s.Last, Chain: s.Chain, Since: s.Since, Until: s.Until, Chains: s.Chains, Text: s.Text, Model: s.Model,
		Before: s.Before, After: s.After, Prompt: s.Prompt, Usage: s.Usage, Created: s.Created,
	}
}

func (s summary) core() core.Summary {
	return core.Summary{
		First: s.First, Last: s.Last, Chain: s.Chain, Since: s.Since, Until: s.Until, Chains: s.Chains, Text: s.Text, Model: s.Model,
		Before: s.Before, After: s.After, Prompt: s.Prompt, Usage: s.Usage, Created: s.Created,
	}
}

// attachment announces the content of a blob.
type attachment struct {
	Digest  core.Digest `json:"digest"`
	Size    int64       `json:"size"`
	Missing bool        `json:"missing,omitempty"` // it was lost before: no data follows
}

func fromSession(s core.Session) session {
	return session{
		ID: s.ID, Title: s.Title, Agent: s.Agent, Project: s.Project, Model: s.Model, Context: s.Context, Created: s.Created,
		Modified: s.Modified,
	}
}

func (s session) core() core.Session {
	return core.Session{
		ID: s.ID, Title: s.Title, Agent: s.Agent, Project: s.Project, Model: s.Model, Context: s.Context, Created: s.Created,
		Modified: s.Modified,
	}
}

func fromChain(c core.Chain, pos uint64) chain {
	return chain{
		ID: c.ID, Pos: pos, Agent: c.Agent, Project: c.Project, Origin: c.Origin.Kind, Responder: c.Responder,
		OnDisconnect: c.OnDisconnect, Params: c.Params, System: c.System, Model: c.Model, Stop: c.Stop, Usage: c.Usage,
		Iterations: c.Iterations, Created: c.Created, Started: c.Started, Done: c.Done,
	}
}

func (c chain) core() core.Chain {
	return core.Chain{
		ID: c.ID, Agent: c.Agent, Project: c.Project, Origin: core.Origin{Kind: c.Origin}, Responder: c.Responder,
		OnDisconnect: c.OnDisconnect, Params: c.Params, System: c.System, Model: c.Model, Stop: c.Stop, Usage: c.Usage,
		Iterations: c.Iterations, Created: c.Created, Started: c.Started, Done: c.Done, State: core.Ended,
	}
}

func fromMessage(m core.Message) message {
	return message{
		ID: m.ID, Chain: m.Chain, N: m.N, Agent: m.Agent, Role: m.Role, Type: m.Type, Text: m.Text, Context: m.Context,
		Tool: m.Tool, Call: m.Call, Input: m.Input, IsError: m.IsError, Attachments: m.Attachments, Partial: m.Partial,
		Marked: m.Marked, Deleted: m.Deleted, Created: m.Created,
	}
}

func (m message) core() core.Message {
	return core.Message{
		ID: m.ID, Chain: m.Chain, N: m.N, Agent: m.Agent, Role: m.Role, Type: m.Type, Text: m.Text, Context: m.Context,
		Tool: m.Tool, Call: m.Call, Input: m.Input, IsError: m.IsError, Attachments: m.Attachments, Partial: m.Partial,
		Marked: m.Marked, Deleted: m.Deleted, Created: m.Created,
	}
}
