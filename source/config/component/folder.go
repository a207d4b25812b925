package component

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/ovi-project/ovi/internal/gitclone"
	"github.com/ovi-project/ovi/internal/gitlock"
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
	// git is the locked folder of another repository whose files the tree has; nil means the repository of the
	// configuration. lock is the lock next to the file of the configuration.
	git  *gitclone.URL
	lock *lock
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
	top, err := gitclone.WorkTree(dir)
	if err != nil {
		return place{}, err
	}
	rel, err := filepath.Rel(cmp.Or(top, dir), dir)
	if err != nil {
		return place{}, err
	}
	return place{tree: rooted{dir: cmp.Or(top, dir)}, dir: filepath.ToSlash(rel), inRepository: top != ""}, nil
}

// at returns the folder that a file of this folder names. The summary is empty if the name can be used. A URL is
// returned for a folder of another repository that the tree does not have.
func (p place) at(folder string) (to place, url *gitclone.URL, summary, suggestion string) {
	const example = "use a folder relative to this file, such as use: ./components/web"
	switch {
	case strings.TrimSpace(folder) == "":
		return p, nil, "use has no folder", example
	case gitclone.IsURL(folder):
		u, err := gitlock.ParseURL(folder)
		switch {
		case err != nil:
			return p, nil, "use has an invalid URL: " + err.Error(), "use " + gitlock.Example
		case p.git != nil && strings.HasPrefix(u.Remote, "file:") && !strings.HasPrefix(p.git.Remote, "file:"):
			return p, nil, "a component of another host cannot use a repository of this host", "use " + gitlock.Example
		}
		return p, &u, "", ""
	case strings.Contains(folder, "://"):
		return p, nil, "use has a URL that does not start with git+", "use " + gitlock.Example
	case strings.HasPrefix(folder, "/") || filepath.IsAbs(folder) || strings.HasPrefix(folder, "~") ||
		len(folder) > 1 && folder[1] == ':':
		return p, nil, "the folder " + source.Quote(folder) + " is absolute", example
	case strings.ContainsAny(folder, "\\\x00"):
		return p, nil, "the folder " + source.Quote(folder) + " has a backslash or a zero byte", "separate folders with /"
	}
	to = p
	to.dir = path.Join(p.dir, folder)
	switch {
	case to.dir != ".." && !strings.HasPrefix(to.dir, "../"):
		return to, to.besides(), "", ""
	case p.git != nil:
		return p, nil, "the folder " + source.Quote(folder) + " is outside of the repository " + p.git.Remote,
			"use a folder of the repository, or " + gitlock.Example
	case p.inRepository:
		return p, nil, "the folder " + source.Quote(folder) + " is outside of the repository",
			"copy the folder into the repository"
	}
	return p, nil, "the folder " + source.Quote(folder) + " is outside of the folder of the configuration",
		"copy the folder below the configuration, or keep both in one Git repository"
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
			"check the path; it is relative to this file, and a repository is git+https://HOST/REPOSITORY//FOLDER?ref=TAG"
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
