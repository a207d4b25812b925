package command

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ovi-project/ovi/cmd/cli"
)

// WriteFile writes a file under another name and renames it, so that a crash leaves the old or the new content. An
// error names the file.
func WriteFile(name string, b []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".ovi-*") // 0600
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return fmt.Errorf("write %s: %w", name, cli.Plain(err))
	}
	return nil
}

// CreateDir creates a data directory, which git ignores, if it does not exist.
func CreateDir(dir string) error {
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, ".gitignore"), []byte("*\n"), 0o600)
	}
	if err != nil {
		return &cli.Problem{
			Summary: "cannot create the data directory", File: dir, Err: cli.Plain(err),
			Suggestion: "choose another with --data-dir or OVI_DATA_DIR",
		}
	}
	return nil
}
