package command

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/resource"
)

// stack is a stack that a source configured.
type stack struct {
	Source string `json:"source"` // absolute
	Name   string `json:"name"`
}

// useStacks remembers the stacks of the sources. Several paths are one stack, or one stack each.
func (s *settings) useStacks(ctx context.Context, l *ledger.Ledger, paths []string, intents []resource.Intent) error {
	if len(paths) == 0 || len(intents) != 1 && len(intents) != len(paths) {
		return nil
	}
	for i := range intents {
		if intents[i].Stack == "" || len(intents) > 1 && severalStacks(paths, intents, i) {
			continue
		}
		if err := s.useStack(ctx, l, paths[i], &intents[i]); err != nil {
			return err
		}
	}
	return nil
}

// severalStacks reports whether the source of a stack also has stacks of no environment, as a repository may have.
func severalStacks(paths []string, intents []resource.Intent, at int) bool {
	for i := range intents {
		in, own := &intents[i], &intents[at]
		if i != at && paths[i] == paths[at] && (len(own.Environments) == 0 ||
			in.Unread == "" && !slices.Equal(in.Environments, own.Environments)) {
			return true
		}
	}
	return false
}

// useStack remembers the stack of a source. If the source has environments, it rejects a stack of the source that has
// resources and belongs to no environment: an environment was renamed or removed, or the source had none before. Its
// resources would be abandoned and created again.
func (s *settings) useStack(ctx context.Context, l *ledger.Ledger, path string, in *resource.Intent) error {
	abs, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	for _, was := range s.Stacks {
		moved := slices.ContainsFunc(in.Moved, func(m resource.Move) bool { return m.From.Stack == was.Name })
		if len(in.Environments) == 0 || was.Source != abs || slices.Contains(in.Environments, was.Name) || moved {
			continue
		}
		owns, err := ownsAny(ctx, l, was.Name)
		if err != nil {
			return err
		}
		if owns {
			return &cli.Problem{
				Summary: fmt.Sprintf("the stack %s of this file has resources, and no environment has the stack", was.Name),
				Detail:  "the stacks of the environments are " + strings.Join(in.Environments, ", "), File: path,
				Suggestion: fmt.Sprintf("set `stack: %s` in the environment that has its resources; move them with `moved` from "+
					"%s:TYPE/NAME; or delete them: ovi destroy --stack %s", was.Name, was.Name, was.Name),
			}
		}
	}
	if now := (stack{abs, in.Stack}); !slices.Contains(s.Stacks, now) {
		s.Stacks, s.changed = append(s.Stacks, now), true
	}
	return nil
}

// SourcesOf returns the absolute paths of the sources that configured a stack, as a data directory remembers them.
func SourcesOf(dir, stack string) (out []string) {
	s, _, err := readSettings(dir)
	if err != nil {
		return nil // the command reports it when it uses the settings
	}
	for _, was := range s.Stacks {
		if was.Name == stack {
			out = append(out, was.Source)
		}
	}
	return out
}

// StacksOf returns the stacks that a source configured, as a data directory remembers them.
func StacksOf(dir, source string) (out []string) {
	s, _, err := readSettings(dir)
	abs, bad := filepath.Abs(source)
	if err != nil || bad != nil {
		return nil // without settings, nothing is remembered
	}
	for _, was := range s.Stacks {
		if was.Source == abs {
			out = append(out, was.Name)
		}
	}
	return out
}

// Configured returns the refs of all configured resources.
func Configured(intents []resource.Intent) []resource.Ref {
	var refs []resource.Ref
	for _, in := range intents {
		for _, d := range in.Resources {
			refs = append(refs, d.Ref)
		}
	}
	return refs
}
