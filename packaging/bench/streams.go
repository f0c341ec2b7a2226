package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"jarvis/core"
	"jarvis/core/llm/llmtest"
	"jarvis/daemon/api"
)

const (
	clients = 200
	seconds = 8 // of each paced stream
)

// stream is what one client saw.
type stream struct {
	first, whole time.Duration
	text         string
	err          error
}

// streams: 200 clients at once through one daemon, against the same clients straight at the server.
func (b *bench) streams() error {
	h, err := b.newHome("streams")
	if err != nil {
		return err
	}
	defer h.stop()
	st, err := h.status()
	if err != nil {
		return err
	}
	for _, rate := range []int{50, 100, 200, 0} {
		model, words := fmt.Sprintf("text-%d-%d", rate*seconds, rate), rate*seconds
		if rate == 0 {
			model, words = "text-500", 500
		}
		straight, bareFirst, _, err := together(func() stream { return b.straight(model) }, words)
		if err != nil {
			return err
		}
		before, err := cpu(st.PID)
		if err != nil {
			return err
		}
		through, first, lost, err := together(func() stream { return h.through(model) }, words)
		if err != nil {
			return err
		}
		after, err := cpu(st.PID)
		if err != nil {
			return err
		}
		bar, name := "≥ 0.95", fmt.Sprintf("200 streams at %d tokens/s, straight time / through the daemon", rate)
		switch rate {
		case 200:
			bar = "≥ 0.9"
		case 0:
			bar, name = "–", "200 streams unpaced (500 tokens)"
		}
		b.add(name, ms(through), ms(straight), fmt.Sprintf("%.2f", float64(straight)/float64(through)), bar)
		events := time.Duration(words * clients)
		b.add("… added to the first token; CPU an event; events lost",
			fmt.Sprintf("%s; %.1f µs; %d", ms(first-bareFirst), float64((after-before)/events)/1000, lost), "", "", "0 lost")
		if rate == 200 {
			own, resident, err := memory(st.PID)
			if err != nil {
				return err
			}
			b.add("daemon after 200 streams, own memory (resident)", fmt.Sprintf("%.1f MiB (%.1f)", own, resident), "", "", "–")
		}
	}
	return nil
}

// together runs all clients at once: the median time to the end and to the first token, and how many words are missing.
func together(one func() stream, words int) (whole, first time.Duration, lost int, err error) {
	results := make([]stream, clients)
	var wg sync.WaitGroup
	for i := range results {
		wg.Go(func() { results[i] = one() })
	}
	wg.Wait()
	var firsts, wholes []time.Duration
	want := llmtest.Words(words)
	for _, r := range results {
		if r.err != nil {
			return 0, 0, 0, r.err
		}
		if r.text != want {
			lost += max(1, words-len(strings.Fields(r.text)))
		}
		firsts, wholes = append(firsts, r.first), append(wholes, r.whole)
	}
	return median(wholes), median(firsts), lost, nil
}

func (h *testHome) through(model string) (s stream) {
	start := time.Now()
	var text strings.Builder
	for e, err := range h.c.Ask(h.b.ctx, api.Chat{Content: "hello", Model: "bench/" + model, OnDisconnect: core.Cancel}) {
		if err != nil {
			return stream{err: err}
		}
		switch e.Type {
		case core.EventText:
			if s.first == 0 {
				s.first = time.Since(start)
			}
			text.WriteString(e.Text)
		case core.EventError:
			return stream{err: fmt.Errorf("chain failed: %s", e.Data)}
		}
	}
	s.whole, s.text = time.Since(start), text.String()
	return s
}

var straightClient = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}}

func (b *bench) straight(model string) (s stream) {
	start := time.Now()
	ctx, cancel := context.WithTimeout(b.ctx, 5*time.Minute)
	defer cancel()
	body := fmt.Sprintf(`{"model":%q,"stream":true,"messages":[{"role":"user","content":"hello"}]}`, model)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, b.url+"/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		return stream{err: err}
	}
	req.Header.Set("Authorization", "Bearer sk-bench")
	req.Header.Set("Content-Type", "application/json")
	res, err := straightClient.Do(req)
	if err != nil {
		return stream{err: err}
	}
	defer res.Body.Close()
	var text strings.Builder
	for lines := bufio.NewScanner(res.Body); lines.Scan(); {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok || data == "[DONE]" {
			continue
		}
		var chunk struct {
			Choices []struct{ Delta struct{ Content string } }
		}
		if err := json.Unmarshal([]byte(data), &chunk); err != nil {
			return stream{err: err}
		}
		for _, c := range chunk.Choices {
			if s.first == 0 && c.Delta.Content != "" {
				s.first = time.Since(start)
			}
			text.WriteString(c.Delta.Content)
		}
	}
	s.whole, s.text = time.Since(start), text.String()
	return s
}
