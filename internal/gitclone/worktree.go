package gitclone

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// WorkTree returns the nearest folder, from the given one upward, that has a .git; "" if none has. A folder that cannot
// be read is an error: the answer limits which files a configuration may read, and where a signing key may be.
func WorkTree(folder string) (string, error) {
	for at := folder; ; at = filepath.Dir(at) {
		_, err := os.Lstat(filepath.Join(at, ".git"))
		if err == nil {
			return at, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		if filepath.Dir(at) == at {
			return "", nil
		}
	}
}
