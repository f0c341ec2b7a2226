package local

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Offer is what Pull would bring for a model that is not installed.
type Offer struct {
	Size    int64  // bytes of the model and of the libraries that are missing
	Problem string // why it cannot be fetched as things are; "" = it can
}

// Offer tells it for a model of the list; false when there is none of that name.
func (p *Provider) Offer(ref string) (o Offer, ok bool) {
	m, ok := p.src.model(strings.TrimPrefix(ref, Name+"/"))
	if !ok {
		return o, false
	}
	o.Size = m.File.Size
	libs := p.src.libraries()
	if len(libs) == 0 {
		o.Problem = "there is no llama.cpp for this system and processor"
		return o, true
	}
	p.mu.Lock()
	mirror := p.mirror
	p.mu.Unlock()
	from := slices.IndexFunc(libs, func(l LibrarySource) bool { return l.fetchable(mirror) })
	if missing := !slices.ContainsFunc(libs, func(l LibrarySource) bool {
		_, err := os.Stat(filepath.Join(p.opts.ModelsDir, filepath.FromSlash(l.folder())))
		return err == nil
	}); missing {
		for _, f := range libs[max(from, 0)].parts() {
			o.Size += f.Size
		}
		if from < 0 {
			o.Problem = noAddress
		}
	}
	if mirror == "" && len(m.File.URLs) == 0 {
		o.Problem = noAddress
	}
	return o, true
}

const noAddress = "no address is known to fetch all of it from: run make local-model in jarvis's source folder, or jarvis config set model_mirror URL"
