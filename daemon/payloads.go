package daemon

import (
	"context"
	"path/filepath"
	"regexp"
	"sync"
	"time"

	"jarvis/core"
	"jarvis/core/chat"
	"jarvis/core/llm"
	"jarvis/store/journal"
	"jarvis/store/payload"
)

const (
	payloadQueue = 1000            // ended chains that may wait to be written
	payloadRest  = 2 * time.Second // what those get that wait when the daemon ends
)

// payloads writes the requests of ended chains and their answers into logs/payloads while the configuration wants that. It
// reads what the journal has anyway, so that no answer waits for it.
type payloads struct {
	d     *daemon
	log   *payload.Log
	ended chan core.ChainID

	lost sync.Once
}

func newPayloads(d *daemon, j *journal.Dir) *payloads {
	p := &payloads{d: d, ended: make(chan core.ChainID, payloadQueue)}
	p.log = payload.New(payload.Options{Dir: filepath.Join(d.o.Home.Logs, "payloads"), Lines: j.Lines, Redact: p.redact})
	return p
}

// end takes note of a chain whose journal is sealed. It never waits.
func (p *payloads) end(id core.ChainID) {
	if !p.d.conf.Current().Log.Payloads {
		return
	}
	select {
	case p.ended <- id:
	default:
		p.lost.Do(func() { p.d.log.Warn("More chains end than payloads can be written: some are left out") })
	}
}

// serve writes until ctx ends, and a little longer for what waits.
func (p *payloads) serve(ctx context.Context) error {
	work, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(payloadRest, cancel) })()
	for {
		select {
		case id := <-p.ended:
			p.write(work, id)
			continue
		default:
		}
		select {
		case id := <-p.ended:
			p.write(work, id)
		case <-ctx.Done():
			if len(p.ended) == 0 || work.Err() != nil {
				return ctx.Err()
			}
		}
	}
}

func (p *payloads) write(ctx context.Context, id core.ChainID) {
	if ctx.Err() != nil {
		return
	}
	if err := p.log.Write(ctx, id, p.d.conf.Current().Log.PayloadsGzip); err != nil {
		p.d.log.Warn("Payloads cannot be written", "chain", id, "error", err)
	}
}

// keyLike is what looks like a secret beyond what core/llm knows.
var keyLike = regexp.MustCompile(`(?is)-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)` +
	`|\b(?:gh[opsur]_[a-z0-9]{16,}|github_pat_[a-z0-9_]{20,}|xox[a-z]-[a-z0-9-]{10,}|AKIA[0-9A-Z]{16}|eyJ[a-z0-9_-]{10,}\.[a-z0-9_-]{10,}\.[a-z0-9_-]*)` +
	`|((?:proxy-)?authorization["']?\s*[:=]\s*["']?)[^\r\n"']+` +
	`|(\b(?:x-)?(?:api[_-]?key|access[_-]?token|auth[_-]?token|client[_-]?secret|password|passwd)["']?\s*[:=]\s*["']?)[^\s"',;]+` +
	`|(\b[a-z][a-z0-9+.-]*://[^\s/:@]+:)[^\s/@]+@`)

// redact gives what takes the keys that this daemon has now, and whatever looks like one, out of texts.
func (p *payloads) redact() func(string) string {
	keys := p.secrets()
	return func(text string) string { return keyLike.ReplaceAllString(llm.Redact(text, keys...), "$1$2$3***") }
}

// secrets are the keys that this daemon has now.
func (p *payloads) secrets() []string {
	c := p.d.conf.Current()
	out := []string{p.d.token}
	for _, q := range c.ProviderList(p.d.o.Env.Get) {
		out = append(out, q.Key.Reveal(), q.Token.Reveal())
		for _, h := range q.Headers {
			out = append(out, h.Reveal())
		}
	}
	if key, err := c.WebSearch.APIKey.Resolve(p.d.o.Env.Get, filepath.Dir(c.Path())); err == nil {
		out = append(out, key.Reveal())
	}
	return out
}

// remove erases what there is of chains: their journals, then what was made of those.
func (s *services) remove(ctx context.Context, ids ...core.ChainID) error {
	if err := s.journal.Remove(ctx, ids...); err != nil {
		return err
	}
	return s.payloads.log.Remove(ctx, ids...)
}

// sealing tells when a journal is closed that is sealed.
type sealing struct {
	chat.Log
	ended func()
}

// Close closes the journal.
func (s sealing) Close() error {
	sealed := s.Sealed()
	err := s.Log.Close()
	if sealed && err == nil {
		s.ended()
	}
	return err
}
