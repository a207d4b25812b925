package gitlock

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/ovi-project/ovi/internal/budget"
	"github.com/ovi-project/ovi/internal/gitclone"
)

// Cache is a folder of the user that has the files of locked folders. Several checkouts and processes can share it.
type Cache struct {
	// Dir is the folder. Empty means that the user has none.
	Dir string
}

// ErrMissing is wrapped by the error of a folder that the cache does not have, and ErrChanged by the error of a folder
// that has other files than the lock says.
var (
	ErrMissing = errors.New("the folder is not in the cache")
	ErrChanged = errors.New("the folder in the cache is not the locked one")
)

// name returns the file of a line. The commit is part of it, so that an edited commit is not found.
func (c Cache) name(l Line) string {
	return filepath.Join(c.Dir, "components", l.Commit+"-"+strings.TrimPrefix(l.Digest, "sha256:"))
}

// usable returns an error if the user has no folder for the cache.
func (c Cache) usable() error {
	if c.Dir == "" {
		return &Error{
			Summary: "there is no folder for components from Git", Next: "set XDG_CACHE_HOME to the absolute path of a folder",
		}
	}
	return nil
}

// Text returns the text of a locked folder.
func (c Cache) Text(l Line) ([]byte, error) {
	if err := c.usable(); err != nil {
		return nil, err
	}
	text, err := budget.ReadFile(c.name(l), maxTree)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &Error{
			Summary: fmt.Sprintf("%s at commit %.12s is not in the cache", l.URL, l.Commit),
			Next:    "run `ovi fetch`", Kind: ErrMissing,
		}
	case errors.Is(err, budget.ErrSpent) || err == nil && Digest(text) != l.Digest:
		return nil, &Error{
			Summary: fmt.Sprintf("%s at commit %.12s was changed in the cache: %s does not have the digest in %s", l.URL,
				l.Commit, c.name(l), FileName),
			Next: "find out which program changed it; `ovi fetch` fetches it again", Kind: ErrChanged,
		}
	case err != nil:
		return nil, &Error{Summary: "cannot read the cache", Next: "check its permissions, and run `ovi fetch`", Err: err}
	}
	return text, nil
}

// Open returns the files of a locked folder, by their paths in the repository.
func (c Cache) Open(l Line) (fs.FS, error) {
	text, err := c.Text(l)
	if err != nil {
		return nil, err
	}
	return InMemory(text, l.URL.Path)
}

// InMemory returns the files in the text of a folder, by their paths in the repository.
func InMemory(text []byte, folder string) (fs.FS, error) {
	files, err := Decode(text, folder)
	if err != nil {
		return nil, err
	}
	return gitclone.InMemory(files)
}

// Put adds the text of a locked folder.
func (c Cache) Put(ctx context.Context, l Line, text []byte) error {
	err := c.usable()
	if err == nil {
		err = os.MkdirAll(filepath.Dir(c.name(l)), 0o700)
	}
	if err != nil {
		return fmt.Errorf("create the cache: %w", err)
	}
	unlock, err := gitclone.LockFile(ctx, filepath.Join(c.Dir, "components", ".lock"))
	if err != nil {
		return fmt.Errorf("lock the cache: %w", err)
	}
	defer unlock()
	dir, err := os.OpenRoot(filepath.Dir(c.name(l)))
	if err != nil {
		return fmt.Errorf("open the cache: %w", err)
	}
	defer func() { _ = dir.Close() }()
	if err := replace(dir, filepath.Base(c.name(l)), ".new", text, 0o600); err != nil {
		return fmt.Errorf("write the cache: %w", err)
	}
	return nil
}

// replace writes a file apart and renames it, so that its name always has a whole file.
func replace(dir *os.Root, name, apart string, text []byte, mode fs.FileMode) error {
	if err := dir.Remove(apart); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := dir.OpenFile(apart, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = dir.Rename(apart, name)
	}
	if err != nil {
		return errors.Join(err, dir.Remove(apart))
	}
	return nil
}

// Read reads the lock in a folder. A folder without one has an empty lock.
func Read(folder string) (l *Lock, problems []Problem, err error) {
	dir, err := os.OpenRoot(folder)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	f, err := dir.OpenFile(FileName, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return &Lock{}, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	text, err := budget.ReadAll(f, FileName, maxLock)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, nil, err
	}
	l, problems = Parse(text)
	return l, problems, nil
}

// Write replaces the lock in a folder. The caller has it alone.
func (l *Lock) Write(folder string) (err error) {
	dir, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	left, err := fs.Glob(dir.FS(), "."+FileName+".*.new") // of processes that were killed
	if err != nil {
		return err
	}
	for _, name := range left {
		if err := dir.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return replace(dir, FileName, fmt.Sprintf(".%s.%d.new", FileName, os.Getpid()), l.Format(), 0o644)
}

// Alone waits until no other process of the user changes the lock in a folder.
func (c Cache) Alone(ctx context.Context, folder string) (done func(), err error) {
	abs, err := filepath.Abs(folder)
	if err == nil {
		err = c.usable()
	}
	if err == nil {
		err = os.MkdirAll(filepath.Join(c.Dir, "locks"), 0o700)
	}
	if err != nil {
		return nil, err
	}
	return gitclone.LockFile(ctx, gitclone.Folder(filepath.Join(c.Dir, "locks"), abs, ""))
}
