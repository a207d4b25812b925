package component

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config/input"
)

// FileName is the name of the file that makes a folder a component.
const FileName = "component.yaml"

// place is a folder of a repository, or of another tree of files that components must not leave.
type place struct {
	tree fs.FS
	dir  string // in the tree, with slashes
	// inRepository reports that the tree is a repository; otherwise it is the folder of the configuration.
	inRepository bool
}

// rooted is a folder of the operating system. Nothing outside of it can be opened, also not through symbolic links, and
// a pipe is not waited for.
type rooted struct {
	dir string
	sub string // a folder in it that takes its place; empty means none
}

// Open implements fs.FS.
func (r rooted) Open(name string) (f fs.File, err error) {
	root, err := os.OpenRoot(r.dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	if r.sub == "" || r.sub == "." {
		return openIn(root, name)
	}
	inner, err := root.OpenRoot(r.sub)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, inner.Close()) }()
	return openIn(inner, name)
}

func openIn(root *os.Root, name string) (fs.File, error) {
	f, err := root.OpenFile(filepath.FromSlash(name), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// placeOf returns the place of a file of the configuration. Nil files are the operating system.
func placeOf(f *input.File, files fs.FS) (place, error) {
	if files != nil {
		return place{tree: files, dir: path.Clean(filepath.ToSlash(f.Dir)), inRepository: true}, nil
	}
	dir, err := filepath.Abs(f.Dir)
	if err != nil {
		return place{}, err
	}
	top, found := dir, false
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			top, found = at, true
			break
		}
		if filepath.Dir(at) == at {
			break
		}
	}
	rel, err := filepath.Rel(top, dir)
	if err != nil {
		return place{}, err
	}
	return place{tree: rooted{dir: top}, dir: filepath.ToSlash(rel), inRepository: found}, nil
}

// at returns the folder that a file of this folder names. The summary is empty if the name can be used.
func (p place) at(folder string) (to place, summary, suggestion string) {
	const example = "use a folder relative to this file, such as use: ./components/web"
	switch {
	case strings.TrimSpace(folder) == "":
		return p, "use has no folder", example
	case strings.HasPrefix(folder, "git+") || strings.Contains(folder, "://"):
		return p, "use reads folders of the repository, and " + source.Quote(folder) + " is a URL",
			"copy the folder into the repository, and name it"
	case strings.HasPrefix(folder, "/") || filepath.IsAbs(folder) || strings.HasPrefix(folder, "~") ||
		len(folder) > 1 && folder[1] == ':':
		return p, "the folder " + source.Quote(folder) + " is absolute", example
	case strings.ContainsAny(folder, "\\\x00"):
		return p, "the folder " + source.Quote(folder) + " has a backslash or a zero byte", "separate folders with /"
	}
	to = p
	to.dir = path.Join(p.dir, folder)
	if to.dir == ".." || strings.HasPrefix(to.dir, "../") {
		if p.inRepository {
			return p, "the folder " + source.Quote(folder) + " is outside of the repository",
				"copy the folder into the repository"
		}
		return p, "the folder " + source.Quote(folder) + " is outside of the folder of the configuration",
			"copy the folder below the configuration, or keep both in one Git repository"
	}
	return to, "", ""
}

// read reads the file of the component in the folder. Messages name the file as shown.
func (p place) read(shown string) *input.File {
	return input.Read(p.tree, path.Join(p.dir, FileName), shown)
}

// missing explains why the file of a component cannot be read.
func (p place) missing() (summary, suggestion string) {
	info, err := fs.Stat(p.tree, p.dir)
	switch {
	case err != nil && strings.Contains(err.Error(), "escape"):
		return "the folder is a symbolic link that leads out of the repository", "copy the folder into the repository"
	case err != nil:
		return "the folder of the component cannot be read: " + source.FileError(err),
			"check the path; it is relative to this file"
	case !info.IsDir():
		return "the component is a file, not a folder", "name the folder that has the " + FileName
	}
	for _, other := range []string{"component.yml", "component.json", "Component.yaml", "ovi.yaml"} {
		if _, err := fs.Stat(p.tree, path.Join(p.dir, other)); err == nil {
			return "the folder has no " + FileName + ", but " + other, "rename it to " + FileName
		}
	}
	return "the folder has no " + FileName, "add the file with version: v1, vars and resources"
}

// files returns the files of the folder, for ${file:PATH}.
func (p place) files() fs.FS {
	if r, is := p.tree.(rooted); is {
		return rooted{dir: r.dir, sub: p.dir}
	}
	sub, err := fs.Sub(p.tree, p.dir)
	if err != nil {
		return p.tree
	}
	return sub
}
