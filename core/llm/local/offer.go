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
	lib, ok := p.src.library()
	if !ok {
		o.Problem = "there is no llama.cpp for this system and processor"
		return o, true
	}
	files := []File{m.File}
	if _, err := os.Stat(filepath.Join(p.opts.ModelsDir, filepath.FromSlash(lib.folder()))); err != nil {
		for _, f := range lib.Files {
			o.Size += f.Size
		}
		files = append(files, lib.Files...)
	}
	p.mu.Lock()
	mirror := p.mirror
	p.mu.Unlock()
	if mirror == "" && slices.ContainsFunc(files, func(f File) bool { return len(f.URLs) == 0 }) {
		o.Problem = "no address is known to fetch all of it from: run make local-model in jarvis's source folder, or jarvis config set model_mirror URL"
	}
	return o, true
}
