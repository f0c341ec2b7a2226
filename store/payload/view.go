package payload

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"jarvis/core"
)

const (
	mask = "***"
	// mostText bounds an answer's text in memory, in bytes; seenBytes what is remembered of earlier requests.
	mostText  = 8 << 20
	seenBytes = 32 << 20
)

// view makes requests and answers of a journal's lines.
type view struct {
	w      *writer
	redact func(string) string

	seen map[string][]byte // what stood in an earlier request, by its digest
	held int

	text, reasoning strings.Builder // of the answer that is coming in: a secret may be spread over many pieces
}

// line takes the next line of the journal.
func (v *view) line(b []byte) error {
	var l struct {
		Record string          `json:"record"`
		Type   core.EventType  `json:"type"`
		Text   string          `json:"text"`
		Data   json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(b, &l); err != nil {
		return fmt.Errorf("a line of the journal cannot be read: %w", err)
	}
	switch {
	case l.Record == "request":
		if err := v.answer(); err != nil {
			return err
		}
		return v.request(l.Data)
	case l.Record == "finish", l.Record == "failed", l.Record == "invalid":
		if err := v.answer(); err != nil {
			return err
		}
		return v.put(l.Record, l.Data)
	case l.Record != "":
		return nil // of replay's concern only
	case l.Type == core.EventText:
		keep(&v.text, l.Text)
	case l.Type == core.EventReasoning:
		keep(&v.reasoning, l.Text)
	case l.Type == core.EventToolUse, l.Type == core.EventToolResult, l.Type == core.EventRetry, l.Type == core.EventError:
		return v.put("", b)
	}
	return nil
}

func keep(b *strings.Builder, text string) {
	b.WriteString(text[:max(0, min(len(text), mostText-b.Len()))])
}

// answer writes down what has come in since the last request.
func (v *view) answer() error {
	if v.text.Len()+v.reasoning.Len() == 0 {
		return nil
	}
	a := map[string]any{"text": v.text.String()}
	if v.reasoning.Len() > 0 {
		a["reasoning"] = v.reasoning.String()
	}
	v.text.Reset()
	v.reasoning.Reset()
	return v.write("answer", a)
}

// request puts back what stands as a digest only, and writes the request.
func (v *view) request(data json.RawMessage) error {
	var r map[string]json.RawMessage
	if err := json.Unmarshal(data, &r); err != nil {
		return fmt.Errorf("a request of the journal cannot be read: %w", err)
	}
	for _, name := range []string{"system", "messages"} {
		var list []json.RawMessage
		if json.Unmarshal(r[name], &list) != nil {
			continue
		}
		size := 0
		for i := range list {
			list[i] = v.whole(list[i])
			size += len(list[i])
		}
		if int64(size) > v.w.left {
			return v.w.cut()
		}
		b, err := json.Marshal(list)
		if err != nil {
			return err
		}
		r[name] = b
	}
	if t := r["tools"]; len(t) > 0 {
		r["tools"] = v.whole(t)
	}
	all, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return v.put("request", all)
}

// whole gives what a digest stands for, when it is known, and remembers what is no digest.
func (v *view) whole(raw json.RawMessage) json.RawMessage {
	if bytes.HasPrefix(raw, []byte(`{"sha256":"`)) {
		var d struct {
			SHA256 string `json:"sha256"`
		}
		if json.Unmarshal(raw, &d) == nil && v.seen[d.SHA256] != nil {
			return v.seen[d.SHA256]
		}
		return raw
	}
	if v.held += len(raw); v.held > seenBytes {
		return raw
	}
	sum := sha256.Sum256(raw)
	v.seen[hex.EncodeToString(sum[:])] = bytes.Clone(raw)
	return raw
}

// put writes a line of JSON under a name; without one it has its own.
func (v *view) put(kind string, data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var m map[string]any
	if err := d.Decode(&m); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("a line of the journal cannot be read: %w", err)
	}
	return v.write(kind, m)
}

func (v *view) write(kind string, m map[string]any) error {
	out, _ := v.clean(m).(map[string]any)
	if kind != "" {
		out["type"] = kind
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(out); err != nil {
		return err
	}
	return v.w.line(bytes.TrimSuffix(b.Bytes(), []byte{'\n'}))
}

// clean takes secrets out of every text, whatever it lies in, and a provider's own data, which nobody can read.
func (v *view) clean(x any) any {
	switch x := x.(type) {
	case string:
		return v.redact(x)
	case []any:
		for i := range x {
			x[i] = v.clean(x[i])
		}
		return x
	case map[string]any:
		out := make(map[string]any, len(x))
		for k, e := range x {
			switch {
			case k == "opaque":
			case secretName(k):
				if s, ok := e.(string); !ok || s != "" {
					e = mask
				}
				out[v.redact(k)] = e
			default:
				out[v.redact(k)] = v.clean(e)
			}
		}
		return out
	}
	return x
}

// secretName reports whether a field of this name holds a secret, in a tool's arguments for example.
func secretName(name string) bool {
	n := strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(name))
	switch n {
	case "authorization", "proxyauthorization", "apikey", "xapikey", "password", "passwd", "secret", "clientsecret", "token",
		"accesstoken", "refreshtoken", "authtoken", "privatekey", "cookie", "setcookie":
		return true
	}
	return false
}
