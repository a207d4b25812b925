package component

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/ovi-project/ovi/internal/gitclone"
	"github.com/ovi-project/ovi/internal/gitlock"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/position"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config/input"
)

// lock is the lock next to a file of the configuration. It is read once, when a folder of another repository is used.
type lock struct {
	tree  fs.FS
	name  string // in the tree
	shown string
	fetch string // the command that writes it
	state state
	lock  *gitlock.Lock // nil if it cannot be used
}

// lockBy returns the lock next to a file, which is in a place.
func lockBy(f *input.File, p place) *lock {
	l := &lock{
		tree: p.tree, name: path.Join(p.dir, gitlock.FileName), fetch: "run `ovi fetch`",
		shown: filepath.Join(filepath.Dir(f.Name), gitlock.FileName),
	}
	if f.Name != "ovi.yaml" {
		l.fetch = "run `ovi fetch " + f.Name + "`"
	}
	return l
}

// besides returns the URL of a folder that is in the repository of its tree, and not in the tree.
func (p place) besides() *gitclone.URL {
	if p.git == nil || p.git.Path == "." || p.dir == p.git.Path || strings.HasPrefix(p.dir, p.git.Path+"/") {
		return nil
	}
	return &gitclone.URL{Remote: p.git.Remote, Path: p.dir, Ref: p.git.Ref}
}

// id names the folder: two uses with one id use one folder.
func (p place) id() string {
	if p.git != nil {
		u := gitclone.URL{Remote: p.git.Remote, Path: p.dir, Ref: p.git.Ref}
		return u.String()
	}
	if r, is := p.tree.(rooted); is {
		return filepath.Join(r.dir, p.dir)
	}
	return p.dir
}

// called returns the name of the folder for messages.
func (p place) called() string {
	if p.git != nil {
		return p.id()
	}
	return p.dir
}

// key names the folder, with all that the uses of its components depend on.
func (p place) key() string {
	key := p.id()
	if p.git != nil {
		key += "\n" + p.git.Path
	}
	if p.lock != nil {
		key += "\n" + p.lock.shown
	}
	return key
}

// shown returns the name of the file of the component for messages. The folder is named in the file.
func (p place) shown(file, folder string) string {
	if p.git != nil {
		u := gitclone.URL{Remote: p.git.Remote, Path: path.Join(p.dir, FileName)}
		return u.String()
	}
	return filepath.Join(filepath.Dir(file), filepath.FromSlash(folder), FileName)
}

// inGit returns the place of a folder of another repository, as the lock names it. Its problems are reported.
func (b *block) inGit(to place, u gitclone.URL) (place, bool) {
	n, t := b.node.Get("use"), b.in.tree
	l := to.lock
	if t.opts.Git == nil || l == nil {
		b.wrong(n, "components from Git cannot be read here", "copy the folder into the repository")
		return to, false
	}
	if !b.readLock(l) {
		return to, false
	}
	line, locked := l.lock.Find(u)
	if !locked {
		b.wrong(n, u.String()+" is not in "+l.shown, l.fetch+l.near(u))
		return to, false
	}
	key := line.URL.String() + " " + line.Commit + " " + line.Digest
	o, before := t.opened[key]
	if !before { // it is opened once, however often it is used
		if o.tree, o.err = t.opts.Git(line); o.err == nil {
			o.err = t.total.Add(o.tree)
		}
		t.opened[key] = o
	}
	if o.err != nil {
		suggestion := l.fetch
		var e *gitlock.Error
		if errors.As(o.err, &e) && e.Next != "" && !errors.Is(o.err, gitlock.ErrMissing) {
			suggestion = e.Next
		}
		b.wrong(n, o.err.Error(), suggestion)
		return to, false
	}
	t.sums[gitlock.FileName+" "+u.String()] = line.Commit + line.Digest
	return to.in(u, o.tree), true
}

// opened is a locked folder of another repository, or the error of it.
type opened struct {
	tree fs.FS
	err  error
}

// in returns the place of the folder of a URL whose files are in a tree.
func (p place) in(u gitclone.URL, tree fs.FS) place {
	return place{tree: tree, dir: u.Path, inRepository: true, git: &u, lock: p.lock}
}

// readLock reads a lock once, and reports its problems.
func (b *block) readLock(l *lock) bool {
	if l.state == done {
		return l.lock != nil
	}
	l.state = done
	n, t := b.node.Get("use"), b.in.tree
	text, err := source.ReadFile(l.tree, l.name, source.MaxText)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		l.lock = &gitlock.Lock{}
		return true
	case err != nil:
		b.wrong(n, l.shown+" cannot be read: "+source.FileError(err), "check the file, or restore it from Git")
		return false
	}
	read, problems := gitlock.Parse(text)
	for _, p := range problems {
		at := position.Position{File: l.shown, Line: p.Line, Column: 1, Used: b.file.At(n.Line, n.Column).String()}
		t.opts.Language.Wrong(at, "", p.Summary, p.Suggestion)
	}
	l.lock = read
	return read != nil
}

// near mentions the line of a lock that is similar to a URL.
func (l *lock) near(u gitclone.URL) string {
	var names []string
	for _, line := range l.lock.Lines {
		names = append(names, line.URL.String())
	}
	if near, ok := resource.Nearest(u.String(), names); ok {
		return "; the lock has " + near
	}
	return ""
}
