package component

import (
	"cmp"
	"errors"
	"io/fs"
	"slices"

	"github.com/ovi-project/ovi/internal/gitclone"
	"github.com/ovi-project/ovi/internal/gitlock"
	"github.com/ovi-project/ovi/resource/position"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config/input"
)

// User is a use block of a configuration, and the folders of other repositories that it uses, also through other
// components.
type User struct {
	Name string // use/NAME; empty if the name is an expression
	At   position.Position
	Uses []gitclone.URL
}

// walk follows use blocks without evaluating anything: the components of a file are the same in each environment.
type walk struct {
	parse    func(*input.File) ([]source.Node, source.Problems)
	open     func(gitclone.URL) (fs.FS, error)
	reached  map[string]*reached // by the keys of places
	problems source.Problems
}

// reached is a folder that was read.
type reached struct {
	place place
	next  []*reached
}

// Users follows the use blocks of files, and opens each folder of another repository once. Everything that is wrong is
// in the problems.
func Users(
	files []*input.File, from fs.FS, parse func(*input.File) ([]source.Node, source.Problems),
	open func(gitclone.URL) (fs.FS, error),
) ([]User, source.Problems) {
	w := &walk{parse: parse, open: open, reached: map[string]*reached{}}
	var out []User
	for _, f := range files {
		p, err := placeOf(f, from)
		if err != nil {
			w.wrong(f, &source.Node{Line: 1, Column: 1}, "the folder of the file cannot be read: "+source.FileError(err), "")
			continue
		}
		for _, n := range w.blocks(f) {
			u := User{At: f.At(n.Line, n.Column)}
			if x := n.Get("name"); x != nil && x.Shape == source.Scalar && !source.HasParts(x.Text) {
				u.Name = "use/" + x.Text
			}
			if r := w.follow(f, n, p, 1); r != nil {
				u.Uses = r.urls(map[*reached]bool{}, nil)
			}
			out = append(out, u)
		}
	}
	w.problems.Sort()
	return out, w.problems
}

// urls returns the folders of other repositories that are reached, sorted.
func (r *reached) urls(seen map[*reached]bool, out []gitclone.URL) []gitclone.URL {
	if seen[r] {
		return out
	}
	seen[r] = true
	if g := r.place.git; g != nil && !slices.Contains(out, *g) {
		out = append(out, *g)
	}
	for _, next := range r.next {
		out = next.urls(seen, out)
	}
	slices.SortFunc(out, func(a, b gitclone.URL) int { return cmp.Compare(a.String(), b.String()) })
	return out
}

func (w *walk) wrong(f *input.File, n *source.Node, summary, suggestion string) {
	w.problems = append(w.problems, source.Problem{
		At: f.At(n.Line, n.Column), Summary: summary, Suggestion: suggestion,
	})
}

// blocks returns the use blocks of a file.
func (w *walk) blocks(f *input.File) (out []*source.Node) {
	if len(f.Problems) > 0 {
		w.problems = append(w.problems, f.Problems...)
		return nil
	}
	roots, problems := w.parse(f)
	w.problems = append(w.problems, problems...)
	for i := range roots {
		list := listed(roots[i].Get("resources"))
		for j := range list {
			if Is(&list[j]) {
				out = append(out, &list[j])
			}
		}
	}
	return out
}

// follow reads the folder of a use block, and what it uses.
func (w *walk) follow(f *input.File, block *source.Node, from place, depth int) *reached {
	n := block.Get("use")
	switch {
	case n.Shape != source.Scalar || n.Bad || source.HasParts(n.Text):
		w.wrong(f, n, "use must be a folder or a URL, without expressions", "for example, use: ./components/web")
		return nil
	case depth > mostLevels:
		w.wrong(f, n, "components use each other over more than eight levels", "use fewer levels")
		return nil
	case len(w.reached) == mostFolders:
		w.wrong(f, n, "the configuration uses more than 1000 components", "use fewer components")
		return nil
	}
	to, url, summary, suggestion := from.at(n.Text)
	if summary != "" {
		w.wrong(f, n, summary, suggestion)
		return nil
	}
	if url != nil {
		tree, err := w.open(*url)
		if err != nil {
			suggestion := "check the URL and the network"
			if e := (*gitlock.Error)(nil); errors.As(err, &e) {
				suggestion = cmp.Or(e.Next, suggestion)
			}
			w.wrong(f, n, err.Error(), suggestion)
			return nil
		}
		to = to.in(*url, tree)
	}
	if r := w.reached[to.key()]; r != nil {
		return r
	}
	r := &reached{place: to}
	w.reached[to.key()] = r
	file := to.read(to.shown(f.Name, n.Text))
	file.Used = f.At(n.Line, n.Column).String()
	if file.Text == "" && file.Sum == "" {
		summary, suggestion := to.missing()
		w.wrong(f, n, summary, suggestion)
		return nil
	}
	for i := range file.Problems {
		file.Problems[i].At.Used = file.Used
	}
	for _, inner := range w.blocks(file) {
		if next := w.follow(file, inner, to, depth+1); next != nil {
			r.next = append(r.next, next)
		}
	}
	return r
}
