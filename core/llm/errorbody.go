package llm

import (
	"bytes"
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// detail is what a provider says of an error.
type detail struct {
	message string
	class   string // "type" or Google's "status"
	code    string
	status  int // when "code" is an HTTP status
}

// parseErrorBody reads the error forms of OpenAI, Anthropic, Google (also in an array), OpenRouter and Ollama. A body that is
// none of them gives its text when it is plain text, and nothing when it is a page.
func parseErrorBody(body []byte) detail {
	body = bytes.TrimSpace(body)
	if len(body) == 0 {
		return detail{}
	}
	switch body[0] {
	case '[':
		var list []json.RawMessage
		if json.Unmarshal(body, &list) == nil && len(list) > 0 && bytes.HasPrefix(bytes.TrimSpace(list[0]), []byte("{")) {
			return parseErrorBody(list[0])
		}
		return detail{}
	case '{':
		return parseErrorObject(body)
	case '<':
		return detail{}
	default:
		return detail{message: string(body)}
	}
}

func parseErrorObject(body []byte) detail {
	var outer struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
		Detail  json.RawMessage `json:"detail"` // FastAPI servers
	}
	if json.Unmarshal(body, &outer) != nil {
		return detail{}
	}
	var text string
	if json.Unmarshal(outer.Error, &text) == nil && text != "" {
		return detail{message: text}
	}
	var in struct {
		Message string          `json:"message"`
		Type    string          `json:"type"`
		Status  string          `json:"status"`
		Code    json.RawMessage `json:"code"`
		Meta    struct {
			Raw string `json:"raw"` // OpenRouter: what the service behind it said
		} `json:"metadata"`
	}
	if json.Unmarshal(outer.Error, &in) == nil && len(outer.Error) > 0 {
		d := detail{message: in.Message, class: in.Type}
		if d.class == "" {
			d.class = in.Status
		}
		if json.Unmarshal(in.Code, &d.code) != nil {
			_ = json.Unmarshal(in.Code, &d.status) // neither a name nor a number: unknown
		}
		if in.Meta.Raw != "" {
			d.message += ": " + in.Meta.Raw
		}
		if d != (detail{}) {
			return d
		}
	}
	if outer.Message != "" {
		return detail{message: outer.Message}
	}
	if json.Unmarshal(outer.Detail, &text) == nil {
		return detail{message: text}
	}
	return detail{}
}

// maxWait is the longest wait that a provider may ask for and get; anything longer fails at once.
const maxWait = 60 * time.Second

// RetryAfter reads the wait a provider asks for, 0 when it asks for none: milliseconds, seconds or an HTTP date.
func RetryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(strings.TrimSpace(h.Get("Retry-After-Ms")), 64); err == nil {
		return bounded(ms / 1000)
	}
	v := strings.TrimSpace(h.Get("Retry-After"))
	if v == "" {
		return 0
	}
	if s, err := strconv.ParseFloat(v, 64); err == nil {
		return bounded(s)
	}
	at, err := http.ParseTime(v)
	if err != nil {
		return 0
	}
	if d, err := http.ParseTime(h.Get("Date")); err == nil {
		now = d // the server's own clock: ours may be wrong
	}
	return bounded(at.Sub(now).Seconds())
}

// bounded turns seconds into a duration between 0 and a day; a NaN is 0.
func bounded(seconds float64) time.Duration {
	const day = 24 * 60 * 60
	if !(seconds > 0) {
		return 0
	}
	return time.Duration(min(seconds, day) * float64(time.Second))
}

// secret matches what looks like a key whoever wrote it.
var secret = regexp.MustCompile(`(?i)\b(sk-[a-z0-9_-]{8,}|AIza[0-9a-z_-]{20,}|Bearer\s+[^\s"']{8,}|gsk_[a-z0-9]{16,})|([?&](?:key|api_key|access_token)=)[^&\s"']+`)

// Redact replaces the given secrets, and everything that looks like a key, by three stars.
func Redact(text string, secrets ...string) string {
	for _, s := range secrets {
		if len(s) >= 4 {
			text = strings.ReplaceAll(text, s, "***")
		}
	}
	return secret.ReplaceAllString(text, "$2***")
}

// maxMessage is how many characters of a provider's sentence people see.
const maxMessage = 300

// OneLine joins the lines of a text, drops control characters and cuts it to 300 characters.
func OneLine(text string) string {
	if len(text) > 8*maxMessage {
		text = text[:8*maxMessage]
	}
	text = strings.ToValidUTF8(text, "")
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
	text = strings.TrimSuffix(text, ".")
	if utf8.RuneCountInString(text) <= maxMessage {
		return text
	}
	return string([]rune(text)[:maxMessage-1]) + "…"
}
