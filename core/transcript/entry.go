package transcript

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"

	"jarvis/core"
)

func (f *file) entry(it item) error {
	set := 0
	for _, is := range []bool{it.Chain != nil, it.Message != nil, it.Summary != nil, it.Archive != nil, it.Attachment != nil, it.Data != nil} {
		if is {
			set++
		}
	}
	switch {
	case set != 1:
		return f.wrong("must be one chain, message, summary, archive or attachment")
	case it.Chain != nil:
		return f.chain(it.Chain)
	case it.Message != nil:
		return f.message(it.Message)
	case it.Summary != nil:
		return f.summary(it.Summary)
	case it.Archive != nil:
		return f.archive(it.Archive)
	case it.Attachment != nil:
		return f.attachment(*it.Attachment)
	}
	return f.wrong("is data that belongs to no attachment")
}

func (f *file) chain(c *chain) error {
	if err := f.checkChain(c); err != nil {
		return err
	}
	f.report.Chains++
	switch {
	case f.report.Summaries+f.report.Archives > 0:
		return f.wrong("is a chain behind a summary or an archive")
	case f.chains[c.ID] > 0:
		return f.wrong("has the id of an earlier chain")
	case c.Pos != uint64(f.report.Chains):
		return f.wrong("is not in its place")
	}
	f.chains[c.ID] = f.report.Chains
	f.cur, f.next, f.calls = c, 0, map[core.CallID]bool{}
	return f.to.Chain(c.core())
}

func (f *file) message(m *message) error {
	if err := f.checkMessage(m); err != nil {
		return err
	}
	switch {
	case f.cur == nil || m.Chain != f.cur.ID:
		return f.wrong("names a chain that it does not follow")
	case m.ID != core.MessageID(fmt.Sprintf("%s.%d", m.Chain, m.N)):
		return f.wrong("has an id that is not its own")
	case m.N < f.next:
		return f.wrong("is not in its place")
	}
	f.next = m.N + 1
	if err := f.pair(m); err != nil {
		return err
	}
	kept, err := f.kept(m.Attachments)
	if err != nil {
		return err
	}
	f.report.Messages++
	out := m.core()
	out.Attachments = kept
	return f.to.Message(out)
}

func (f *file) summary(s *summary) error {
	first, last := f.chains[s.First], f.chains[s.Last]
	u := s.Usage
	switch {
	case first == 0 || last < first || s.Chain != "" && f.chains[s.Chain] <= last:
		return f.wrong("is a summary of chains that are not there")
	case last <= f.upTo:
		return f.wrong("is not in its place")
	case s.Text == "" || !oneLine(s.Model, 4096):
		return f.wrong("is a summary that is none")
	case min(int64(s.Chains), int64(s.Before), int64(s.After), int64(s.Prompt), u.In, u.Out, u.CacheRead, u.CacheWrite, int64(u.Cost)) < 0:
		return f.wrong("is a summary with a number below 0")
	}
	f.upTo = last
	f.report.Summaries++
	f.cur = nil
	return f.to.Summary(s.core())
}

// maxRanges is how many ranges the archives of a file have.
const maxRanges = 2000

func (f *file) archive(a *archive) error {
	if !oneLine(a.Title, 400) || len(a.Ranges) == 0 {
		return f.wrong("is an archive that is none")
	}
	out := core.CopiedArchive{Archive: core.Archive{Title: a.Title, Created: a.Created}, Ranges: a.Ranges}
	for _, r := range a.Ranges {
		first, last := f.chains[r.First], f.chains[r.Last]
		if first == 0 || last < first {
			return f.wrong("is an archive of chains that are not there")
		}
		for _, t := range f.taken {
			if first <= t[1] && last >= t[0] {
				return f.wrong("is an archive of chains that are archived already")
			}
		}
		if f.taken = append(f.taken, [2]int{first, last}); len(f.taken) > maxRanges {
			return f.wrong("is one archive too many")
		}
		out.Chains += last - first + 1
	}
	f.report.Archives++
	f.cur = nil
	return f.to.Archive(out)
}

