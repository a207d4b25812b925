package gitclone

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ovi-project/ovi/internal/budget"
)

// config is the whole configuration of a clone: everything else is given with each call. The clone is in a data
// directory, which may have come with a repository, and a configuration can name programs for git to run.
const config = `[core]
	repositoryformatversion = 1
	filemode = true
	bare = true
	sharedRepository = 0600
[extensions]
	partialClone = origin
[remote "origin"]
	promisor = true
	partialclonefilter = blob:none
`

// configure replaces the configuration of a clone with ovi's, and removes what redirects git. Git itself writes the
// same settings in another form.
func configure(dir string) error {
	// These files make git read objects, attributes or history from elsewhere. Git creates none of them here.
	redirects := []string{
		"commondir", "config.worktree", "info/attributes", "info/grafts", "objects/info/alternates",
		"objects/info/http-alternates",
	}
	for _, name := range redirects {
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("configure the clone: %w", err)
		}
	}
	name := filepath.Join(dir, "config")
	is, err := budget.ReadFile(name, budget.Text)
	if err == nil && bytes.Equal(is, []byte(config)) {
		return nil
	}
	f, err := os.CreateTemp(dir, ".config-*") // 0600
	if err != nil {
		return fmt.Errorf("configure the clone: %w", err)
	}
	_, err = f.WriteString(config)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return fmt.Errorf("configure the clone: %w", err)
	}
	return nil
}
