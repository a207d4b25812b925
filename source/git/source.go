package git

import (
	"context"
	"io/fs"
	"path"

	"github.com/ovi-project/ovi/source"
)

// Source reads other sources from a repository.
type Source struct {
	repo *Repo
	open Opener
}

// Opener opens the source at a path of a commit's files. stack names its stack where its files do not.
type Opener func(files fs.FS, path, stack string) (source.Source, error)

var (
	_ source.Source  = (*Source)(nil)
	_ source.Watcher = (*Source)(nil)
)

// New returns a source of what a repository holds.
func New(r *Repo, open Opener) *Source { return &Source{r, open} }

// Load implements source.Source. The version of each stack is the commit. With URL.Each, a folder that
// cannot be read is a draft with its error.
func (s *Source) Load(ctx context.Context) ([]*source.Draft, error) {
	tree, err := s.repo.Read(ctx)
	if err != nil {
		return nil, err
	}
	tree.Files = s.repo.around(ctx, tree)
	u := s.repo.url
	if !u.Each {
		return s.load(ctx, tree, u, u.Name())
	}
	var out []*source.Draft
	u.Each = false
	for _, u.Path = range tree.Folders {
		drafts, err := s.load(ctx, tree, u, path.Base(u.Path))
		if err != nil {
			drafts = []*source.Draft{{Stack: path.Base(u.Path), Source: u.String(), Version: tree.Commit, Err: err}}
		}
		out = append(out, drafts...)
	}
	return out, nil
}

func (s *Source) load(ctx context.Context, tree Tree, u URL, stack string) ([]*source.Draft, error) {
	inner, err := s.open(tree.Files, u.Path, stack)
	if err != nil {
		return nil, err
	}
	drafts, err := inner.Load(ctx)
	if err != nil {
		return nil, err // its positions are paths in the repository
	}
	for _, d := range drafts {
		d.Source, d.Version = u.String(), tree.Commit
	}
	return drafts, nil
}

// Version implements source.Watcher: the commit of the ref, which costs one question to the server.
func (s *Source) Version(ctx context.Context) (string, error) {
	commit, _, err := s.repo.Head(ctx)
	return commit, err
}