// pair holds a call to its one result.
func (f *file) pair(m *message) error {
	switch m.Type {
	case core.TypeToolUse:
		if _, twice := f.calls[m.Call]; twice {
			return f.wrong("has the id of an earlier call")
		}
		f.calls[m.Call] = false
	case core.TypeToolResult:
		answered, asked := f.calls[m.Call]
		if !asked || answered {
			return f.wrong("is the result of no call")
		}
		f.calls[m.Call] = true
	}
	return nil
}

// kept gives the attachments whose content is in the file.
func (f *file) kept(as []core.Attachment) ([]core.Attachment, error) {
	var kept []core.Attachment
	for _, a := range as {
		size, ok := f.have[a.Digest]
		switch {
		case ok && size < 0, !ok && !f.head.Attachments:
			f.report.Missing++
		case !ok:
			return nil, f.wrong("names an attachment that is not in the file")
		case size != a.Size:
			return nil, f.wrong("names an attachment of another size")
		default:
			kept = append(kept, a)
		}
	}
	return kept, nil
}

func (f *file) attachment(a attachment) error {
	switch {
	case !f.head.Attachments:
		return f.wrong("is an attachment, and the file says that it has none")
	case !validDigest(a.Digest) || a.Size < 0:
		return f.wrong("is not what it should be")
	}
	if _, twice := f.have[a.Digest]; twice {
		return f.wrong("is an attachment that came before")
	}
	if a.Missing {
		f.have[a.Digest] = -1
		return nil
	}
	if a.Size > f.l.Attachment {
		return core.E(core.TooLarge, fmt.Sprintf("entry %d of the file is an attachment larger than %d MiB", f.n, f.l.Attachment>>20),
			"jarvis config get limits", nil)
	}
	n := f.n
	r := &content{f: f, left: a.Size}
	d, size, err := f.to.Blob(r)
	if err != nil {
		return err
	}
	if d != a.Digest || size != a.Size || r.left != 0 {
		f.n = n
		return f.wrong("is an attachment whose content is another")
	}
	f.have[a.Digest] = size
	f.report.Attachments++
	return nil
}

// content is an attachment's data, of one item after the other.
type content struct {
	f    *file
	left int64
	part []byte
}

func (c *content) Read(p []byte) (int, error) {
	for len(c.part) == 0 {
		if c.left == 0 {
			return 0, io.EOF
		}
		if !c.f.d.More() {
			return 0, c.f.wrong("is an attachment without all of its data")
		}
		it, err := c.f.item()
		if err != nil {
			return 0, err
		}
		if len(it.Data) == 0 || it.Chain != nil || it.Message != nil || it.Summary != nil || it.Archive != nil || it.Attachment != nil || int64(len(it.Data)) > c.left {
			return 0, c.f.wrong("should be data of an attachment")
		}
		c.part = it.Data
		c.left -= int64(len(it.Data))
	}
	n := copy(p, c.part)
	c.part = c.part[n:]
	return n, nil
}

func (f *file) checkSession(s session) error {
	switch {
	case !core.ValidUUID(string(s.ID)):
		return bad("the session of the file has no valid id")
	case !oneLine(s.Title, 400), !name(string(s.Agent)), !name(string(s.Project)), !oneLine(s.Model, 4096),
		len(s.Context) > core.MaxContext || strings.IndexByte(s.Context, 0) >= 0:
		return bad("the session of the file has a title, agent, model or context that is none")
	}
	return nil
}

var stops = map[core.StopReason]bool{
	core.EndTurn: true, core.MaxIterations: true, core.Failed: true, core.Stopped: true, core.ClientDisconnected: true,
	core.Interrupted: true, core.OverBudget: true, core.Loop: true, core.Refused: true, core.TimedOut: true,
}

