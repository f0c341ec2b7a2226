package ollama

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"jarvis/core/llm"
)

// Pull installs a model and tells how far it is, in bytes of the part that is being fetched, with Ollama's words for it; total
// is 0 while it is unknown, progress may be nil. Cancelling ctx stops it; what was fetched is kept by Ollama, and the next Pull
// goes on from there.
func (p *Provider) Pull(ctx context.Context, id string, progress func(step string, done, total int64)) error {
	s := p.source(id)
	// The check of a large file says nothing for minutes.
	ctx, w := llm.NewWatch(ctx, llm.Timeouts{FirstToken: pullTime, BetweenTokens: pullTime})
	defer w.Stop()
	res, err := p.send(ctx, w, s, http.MethodPost, "/api/pull", map[string]any{"model": id, "stream": true}) //nolint:bodyclose // closed through the watched body
	if err != nil {
		return err
	}
	body := w.Body(res.Body, llm.Limits{Line: 1 << 20})
	defer body.Close() //nolint:errcheck // read only
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		w.Token()
		var l struct {
			Status    string `json:"status"`
			Error     string `json:"error"`
			Total     int64  `json:"total"`
			Completed int64  `json:"completed"`
		}
		if len(lines.Bytes()) == 0 {
			continue
		}
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			return s.Fail(err)
		}
		switch {
		case l.Error != "":
			return pullError(s, l.Error)
		case progress != nil:
			progress(llm.OneLine(l.Status), max(0, l.Completed), max(0, l.Total))
		}
		if l.Status == "success" {
			return nil
		}
	}
	if err := lines.Err(); err != nil {
		return w.Fail(s, err)
	}
	return s.Error(llm.KindCut, "the download ended before it was complete", nil)
}

func pullError(s llm.Source, text string) *llm.Error {
	kind := llm.KindServer
	if strings.Contains(text, "does not exist") || strings.Contains(text, "not found") {
		kind = llm.KindNotFound
	}
	return s.Error(kind, text, nil)
}
