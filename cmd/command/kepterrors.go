package command

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/ovi-project/ovi/internal/budget"
	"github.com/ovi-project/ovi/resource"
)

// KeptError is the whole text of the last failed action on a resource that has a secret, or whose program has one. The
// text may have the secret. Only the data directory of this host has it, in a file that its user alone can read, and
// only a terminal shows it.
type KeptError struct {
	Ref  resource.Ref `json:"ref"`
	At   time.Time    `json:"at"`
	Text string       `json:"text"`
}

const (
	keptErrors = "errors"  // the folder in the data directory
	keptBytes  = 64 << 10  // of a text, its end
	mostKept   = 100       // files; the oldest are removed
	keptFile   = 512 << 10 // bytes of a file: a byte of text has at most six in JSON
)

func keptName(dir string, ref resource.Ref) string {
	sum := sha256.Sum256([]byte(ref.String()))
	return filepath.Join(dir, keptErrors, hex.EncodeToString(sum[:12])+".json")
}

// keepError keeps an error instead of the one before of the resource.
func keepError(dir string, e KeptError) error {
	if over := len(e.Text) - keptBytes; over > 0 {
		e.Text = "[...] " + e.Text[over:]
	}
	b, err := json.Marshal(e)
	if err != nil {
		return err
	}
	folder := filepath.Join(dir, keptErrors)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	return errors.Join(WriteFile(keptName(dir, e.Ref), b), pruneKept(folder))
}

func pruneKept(folder string) error {
	all, err := os.ReadDir(folder)
	if err != nil || len(all) <= mostKept {
		return err
	}
	since := func(e fs.DirEntry) int64 {
		if info, err := e.Info(); err == nil {
			return info.ModTime().UnixNano()
		}
		return 0 // another process removed it
	}
	slices.SortFunc(all, func(a, b fs.DirEntry) int { return cmp.Compare(since(b), since(a)) })
	for _, old := range all[mostKept:] {
		if err := os.Remove(filepath.Join(folder, old.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// ReadKeptError reads the last error of a resource that this host keeps; false if it keeps none.
func ReadKeptError(dir string, ref resource.Ref) (e KeptError, is bool, err error) {
	b, err := budget.ReadFile(keptName(dir, ref), keptFile)
	if errors.Is(err, fs.ErrNotExist) {
		return e, false, nil
	}
	if err == nil {
		err = json.Unmarshal(b, &e)
	}
	return e, err == nil && e.Ref == ref, err
}
