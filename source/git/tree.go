package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"sync"

	"github.com/ovi-project/ovi/internal/budget"
	"github.com/ovi-project/ovi/internal/gitclone"
)

// files reads all files of the path into memory, and the names of its folders if each is a stack.
func (r *Repo) files(ctx context.Context, head string) (fs.FS, []string, error) {
	entries, err := r.clone.List(ctx, head, r.url.Path, r.url.String())
	if err != nil {
		return nil, nil, err
	}
	var folders []string
	for _, e := range entries {
		inside, _ := strings.CutPrefix(e.Name, r.url.Path+"/")
		name, _, deeper := strings.Cut(inside, "/")
		if r.url.Each && deeper && !strings.HasPrefix(name,
			".") && (len(folders) == 0 || folders[len(folders)-1] != path.Join(r.url.Path, name)) {
			folders = append(folders, path.Join(r.url.Path, name))
		}
	}
	if r.url.Each && len(folders) == 0 {
		return nil, nil, &MissingError{What: "folders in " + r.url.Path, In: r.url}
	}
	if err := r.clone.Bring(ctx, head, r.url.Path, entries); err != nil {
		return nil, nil, err
	}
	files, err := r.clone.Contents(ctx, entries, r.url.String())
	if err != nil {
		return nil, nil, err
	}
	in, err := gitclone.InMemory(files)
	return in, folders, err
}

// around is the files of a commit: those of the path are in memory, and the others are read from the clone when they
// are opened, such as the components in a folder next to the path.
type around struct {
	ctx    context.Context //nolint:containedctx // it lives as long as one Load, whose context this is
	repo   *Repo
	tree   Tree
	budget *budget.Budget

	mu   sync.Mutex
	read map[string]fs.FS // by the name that was opened
}

// around returns the files of the whole commit for one Load.
func (r *Repo) around(ctx context.Context, tree Tree) fs.FS {
	spent, _, cancel := budget.New(ctx, "the commit "+tree.Commit, budget.Limits{Bytes: gitclone.MaxBytes})
	cancel() // it has no time of its own
	return &around{ctx: ctx, repo: r, tree: tree, budget: spent, read: map[string]fs.FS{}}
}

// Open implements fs.FS.
func (a *around) Open(name string) (fs.File, error) {
	base := a.repo.url.Path
	within := base == "." || name == base || strings.HasPrefix(name, base+"/")
	above := name == "." || strings.HasPrefix(base, name+"/")
	if !fs.ValidPath(name) || within || above {
		return a.tree.Files.Open(name)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for at := name; at != "."; at = path.Dir(at) {
		if in := a.read[at]; in != nil {
			return in.Open(name)
		}
	}
	in, err := a.repo.besides(a.ctx, a.tree.Commit, name, a.budget)
	if err != nil {
		var missing *MissingError
		if errors.As(err, &missing) {
			err = fs.ErrNotExist
		}
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	a.read[name] = in
	return in.Open(name)
}

// besides reads a file or a folder of a commit that is not below the path of the source.
func (r *Repo) besides(ctx context.Context, commit, name string, spent *budget.Budget) (fs.FS, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	unlock, err := r.clone.Lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	hash, err := r.clone.Hash(ctx, commit, name)
	if err != nil || hash == "" {
		return nil, errors.Join(err, &MissingError{What: "path " + name, In: r.url})
	}
	entries, err := r.clone.List(ctx, commit, name, r.url.String())
	if err != nil {
		return nil, err
	}
	if err := r.clone.Bring(ctx, commit, name, entries); err != nil {
		return nil, err
	}
	files, err := r.clone.Contents(ctx, entries, fmt.Sprintf("%s at commit %.12s", name, commit))
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		if err := spent.Grow(int64(len(f.Text))); err != nil {
			return nil, err
		}
	}
	return gitclone.InMemory(files)
}
