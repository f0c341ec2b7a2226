package engine

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/document"
	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/index/scorch/mergeplan"
	"github.com/blevesearch/bleve/v2/search"
	bindex "github.com/blevesearch/bleve_index_api"

	"jarvis/core"
	"jarvis/store/index"
)

const (
	format     = 1 // of the documents; another one is built anew
	bleveName  = "bleve"
	searchTime = 8 * time.Second
	eraseStep  = 500 // documents of a session that go at once
)

var stateKey = []byte("state")

// manifest says whose index a folder holds.
type manifest struct {
	Format int    `json:"format"`
	Home   string `json:"home"`
	Epoch  string `json:"epoch"`
}

// Engine is an open index. One caller at a time.
type Engine struct {
	dir, home string
	words     words
	b         bleve.Index
	mark      os.FileInfo // of the manifest, when it was opened
	state     index.State
}

// Open opens the index of a home in dir, or begins an empty one where there is none, a damaged one or another home's.
func Open(dir, home string) (*Engine, error) {
	e := &Engine{dir: dir, home: home, words: newWords()}
	if err := e.open(); err == nil {
		return e, nil
	}
	if err := e.begin(); err != nil {
		return nil, err
	}
	return e, nil
}

// Close gives the files back.
func (e *Engine) Close() error {
	if e.b == nil {
		return nil
	}
	b := e.b
	e.b = nil
	return b.Close()
}

func (e *Engine) open() (err error) {
	defer recovered(&err)
	text, err := os.ReadFile(filepath.Join(e.dir, index.ManifestName))
	if err != nil {
		return err
	}
	var m manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return err
	}
	if m.Format != format || m.Home != e.home || m.Epoch == "" {
		return errors.New("another index")
	}
	if e.mark, err = os.Stat(filepath.Join(e.dir, index.ManifestName)); err != nil {
		return err
	}
	b, err := bleve.Open(filepath.Join(e.dir, bleveName))
	if err != nil {
		return err // what came with it is no index
	}
	e.b = b
	raw, err := e.b.GetInternal(stateKey)
	if err == nil {
		err = json.Unmarshal(raw, &e.state)
	}
	if err == nil && e.state.Epoch != m.Epoch {
		err = errors.New("the state is of another index")
	}
	if err != nil {
		return errors.Join(err, e.Close())
	}
	return nil
}

// begin makes an empty index in place of what is there. The manifest comes last.
func (e *Engine) begin() (err error) {
	defer recovered(&err)
	_ = e.Close() // whatever it was
	if err := os.RemoveAll(e.dir); err != nil {
		return err
	}
	if err := os.MkdirAll(e.dir, 0o700); err != nil {
		return err
	}
	b, err := bleve.NewUsing(filepath.Join(e.dir, bleveName), bleve.NewIndexMapping(), scorch.Name, scorch.Name, nil)
	if err != nil {
		return err
	}
	e.b = b
	e.state = index.State{Epoch: rand.Text()}
	raw, err := json.Marshal(e.state)
	if err != nil {
		return err
	}
	if err := e.b.SetInternal(stateKey, raw); err != nil {
		return err
	}
	text, err := json.Marshal(manifest{Format: format, Home: e.home, Epoch: e.state.Epoch})
	if err != nil {
		return err
	}
	path := filepath.Join(e.dir, index.ManifestName)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		return err
	}
	e.mark, err = os.Stat(path)
	return err
}

// State looks whether the folder is still the one that was opened; when it is not, it begins anew.
func (e *Engine) State() (index.State, error) {
	now, err := os.Stat(filepath.Join(e.dir, index.ManifestName))
	same := err == nil && e.b != nil && os.SameFile(now, e.mark) && now.ModTime().Equal(e.mark.ModTime())
	if same {
		_, err = os.Stat(filepath.Join(e.dir, bleveName, "store", "root.bolt"))
		same = err == nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return e.state, err
	}
	if !same {
		_ = e.Close()
		if err := e.open(); err != nil {
			if err := e.begin(); err != nil {
				return e.state, err
			}
		}
	}
	return e.state, nil
}

