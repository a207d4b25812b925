package page

import (
	"errors"
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

// Disk is the operating system's files, or others.
type Disk struct{ Files fs.FS }

// Stat describes a file.
func (d Disk) Stat(name string) (fs.FileInfo, error) {
	if d.Files != nil {
		return fs.Stat(d.Files, path.Clean(filepath.ToSlash(name)))
	}
	return os.Stat(name)
}

// List lists a folder.
func (d Disk) List(name string) ([]fs.DirEntry, error) {
	if d.Files != nil {
		return fs.ReadDir(d.Files, path.Clean(filepath.ToSlash(name)))
	}
	return os.ReadDir(name)
}

// Read reads a file of at most limit bytes.
func (d Disk) Read(name string, limit int64) (string, error) {
	b, err := source.ReadFile(d.Files, name, limit)
	return string(b), err
}

// mostFiles limits the files and folders below a folder. A few links to folders make millions of paths.
const mostFiles = 10_000

var errManyFiles = errors.New("it has more than 10,000 files and folders, or links that lead to as many")

// Below lists the files in a folder and the folders in it, sorted, without hidden ones. An error is a *fs.PathError of
// the file or folder that cannot be read.
func (d Disk) Below(dir string) ([]string, error) {
	left := mostFiles
	all, err := d.below(dir, &left)
	if left < 0 {
		return nil, &fs.PathError{Op: "list", Path: dir, Err: errManyFiles}
	}
	return all, err
}

func (d Disk) below(dir string, left *int) ([]string, error) {
	entries, err := d.List(dir)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, e := range entries {
		if *left--; *left < 0 {
			return nil, errManyFiles
		}
		name := filepath.Join(dir, e.Name())
		switch info, err := d.Stat(name); {
		case strings.HasPrefix(e.Name(), "."):
		case err != nil: // a link to nothing: what it held is not known
			return nil, err
		case info.IsDir():
			inside, err := d.below(name, left)
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

// Unlisted is the problem of a folder that Below cannot list. The advice is for the folder itself.
func Unlisted(dir, advice string, err error) source.Problem {
	at := dir
	if failed, is := errors.AsType[*fs.PathError](err); is && filepath.Clean(failed.Path) != filepath.Clean(dir) {
		at, advice = failed.Path, "remove the file or the link, or repair it"
	}
	return source.Problem{
		At: position.Position{File: at}, Summary: "cannot read the templates: " + source.FileError(err), Suggestion: advice,
	}
}

// Reader reads the texts of one load.
type Reader struct {
	Disk
	Draft   *source.Draft
	repeats syntax.Repeats             // of all texts
	Files   []string                   // of nodes that come from another file than their document
	lost    func(at position.Position) // called where resources may stand that cannot be read
}

// NewReader returns a reader of files that reports to a draft.
func NewReader(files fs.FS, draft *source.Draft, lost func(at position.Position)) *Reader {
	return &Reader{Disk: Disk{files}, Draft: draft, lost: lost}
}

// ReadText reads a file that must be text.
func (r *Reader) ReadText(name string) (string, *source.Problem) {
	s, err := r.Read(name, source.MaxText)
	if err != nil {
		return "", &source.Problem{
			At: position.Position{File: name}, Summary: "cannot read the file: " + source.FileError(err),
			Suggestion: source.FileAdvice(err, "check its path and permissions"),
		}
	}
	s = strings.TrimPrefix(s, "\uFEFF")
	if line, col, what := syntax.BadByte(s); what != "" {
		return "", &source.Problem{
			At: At(name, line, col), Summary: what,
			Suggestion: "save the file as UTF-8 text with the line ends of Unix or Windows",
		}
	}
	return s, nil
}

// At is a position in a file.
func At(file string, line, col int32) position.Position {
	return position.Position{File: file, Line: int(line), Column: int(col)}
}

// IsYAML reports the name of a YAML file.
func IsYAML(name string) bool {
	ext := filepath.Ext(name)
	return ext == ".yaml" || ext == ".yml"
}

// NearestOr suggests the nearest name, or something else if none is near.
func NearestOr(word string, names []string, other string) string {
	slices.Sort(names)
	if near, ok := resource.Nearest(word, names); ok {
		return "use " + near
	}
	return other
}

// Problem reports a problem.
func (r *Reader) Problem(at position.Position, ref, summary, suggestion string) {
	r.Draft.Problem(source.Problem{At: at, Ref: ref, Summary: summary, Suggestion: suggestion})
}
