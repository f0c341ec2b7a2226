package local

import (
	_ "embed"
	"encoding/hex"
	"fmt"
	"net/url"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

//go:embed sources.yaml
var embedded []byte

// Sources is the list of what can be installed.
type Sources struct {
	Models    []ModelSource   `yaml:"models"`
	Libraries []LibrarySource `yaml:"libraries"`
}

// File is one file to install. Size is in bytes, SHA256 in hex.
type File struct {
	Name   string   `yaml:"name" json:"name"`
	Size   int64    `yaml:"size" json:"size"`
	SHA256 string   `yaml:"sha256" json:"sha256"`
	URLs   []string `yaml:"urls" json:"-"`
}

// ModelSource is a model's weights.
type ModelSource struct {
	Name    string `yaml:"name"`    // what stands behind "local/"
	Title   string `yaml:"title"`   // for people
	License string `yaml:"license"` // SPDX
	Context int    `yaml:"context"` // tokens the model was trained for
	Note    string `yaml:"note"`    // what people must know where it answers: "<model> <note>", once a process; "" = nothing
	File    File   `yaml:"file"`
}

// LibrarySource is llama.cpp built for one platform.
type LibrarySource struct {
	Platform string            `yaml:"platform"` // GOOS/GOARCH
	Version  string            `yaml:"version"`
	License  string            `yaml:"license"`
	Links    map[string]string `yaml:"links"` // the names the loader asks for, and the files they stand for
	Files    []File            `yaml:"files"`
	Archive  *File             `yaml:"archive"` // instead of links and files: a gzipped tar of upstream's, whose libraries are all taken
}

// DefaultSources is the list this program was built with.
func DefaultSources() *Sources {
	s, err := ParseSources(embedded)
	if err != nil {
		panic("sources.yaml: " + err.Error()) // a test holds that it parses
	}
	return s
}

var (
	nameRE = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,63}$`)
	fileRE = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+-]{0,127}$`)
)

// ParseSources reads a list strictly: an unknown key, an unsafe file name or a missing hash is an error.
func ParseSources(b []byte) (*Sources, error) {
	s := &Sources{}
	if err := yaml.Load(b, s, yaml.WithKnownFields()); err != nil {
		return nil, err
	}
	for _, m := range s.Models {
		if !nameRE.MatchString(m.Name) {
			return nil, fmt.Errorf("model %q: bad name", m.Name)
		}
		if err := m.File.check(); err != nil {
			return nil, fmt.Errorf("model %s: %w", m.Name, err)
		}
	}
	for _, l := range s.Libraries {
		if err := l.check(); err != nil {
			return nil, fmt.Errorf("libraries of %s: %w", l.Platform, err)
		}
	}
	return s, nil
}

func (f File) check() error {
	if !fileRE.MatchString(f.Name) {
		return fmt.Errorf("bad file name %q", f.Name)
	}
	if h, err := hex.DecodeString(f.SHA256); err != nil || len(h) != 32 {
		return fmt.Errorf("%s: bad sha256", f.Name)
	}
	if f.Size <= 0 {
		return fmt.Errorf("%s: bad size", f.Name)
	}
	for _, u := range f.URLs {
		if p, err := url.Parse(u); err != nil || p.Scheme != "https" || p.Host == "" {
			return fmt.Errorf("%s: bad address", f.Name)
		}
	}
	return nil
}

func (l LibrarySource) check() error {
	if !fileRE.MatchString(l.Version) || strings.Count(l.Platform, "/") != 1 {
		return fmt.Errorf("bad platform or version")
	}
	if l.Archive != nil {
		if len(l.Files)+len(l.Links) != 0 {
			return fmt.Errorf("an archive and files of its own")
		}
		return l.Archive.check()
	}
	names := map[string]bool{}
	for _, f := range l.Files {
		if err := f.check(); err != nil {
			return err
		}
		names[f.Name] = true
	}
	for link, to := range l.Links {
		if !fileRE.MatchString(link) || !names[to] {
			return fmt.Errorf("bad link %q", link)
		}
	}
	return nil
}

func (s *Sources) model(name string) (ModelSource, bool) {
	for _, m := range s.Models {
		if m.Name == name {
			return m, true
		}
	}
	return ModelSource{}, false
}

// libraries gives the builds for this platform, the preferred one first.
func (s *Sources) libraries() []LibrarySource {
	var ls []LibrarySource
	for _, l := range s.Libraries {
		if l.Platform == runtime.GOOS+"/"+runtime.GOARCH {
			ls = append(ls, l)
		}
	}
	return ls
}

// parts are the files to fetch of a build.
func (l LibrarySource) parts() []File {
	if l.Archive != nil {
		return []File{*l.Archive}
	}
	return l.Files
}

// fetchable reports whether an address is known for every part; a mirror has them all.
func (l LibrarySource) fetchable(mirror string) bool {
	return mirror != "" || !slices.ContainsFunc(l.parts(), func(f File) bool { return len(f.URLs) == 0 })
}

// folder is where a build's files lie, below the models' folder. No model's name begins with an underscore.
func (l LibrarySource) folder() string {
	return "_llama.cpp/" + l.Version + "-" + strings.ReplaceAll(l.Platform, "/", "-")
}
