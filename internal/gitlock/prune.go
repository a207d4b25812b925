package gitlock

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ovi-project/ovi/internal/gitclone"
)

// Pruned is the content that Prune removed from a cache.
type Pruned struct {
	Folders int   `json:"folders"` // folders of commits
	Clones  int   `json:"clones"`  // clones of repositories
	Bytes   int64 `json:"bytes"`
}

// Prune removes everything from the cache that locks do not use: the folders of other commits, and the clones of other
// repositories. A later fetch brings it again.
func (c Cache) Prune(ctx context.Context, locks []*Lock) (p Pruned, err error) {
	if err := c.usable(); err != nil {
		return p, err
	}
	folders, clones := map[string]bool{}, map[string]bool{}
	for _, l := range locks {
		for _, line := range l.Lines {
			folders[c.name(line)] = true
			clones[gitclone.Folder(filepath.Join(c.Dir, "git"), line.URL.Remote, "")] = true
		}
	}
	if p.Folders, err = c.clear(ctx, "components", folders, &p.Bytes); err != nil {
		return p, fmt.Errorf("remove unused folders from the cache: %w", err)
	}
	if p.Clones, err = c.clear(ctx, "git", clones, &p.Bytes); err != nil {
		return p, fmt.Errorf("remove unused clones from the cache: %w", err)
	}
	return p, nil
}

// clear removes the entries of a folder of the cache that are not kept. No other process uses an entry meanwhile.
func (c Cache) clear(ctx context.Context, name string, keep map[string]bool, bytes *int64) (n int, err error) {
	dir := filepath.Join(c.Dir, name)
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	done, err := gitclone.LockFile(ctx, filepath.Join(dir, ".lock"))
	if err != nil {
		return 0, err
	}
	defer done()
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if e.Name() == ".lock" || keep[path] {
			continue
		}
		size, err := c.remove(ctx, path, e)
		if err != nil {
			return n, err
		}
		n, *bytes = n+1, *bytes+size
	}
	return n, nil
}

// remove removes an entry and returns its size. A clone is removed under its own lock.
func (c Cache) remove(ctx context.Context, path string, e fs.DirEntry) (size int64, err error) {
	if e.IsDir() {
		unlock, err := (&gitclone.Clone{Dir: path}).Lock(ctx)
		if err != nil {
			return 0, err
		}
		defer unlock()
	}
	err = filepath.WalkDir(path, func(_ string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err == nil && !e.IsDir() {
			size += info.Size()
		}
		return err
	})
	return size, errors.Join(err, os.RemoveAll(path))
}
