package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/internal/budget"
	"github.com/ovi-project/ovi/internal/datadir"
)

// settings is what a data directory remembers about how it was created and what it is used for.
type settings struct {
	Format  int      `json:"format"`
	Sandbox []string `json:"sandbox,omitempty"` // the providers that use their sandboxes here
	Folders []folder `json:"folders,omitempty"` // those that name a stack
	Stacks  []stack  `json:"stacks,omitempty"`  // the stacks of the sources

	changed bool
}

const (
	settingsFile   = "settings.json"
	settingsFormat = 1
)

// readSettings reads the settings of a data directory; false if it has none.
func readSettings(dir string) (settings, bool, error) {
	var s settings
	b, err := budget.ReadFile(filepath.Join(dir, settingsFile), budget.Text)
	if errors.Is(err, fs.ErrNotExist) {
		return s, false, nil
	}
	if err == nil {
		err = json.Unmarshal(b, &s)
	}
	if err == nil && s.Format != settingsFormat {
		err = fmt.Errorf("it has format %d, and this version of ovi reads %d", s.Format, settingsFormat)
	}
	if err != nil {
		return s, true, &cli.Problem{
			Summary: "cannot read the settings of the data directory",
			File:    filepath.Join(dir, settingsFile), Err: cli.Plain(err),
		}
	}
	return s, true, nil
}

// IsPractice reports whether a data directory was created with --sandbox.
func IsPractice(dir string) bool {
	s, known, err := readSettings(dir)
	return known && err == nil && len(s.Sandbox) > 0
}

// Write keeps the settings, if they have changed.
func (s *settings) Write(dir string) error {
	if !s.changed {
		return nil
	}
	b, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return WriteFile(filepath.Join(dir, settingsFile), append(b, '\n'))
}

// IsSafe refuses a data directory that is no folder, or not this user's own. One that the user named
// may be a link.
func IsSafe(c *Call, dir string) error {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() || errors.Is(err, syscall.ENOTDIR) {
		return &cli.Problem{
			Summary: "the data directory is not a folder", File: dir,
			Suggestion: "choose another with --data-dir or OVI_DATA_DIR",
		}
	}
	at := dir
	if c.NamesDir() {
		if target, err := filepath.EvalSymlinks(dir); err == nil {
			at = target
		}
	}
	err := datadir.Check(at)
	var unsafe *datadir.UnsafeError
	if !errors.As(err, &unsafe) {
		return err
	}
	suggestion := "if it came with a repository or an archive, delete it; if it is yours: " +
		strings.Join(unsafe.Repairs(), " && ")
	if unsafe.IsLink() {
		suggestion = "delete it, or name where it leads to with --data-dir"
	}
	return &cli.Problem{Summary: "the data directory is not safe to use", File: dir, Err: err, Suggestion: suggestion}
}

// UseSettings brings the command into line with the settings of the data directory, and refuses
// what contradicts them: the sandbox in a data directory of real systems.
func UseSettings(c *Call, dir string) (*settings, error) {
	s, known, err := readSettings(dir)
	if err != nil {
		return nil, err
	}
	switch {
	case len(s.Sandbox) > 0:
		if err := c.Cmd.Set("sandbox", "true"); err != nil {
			return nil, err
		}
	case known && c.Sandboxed():
		return nil, cli.Usage("omit --sandbox; for the sandbox use another --data-dir",
			"the data directory %s was not created with --sandbox", dir)
	}
	s.changed, s.Format = !known, settingsFormat
	if c.Sandboxed() && !known {
		for _, e := range c.Entries() {
			if e.Sandbox {
				s.Sandbox = append(s.Sandbox, e.Name)
			}
		}
	}
	return &s, nil
}
