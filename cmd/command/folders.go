package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/resource"
)

// folder is a folder that names a stack, because the configuration in it does not. If it gets
// another name, the stack would have another name too.
type folder struct {
	Path  string `json:"path"`           // absolute
	File  uint64 `json:"file"`           // the number of the file system, which a renamed folder keeps; 0 if unknown
	Home  bool   `json:"home,omitempty"` // the data directory is in it
	Stack string `json:"stack"`
}

// folderOf is the folder of a source, which names the stack.
func folderOf(path, stack, dir string) (folder, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return folder{}, err
	}
	info, err := os.Stat(abs)
	if err == nil && !info.IsDir() {
		abs = filepath.Dir(abs)
		info, err = os.Stat(abs)
	}
	if err != nil {
		return folder{}, err
	}
	home, err := filepath.Abs(filepath.Dir(dir))
	return folder{Path: abs, File: fileNumber(info), Home: home == abs, Stack: stack}, err
}

// gone reports whether no folder has the path any more.
func (f folder) gone() bool {
	_, err := os.Stat(f.Path)
	return errors.Is(err, fs.ErrNotExist)
}

// UseFolders remembers the folders that name the stacks of a command, and refuses one that was
// renamed while its stack has resources: they would be abandoned, and created again.
func (s *settings) UseFolders(ctx context.Context, l *ledger.Ledger, dir string, paths []string,
	intents []resource.Intent,
) error {
	if err := s.useStacks(ctx, l, paths, intents); err != nil {
		return err
	}
	for i := range min(len(paths), len(intents)) {
		if !intents[i].ByFolder {
			continue
		}
		now, err := folderOf(paths[i], intents[i].Stack, dir)
		if err != nil {
			return &cli.Problem{Summary: "cannot read the folder of the source", File: paths[i], Err: cli.Plain(err)}
		}
		if was, ok := s.renamed(now); ok {
			owns, err := ownsAny(ctx, l, was.Stack)
			if err != nil {
				return err
			}
			if owns {
				return &cli.Problem{
					Summary: fmt.Sprintf("the folder of stack %s is now called %s: its resources would be abandoned and created again",
						was.Stack, now.Stack), File: paths[i],
					Suggestion: fmt.Sprintf("add `stack: %s` to the configuration to keep them, or `stack: %s` if this is another "+
						"stack", was.Stack, now.Stack),
				}
			}
		}
		if slices.Contains(s.Folders, now) {
			continue
		}
		// It is remembered in place of those that are gone and had its name or its number.
		s.Folders = slices.DeleteFunc(s.Folders, func(was folder) bool {
			return was.Path == now.Path || (was.Stack == now.Stack || was.File == now.File) && was.gone()
		})
		s.Folders, s.changed = append(s.Folders, now), true
	}
	return nil
}

// renamed finds the remembered folder that a new one was before it got its name: one that is gone,
// and is the same for the file system, or had the data directory in it as the new one has.
func (s *settings) renamed(now folder) (folder, bool) {
	if slices.ContainsFunc(s.Folders, func(f folder) bool { return f.Path == now.Path }) {
		return folder{}, false
	}
	for _, was := range s.Folders {
		same := was.File != 0 && was.File == now.File || was.Home && now.Home
		if same && was.Stack != now.Stack && was.gone() {
			return was, true
		}
	}
	return folder{}, false
}

// ownsAny reports whether a stack has resources on record.
func ownsAny(ctx context.Context, l *ledger.Ledger, stack string) (bool, error) {
	scopes, err := l.Scopes(ctx, stack)
	if err != nil {
		return false, err
	}
	for _, s := range scopes {
		bindings, err := l.Bindings(ctx, s)
		if err != nil {
			return false, err
		}
		if slices.ContainsFunc(bindings, func(b resource.Binding) bool { return b.Live() && b.Ref.Stack == stack }) {
			return true, nil
		}
	}
	return false, nil
}
