package source

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/ovi-project/ovi/resource"
)

// variableName matches the names that a shell can export.
var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// maxOutside bounds what one ${file:…} may bring in.
const maxOutside = 1 << 20

// Outside is where the values of ${env:NAME} and ${file:PATH} come from.
type Outside struct {
	Env   func(name string) (string, bool) // nil means that no variable is set
	Files fs.FS                            // nil means the files of the operating system
	Dir   string                           // where relative paths start; with Files, every path does
}

// Value returns what ${FROM:NAME} stands for. Without a value, the summary says why and the
// suggestion what to do.
func (o Outside) Value(from, name string) (value, summary, suggestion string) {
	switch {
	case from == "env" && name != "":
		if o.Env != nil {
			if v, ok := o.Env(name); ok {
				return v, "", ""
			}
		}
		if !variableName.MatchString(name) {
			return "", "invalid name of an environment variable: " + Quote(name),
				"use ${env:NAME} alone; to compute with it, make it the default of a variable under vars"
		}
		return "", "the environment variable " + name + " is not set", "run `export " + name + "=…` first"
	case from == "file" && name != "":
		b, err := o.read(name)
		switch {
		case err != nil:
			return "", "cannot read file " + Quote(name) + ": " + FileError(err), "use a path relative to " + o.folder()
		case len(b) > maxOutside:
			return "", "file " + Quote(name) + " is larger than 1 MiB", "use a smaller one"
		case !utf8.Valid(b):
			return "", "file " + Quote(name) + " is not UTF-8 text", "encode it, for example in base64"
		}
		// One line end at its end is not part of the value, as in a shell.
		return strings.TrimSuffix(strings.TrimSuffix(string(b), "\n"), "\r"), "", ""
	}
	if from == "secret" {
		return "", "the value is a secret that `ovi config show` does not print", "use ${env:NAME} or ${file:PATH}"
	}
	suggestion = "use ${env:NAME} or ${file:PATH}; $${ is a literal ${"
	if meant, ok := resource.Nearest(from, []string{"env", "file"}); ok && name != "" {
		suggestion = "use ${" + meant + ":" + name + "}"
	}
	return "", "unknown variable " + Quote("${"+from+":"+name+"}"), suggestion
}

// CheckPublic checks one item of a list of what comes from outside and may be shown: env:NAME or
// file:PATH, as inside ${…}.
func CheckPublic(n *Node) (summary, suggestion string) {
	from, name, ok := strings.Cut(n.Text, ":")
	switch {
	case n.Shape != Scalar || n.Type != String:
		return "an item of public must be env:NAME or file:PATH, got " + n.Form(), "for example, public: [env:TEAM]"
	case HasParts(n.Text):
		return "an item of public has no ${…}, got " + Quote(n.Text),
			"use what is between the braces, as in public: [env:TEAM]"
	case !ok && name == "" && n.Text != "":
		return "an item of public must be env:NAME or file:PATH, got " + Quote(n.Text),
			"use env:" + n.Text + " or file:" + n.Text
	case from != "env" && from != "file" || name == "":
		return "an item of public must be env:NAME or file:PATH, got " + Quote(n.Text), "for example, public: [env:TEAM]"
	}
	return "", ""
}

func (o Outside) folder() string {
	if o.Dir == "" || o.Dir == "." {
		return "the current folder"
	}
	return o.Dir
}

// errNotRegular is what a pipe or a device is refused with: reading one may never end.
var errNotRegular = errors.New("it is not a regular file")

// read returns one byte more than may be used, at most. It does not wait for the other end of a pipe.
func (o Outside) read(name string) (b []byte, err error) {
	var f fs.File
	switch {
	case o.Files != nil:
		f, err = o.Files.Open(path.Join(filepath.ToSlash(o.Dir), filepath.ToSlash(name)))
	case filepath.IsAbs(name):
		f, err = os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	default:
		f, err = os.OpenFile(filepath.Join(o.Dir, name), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	}
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, cmp.Or(err, errNotRegular)
	}
	return io.ReadAll(io.LimitReader(f, maxOutside+1))
}

// FileError is an error of the file system as text without the path.
func FileError(err error) string {
	var p *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "no such file or folder"
	case errors.Is(err, fs.ErrPermission):
		return "permission denied"
	case errors.As(err, &p):
		return p.Err.Error()
	}
	return err.Error()
}
