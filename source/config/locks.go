package config

import (
	"io/fs"
	"slices"

	"github.com/ovi-project/ovi/internal/gitclone"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config/component"
	"github.com/ovi-project/ovi/source/config/input"
)

// Locked is the files of a configuration in one folder, which share the lock there.
type Locked struct {
	Dir   string
	files []*input.File
}

// Locks returns the files of paths of this host, by their folders.
func Locks(paths []string) ([]Locked, source.Problems) {
	files, problems := input.Open(paths, nil)
	var out []Locked
	for _, f := range files {
		i := slices.IndexFunc(out, func(l Locked) bool { return l.Dir == f.Dir })
		if i < 0 {
			i = len(out)
			out = append(out, Locked{Dir: f.Dir})
		}
		out[i].files = append(out[i].files, f)
	}
	return out, problems
}

// Names returns the names of the files.
func (l Locked) Names() []string {
	out := make([]string, len(l.files))
	for i, f := range l.files {
		out[i] = f.Name
	}
	return out
}

// Users returns the use blocks of the files. It opens each folder of another repository that they use, also through
// other components.
func (l Locked) Users(open func(gitclone.URL) (fs.FS, error)) ([]component.User, source.Problems) {
	whole := func(f *input.File) ([]source.Node, source.Problems) { return documents(f, true) }
	return component.Users(l.files, nil, whole, open)
}
