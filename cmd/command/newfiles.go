package command

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/ovi-project/ovi/cmd/cli"
)

// WriteFiles writes new files to a folder, which it creates if needed. The names are paths in the folder, with
// slashes. It writes nothing outside the folder, follows no link, and overwrites nothing.
func WriteFiles(dir string, files map[string]string, mode fs.FileMode) (err error) {
	for name := range files {
		if !fs.ValidPath(name) || name == "." || !filepath.IsLocal(filepath.FromSlash(name)) {
			return fmt.Errorf("invalid file name %q", name)
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return cli.Plain(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return cli.Plain(err)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		path := filepath.FromSlash(name)
		err := root.MkdirAll(filepath.Dir(path), 0o755)
		if err == nil {
			err = writeNew(root, path, []byte(files[name]), mode)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, cli.Plain(err))
		}
	}
	return nil
}

// WriteNew writes a file that does not exist yet, and creates its folder if needed. A link at its place is not
// followed.
func WriteNew(name string, text []byte, mode fs.FileMode) (err error) {
	dir, file := filepath.Split(name)
	if dir == "" {
		dir = "."
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return cli.Plain(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return cli.Plain(err)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	return cli.Plain(writeNew(root, file, text, mode))
}

func writeNew(root *os.Root, name string, text []byte, mode fs.FileMode) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Sync(), f.Close())
}

// AppendPrivate opens a file of this user to append to it, and creates it with the mode 0600, which it restores.
func AppendPrivate(name string) (*os.File, error) {
	f, err := AppendTo(name, 0o600)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case !OwnFile(info):
		err = errors.New("another user owns the file")
	case info.Mode().Perm()&0o077 != 0:
		err = f.Chmod(0o600)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// AppendTo opens a file to append to it, and creates it with a mode. It follows no link, and rejects a pipe and a
// device.
func AppendTo(name string, mode fs.FileMode) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY|NoFollow, mode)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(cmp.Or(err, errors.New("not a regular file")), f.Close())
	}
	return f, nil
}
