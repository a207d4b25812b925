package input

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
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

// File is one file in memory.
type File struct {
	Name string // as on the command line: for users
	Dir  string // where its ${file:…} start
	Text string
	Sum  string // of what was read
	Used string // the place that uses the component that the file belongs to; empty for other files
	// Problems are the reasons why the file cannot be used.
	Problems source.Problems
}

// IsJSON reports a file that is named as JSON.
func (f *File) IsJSON() bool { return strings.EqualFold(filepath.Ext(f.Name), ".json") }

// At is a position in the file.
func (f *File) At(line, col int32) position.Position {
	return position.Position{File: f.Name, Line: int(line), Column: int(col), Used: f.Used}
}

// disk is where paths are read; nil is the operating system.
type disk struct{ files fs.FS }

// Open finds and reads all files of some paths. A file that cannot be read has Problems; the problems that are
// returned are of the paths.
func Open(paths []string, from fs.FS) ([]*File, source.Problems) {
	d := disk{from}
	var files []*File
	var problems source.Problems
	fail := func(name, summary, suggestion string) {
		problems = append(problems, source.Problem{
			At: position.Position{File: name}, Summary: summary,
			Suggestion: suggestion,
		})
	}
	if len(paths) == 0 {
		fail("", "no configuration file is given", "add the file to the command, for example ovi.yaml")
	}
	seen := map[string]bool{}
	for _, p := range paths {
		names, err := d.expand(p)
		if err != nil {
			fail(p, source.FileError(err), d.similar(p))
			continue
		}
		for _, name := range names {
			if key := d.clean(name); seen[key] {
				continue
			} else {
				seen[key] = true
			}
			f, p := d.read(name)
			f.Problems = p
			files = append(files, f)
		}
	}
	return files, problems
}

// Read reads a file of a tree of files. Messages name it as shown.
func Read(files fs.FS, name, shown string) *File {
	f, problems := disk{files}.read(name)
	f.Name, f.Dir, f.Problems = shown, filepath.Dir(shown), problems
	for i := range f.Problems {
		f.Problems[i].At.File = shown
	}
	return f
}

// expand lists the files of a path.
func (d disk) expand(p string) ([]string, error) {
	info, err := d.stat(p)
	if err != nil || !info.IsDir() {
		return []string{p}, err
	}
	entries, err := d.list(p)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		ext := path.Ext(e.Name())
		if !e.IsDir() && !strings.HasPrefix(e.Name(), ".") && (ext == ".yaml" || ext == ".yml" || ext == ".json") {
			names = append(names, d.join(p, e.Name()))
		}
	}
	if len(names) == 0 {
		return nil, errors.New("the folder has no *.yaml, *.yml or *.json")
	}
	slices.Sort(names)
	return names, nil
}

// similar suggests the file of the folder that was probably meant.
func (d disk) similar(p string) string {
	dir, base := filepath.Split(p)
	entries, err := d.list(cmp.Or(dir, "."))
	if err != nil {
		return "the folder " + source.Quote(dir) + " does not exist"
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if near, ok := resource.Nearest(base, names); ok && near != base {
		return "use " + d.join(dir, near)
	}
	return "check the path; it is relative to the current folder"
}

// read reads one file and brings its text to UTF-8 without a byte order mark.
func (d disk) read(name string) (*File, source.Problems) {
	f := &File{Name: name, Dir: filepath.Dir(name)}
	fail := func(line, col int32, summary, suggestion string) (*File, source.Problems) {
		return f, source.Problems{{At: f.At(line, col), Summary: summary, Suggestion: suggestion}}
	}
	text, sum, err := d.readText(name)
	if errors.Is(err, errPipe) {
		return fail(0, 0, err.Error(), "write the text to a file, and name that")
	}
	if err != nil {
		return fail(0, 0, source.FileError(err), source.FileAdvice(err, "check the permissions of the file"))
	}
	f.Sum, f.Text = sum, strings.TrimPrefix(text, "\uFEFF")
	switch {
	case isUTF16(text):
		return fail(1, 1, "the file is UTF-16", "save it as UTF-8")
	case strings.TrimSpace(f.Text) == "":
		return fail(1, 1, "the file is empty", "a stack without resources has resources: []")
	}
	if line, col, what := syntax.BadByte(f.Text); what != "" {
		return fail(line, col, what, "save the file as UTF-8 text with the line ends of Unix or Windows")
	}
	return f, nil
}

// isUTF16 detects the byte order mark, or the zero bytes that ASCII has in UTF-16.
func isUTF16(b string) bool {
	if len(b) < 2 {
		return false
	}
	mark := uint16(b[0])<<8 | uint16(b[1])
	return mark == 0xFEFF || mark == 0xFFFE || (b[0] == 0) != (b[1] == 0)
}

func (d disk) stat(p string) (fs.FileInfo, error) {
	if d.files != nil {
		return fs.Stat(d.files, path.Clean(p))
	}
	return os.Stat(p)
}

func (d disk) list(p string) ([]fs.DirEntry, error) {
	if d.files != nil {
		return fs.ReadDir(d.files, path.Clean(p))
	}
	return os.ReadDir(p)
}

// errPipe is returned for a pipe, such as <(COMMAND) of a shell: the first read empties it.
var errPipe = errors.New("it is a pipe, and ovi reads a configuration more than once")

// readText reads a file and digests it on the way, so that a big one is in memory once.
func (d disk) readText(p string) (text, sum string, err error) {
	f, err := source.Open(d.files, p)
	if err != nil {
		return "", "", err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	var b strings.Builder
	if info, err := f.Stat(); err == nil {
		if info.Mode()&fs.ModeNamedPipe != 0 {
			return "", "", errPipe
		}
		b.Grow(int(min(max(info.Size(), 0), source.MaxFile)))
	}
	h := sha256.New()
	err = source.Copy(io.MultiWriter(&b, h), f, source.MaxFile)
	return b.String(), hex.EncodeToString(h.Sum(nil)), err
}

func (d disk) join(dir, name string) string {
	if d.files != nil {
		return path.Join(dir, name)
	}
	return filepath.Join(dir, name)
}

func (d disk) clean(p string) string {
	if d.files != nil {
		return path.Clean(p)
	}
	if abs, err := filepath.Abs(p); err == nil {
		return abs
	}
	return filepath.Clean(p)
}
