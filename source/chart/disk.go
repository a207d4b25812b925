package chart

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/position"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/syntax"
)

// disk is the operating system's files, or others.
type disk struct{ files fs.FS }

func (d disk) stat(name string) (fs.FileInfo, error) {
	if d.files != nil {
		return fs.Stat(d.files, path.Clean(filepath.ToSlash(name)))
	}
	return os.Stat(name)
}

func (d disk) list(name string) ([]fs.DirEntry, error) {
	if d.files != nil {
		return fs.ReadDir(d.files, path.Clean(filepath.ToSlash(name)))
	}
	return os.ReadDir(name)
}

func (d disk) read(name string) (string, error) {
	if d.files != nil {
		b, err := fs.ReadFile(d.files, path.Clean(filepath.ToSlash(name)))
		return string(b), err
	}
	b, err := os.ReadFile(name)
	return string(b), err
}

// below lists the files in a folder and the folders in it, sorted, without hidden ones.
func (d disk) below(dir string) ([]string, error) {
	entries, err := d.list(dir)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, e := range entries {
		name := filepath.Join(dir, e.Name())
		switch info, err := d.stat(name); {
		case strings.HasPrefix(e.Name(), "."):
		case err != nil: // a link to nothing: what it held is not known
			return nil, err
		case info.IsDir():
			inside, err := d.below(name)
			if err != nil {
				return nil, err
			}
			out = append(out, inside...)
		default:
			out = append(out, name)
		}
	}
	return out, nil
}

// reader reads the texts of one load.
type reader struct {
	disk
	draft *source.Draft
	files []string                   // of nodes that come from another file than their document
	lost  func(at position.Position) // called where resources may stand that cannot be read
}

func newReader(files fs.FS, draft *source.Draft, lost func(at position.Position)) *reader {
	return &reader{disk: disk{files}, draft: draft, lost: lost}
}

// readText reads a file that must be text.
func (r *reader) readText(name string) (string, *source.Problem) {
	s, err := r.read(name)
	if err != nil {
		return "", &source.Problem{At: position.Position{File: name}, Summary: "cannot read the file: " + source.FileError(err), Suggestion: "check its path and permissions"}
	}
	s = strings.TrimPrefix(s, "\uFEFF")
	if line, col, what := syntax.BadByte(s); what != "" {
		return "", &source.Problem{At: at(name, line, col), Summary: what, Suggestion: "save the file as UTF-8 text with the line ends of Unix or Windows"}
	}
	return s, nil
}

func at(file string, line, col int32) position.Position {
	return position.Position{File: file, Line: int(line), Column: int(col)}
}

// isYAML reports the name of a YAML file.
func isYAML(name string) bool {
	ext := filepath.Ext(name)
	return ext == ".yaml" || ext == ".yml"
}

// nearestOr suggests the nearest name, or something else if none is near.
func nearestOr(word string, names []string, other string) string {
	slices.Sort(names)
	if near, ok := resource.Nearest(word, names); ok {
		return "use " + near
	}
	return other
}

func (r *reader) problem(at position.Position, ref, summary, suggestion string) {
	r.draft.Problem(source.Problem{At: at, Ref: ref, Summary: summary, Suggestion: suggestion})
}
