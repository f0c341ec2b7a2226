package local

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"jarvis/core/llm/local/wire"
)

// A person may put a GGUF file of their own into models/<name>/. It has no manifest and nobody vouches for it: it is offered as
// it is, and gets its manifest, with the hash it has now, when it has loaded for the first time. From then on a change is damage.

// findOwn describes the one GGUF file in a folder without a manifest; fs.ErrNotExist when there is none, or more than one.
func findOwn(dir, name string) (manifest, error) {
	m := manifest{Name: name}
	entries, err := os.ReadDir(filepath.Join(dir, name))
	if err != nil {
		return m, err
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".gguf") || !fileRE.MatchString(e.Name()) {
			continue
		}
		st, err := os.Stat(filepath.Join(dir, name, e.Name())) // a link to where the file lies is welcome
		if err != nil || !st.Mode().IsRegular() || st.Size() == 0 {
			continue
		}
		if m.File.Name != "" {
			return m, fs.ErrNotExist
		}
		m.File = File{Name: e.Name(), Size: st.Size()}
	}
	if m.File.Name == "" {
		return m, fs.ErrNotExist
	}
	return m, nil
}

// adopted reports whether a model has a manifest.
func (m manifest) adopted() bool { return m.File.SHA256 != "" }

// adopt writes the manifest of a model of the user's own that has just loaded.
func (p *Provider) adopt(ctx context.Context, m manifest, l wire.Loaded) error {
	path := filepath.Join(p.opts.ModelsDir, m.Name, m.File.Name)
	st, err := os.Stat(path)
	if err != nil {
		return err
	}
	if m.File.SHA256, err = hashFile(ctx, path); err != nil {
		return err
	}
	if now, err := os.Stat(path); err != nil || now.Size() != st.Size() || !now.ModTime().Equal(st.ModTime()) {
		return errors.New("the file changed while it was read")
	}
	m.File.Size, m.Context = st.Size(), l.Train
	return writeManifest(p.opts.ModelsDir, m)
}