// Apply writes a batch; when it returns, it is on the disk. A batch for another index is not written: stale.
func (e *Engine) Apply(b *index.Batch) (stale bool, err error) {
	defer recovered(&err)
	if b.State.Epoch != e.state.Epoch {
		return true, nil
	}
	for _, s := range b.Sessions {
		if err := e.erase(s); err != nil {
			return false, err
		}
	}
	raw, err := json.Marshal(b.State)
	if err != nil {
		return false, err
	}
	batch := e.b.NewBatch()
	for _, id := range b.Dels {
		batch.Delete(string(id))
	}
	for i := range b.Puts {
		if err := batch.IndexAdvanced(e.document(&b.Puts[i])); err != nil {
			return false, err
		}
	}
	batch.SetInternal(stateKey, raw)
	if err := e.b.Batch(batch); err != nil {
		return false, err
	}
	e.state = b.State
	return false, nil
}

func (e *Engine) document(d *index.Doc) *document.Document {
	doc := document.NewDocument(string(d.ID))
	one := func(name, value string) {
		doc.AddField(document.NewTextFieldCustom(name, nil, []byte(value), bindex.IndexField|bindex.SkipFreqNorm, whole{}))
	}
	one(fUser, userTerm(d.User))
	one(fSession, string(d.Session))
	one(fRole, d.Role)
	one(fType, d.Type)
	if d.Agent != "" {
		one(fAgent, string(d.Agent))
	}
	if d.Marked {
		one(fMarked, "1")
	}
	doc.AddField(document.NewTextFieldCustom(fText, nil, []byte(d.Text), bindex.IndexField|bindex.IncludeTermVectors, e.words))
	doc.AddField(document.NewNumericFieldWithIndexingOptions(fCreated, nil, seconds(d.Created), bindex.IndexField|bindex.DocValues))
	return doc
}

// erase deletes every document of a session.
func (e *Engine) erase(s core.SessionID) error {
	for {
		r := bleve.NewSearchRequestOptions(is(fSession, string(s)), eraseStep, 0, false)
		r.Score = "none"
		res, err := e.b.Search(r)
		if err != nil || len(res.Hits) == 0 {
			return err
		}
		batch := e.b.NewBatch()
		for _, h := range res.Hits {
			batch.Delete(h.ID)
		}
		if err := e.b.Batch(batch); err != nil {
			return err
		}
	}
}

// Search answers a query.
func (e *Engine) Search(q *core.Query) (hits []index.Found, total uint64, err error) {
	defer recovered(&err)
	bq, ranked, err := e.build(q)
	if err != nil {
		return nil, 0, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), searchTime)
	defer cancel()
	res, err := e.b.SearchInContext(ctx, request(bq, ranked, q.From, q.Limit))
	if err != nil {
		return nil, 0, err
	}
	for _, h := range res.Hits {
		hits = append(hits, index.Found{ID: core.MessageID(h.ID), Matches: matches(h.Locations[fText])})
	}
	return hits, res.Total, nil
}

// matches are the first places of a hit, in order, none of them twice.
func matches(terms search.TermLocationMap) [][2]int {
	var all [][2]int
	for _, ls := range terms {
		for _, l := range ls {
			all = append(all, [2]int{int(l.Start), int(l.End)})
		}
	}
	sort.Slice(all, func(i, j int) bool { return all[i][0] < all[j][0] })
	all = slices.Compact(all)
	return all[:min(len(all), maxMatches)]
}

// Merge rewrites the files without what was deleted, so that nothing of it stays on the disk.
func (e *Engine) Merge(ctx context.Context) (err error) {
	defer recovered(&err)
	adv, err := e.b.Advanced()
	if err != nil {
		return err
	}
	s, ok := adv.(*scorch.Scorch)
	if !ok {
		return errors.New("the index cannot be merged")
	}
	// ForceMerge itself tells no error, and does not come back after some of them; the channel does. After an error the caller
	// ends the program.
	failed := make(chan error, 8)
	done := make(chan error, 1)
	ctx = context.WithValue(ctx, mergeDone, failed) //nolint:staticcheck // the key is the library's
	go func() { done <- s.ForceMerge(ctx, &mergeplan.SingleSegmentMergePlanOptions) }()
	for {
		select {
		case err := <-failed:
			if err != nil {
				return fmt.Errorf("merge: %w", err)
			}
		case err := <-done:
			return errors.Join(err, ctx.Err())
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// mergeDone is the key under which the library looks for who wants to know how a merge ended.
const mergeDone = "mergeDone"

// recovered turns a panic of the library over damaged files into an error.
func recovered(err *error) {
	if v := recover(); v != nil {
		*err = &Broken{fmt.Sprint(v)}
	}
}

// Broken is an index whose files cannot be read.
type Broken struct{ why string }

func (b *Broken) Error() string { return "the index is damaged: " + b.why }
