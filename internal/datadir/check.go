// Package datadir checks that a data directory is its user's own.
//
// A data directory is found beside a source, and a source may come from others: with a cloned
// repository, in an archive, in a folder that others write to. Links in it would make ovi write
// elsewhere, and keys or a log that others can read or write prove nothing.
package datadir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/ovi-project/ovi/internal/shell"
)

// Fault is one reason not to use a data directory.
type Fault struct {
	Path   string
	What   string // such as "is a link to ../x"
	Repair string // a command
}

// UnsafeError lists what is wrong with a data directory.
type UnsafeError struct {
	Dir    string
	Faults []Fault // the first few
	More   int     // that are not listed
}

func (e *UnsafeError) Error() string {
	lines := make([]string, 0, len(e.Faults)+1)
	for _, f := range e.Faults {
		lines = append(lines, f.Path+" "+f.What)
	}
	if e.More > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", e.More))
	}
	return strings.Join(lines, "; ")
}

// Repairs are the commands that repair it, each once.
func (e *UnsafeError) Repairs() []string {
	var out []string
	seen := map[string]bool{}
	for _, f := range e.Faults {
		if !seen[f.Repair] {
			seen[f.Repair] = true
			out = append(out, f.Repair)
		}
	}
	return out
}

// IsLink reports whether the data directory itself is a link.
func (e *UnsafeError) IsLink() bool {
	info, err := os.Lstat(e.Dir)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

// maxFaults are listed: one command repairs many.
const maxFaults = 5

// Check returns an *UnsafeError if a data directory, or anything in it, is a link, neither a folder
// nor a file, another user's, or open to others. One that does not exist is not wrong. On Windows
// owners and rights are not checked.
func Check(dir string) error {
	e := &UnsafeError{Dir: dir}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return gone(err)
		}
		info, err := d.Info()
		if err != nil {
			return gone(err)
		}
		f, is := faultOf(dir, path, info)
		switch {
		case !is:
		case len(e.Faults) == maxFaults:
			e.More++
		default:
			e.Faults = append(e.Faults, f)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("check the data directory: %w", err)
	}
	if len(e.Faults) > 0 {
		return e
	}
	return nil
}

// gone passes over what another process has removed meanwhile.
func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func faultOf(dir, path string, info fs.FileInfo) (Fault, bool) {
	mode := info.Mode()
	switch {
	case mode&fs.ModeSymlink != 0:
		target, err := os.Readlink(path)
		if err != nil {
			target = "?"
		}
		return Fault{path, fmt.Sprintf("is a link to %q", target), "rm " + shell.Word(path)}, true
	case !mode.IsDir() && !mode.IsRegular():
		return Fault{path, "is neither a folder nor a file", "rm " + shell.Word(path)}, true
	}
	return ownership(dir, path, info)
}