func (f *file) checkChain(c *chain) error {
	p, u := c.Params, c.Usage
	switch {
	case !core.ValidUUID(string(c.ID)):
		return f.wrong("is a chain without a valid id")
	case !stops[c.Stop]:
		return f.wrong("is a chain that ended for no known reason")
	case c.Responder != core.RespondNone && c.Responder != core.RespondUser:
		return f.wrong("is a chain with an unknown responder")
	case c.OnDisconnect != core.Cancel && c.OnDisconnect != core.Continue:
		return f.wrong("is a chain with an unknown on_disconnect")
	case !name(string(c.Agent)), !name(string(c.Project)), !name(c.Origin), !oneLine(c.Model, 4096), !oneLine(p.Model, 4096),
		!oneLine(p.Lang, 64), !oneLine(p.TZ, 64), len(p.Cwd) > 4096, len(p.Tools) > 1000:
		return f.wrong("is a chain with a name that is none")
	case min(u.In, u.Out, u.CacheRead, u.CacheWrite, int64(u.Cost), p.TimeoutMS, int64(p.MaxCost), int64(c.Iterations)) < 0:
		return f.wrong("is a chain with a number below 0")
	}
	return nil
}

func (f *file) checkMessage(m *message) error {
	tool := m.Type == core.TypeToolUse || m.Type == core.TypeToolResult
	switch {
	case m.Role != core.RoleUser && m.Role != core.RoleAssistant && m.Role != core.RoleSystem:
		return f.wrong("is a message of an unknown role")
	case m.Type != core.TypeText && m.Type != core.TypeReasoning && m.Type != core.TypeError && !tool:
		return f.wrong("is a message of an unknown type")
	case tool != (m.Call != ""), !oneLine(string(m.Call), 4096), len(m.Tool) > 800:
		return f.wrong("is a message whose tool or call is none")
	case m.Type == core.TypeToolUse && len(m.Input) > 0 && !object(m.Input), m.Type != core.TypeToolUse && len(m.Input) > 0:
		return f.wrong("is a message whose input is none")
	case !name(string(m.Agent)):
		return f.wrong("is a message of an agent that is none")
	case len(m.Attachments) > maxFiles:
		return f.wrong(fmt.Sprintf("is a message with more than %d attachments", maxFiles))
	}
	for _, a := range m.Attachments {
		if !validDigest(a.Digest) || !oneLine(a.Name, 1024) || a.Name == "" || strings.ContainsAny(a.Name, `/\`) || !media[a.MediaType] {
			return f.wrong("is a message with an attachment that is none")
		}
	}
	return nil
}

// media are the contents that models take.
var media = map[string]bool{
	"image/png": true, "image/jpeg": true, "image/gif": true, "image/webp": true, "application/pdf": true, "text/plain": true,
}

// image reports whether a media type is one that a page may show, and content is of it.
func image(mediaType string, content []byte) bool {
	if !strings.HasPrefix(mediaType, "image/") || !media[mediaType] {
		return false
	}
	is, _, _ := strings.Cut(http.DetectContentType(content), ";")
	return is == mediaType
}

// object reports whether raw is a JSON object. It is valid JSON.
func object(raw json.RawMessage) bool {
	return len(raw) > 0 && bytes.TrimSpace(raw)[0] == '{'
}

// oneLine reports whether s is one line of at most limit bytes without control characters.
func oneLine(s string, limit int) bool {
	return len(s) <= limit && utf8.ValidString(s) && !strings.ContainsFunc(s, unicode.IsControl)
}

// name reports whether s is "" or a name as folders have them.
func name(s string) bool {
	return len(s) <= 64 && strings.Trim(strings.ToLower(s), "abcdefghijklmnopqrstuvwxyz0123456789-_.") == ""
}

func validDigest(d core.Digest) bool {
	return len(d) == 64 && strings.Trim(string(d), "0123456789abcdef") == ""
}
