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

// useStacks remembers the stack of a source. If the source has environments, it rejects a stack of the source that has
// resources and belongs to no environment: an environment was renamed or removed, or the source had none before. Its
// resources would be abandoned and created again.
func (s *settings) useStacks(ctx context.Context, l *ledger.Ledger, paths []string, intents []resource.Intent) error {
	if len(paths) == 0 || len(intents) != 1 || intents[0].Stack == "" {
		return nil
	}
	in := intents[0]
	abs, err := filepath.Abs(paths[0])
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
				Detail:  "the stacks of the environments are " + strings.Join(in.Environments, ", "), File: paths[0],
				Suggestion: fmt.Sprintf("set `stack: %s` in the environment that has its resources; move them with `moved` from "+
					"%s:TYPE/NAME; or restore the environment and run `ovi destroy`", was.Name, was.Name),
			}
		}
	}
	if now := (stack{abs, in.Stack}); !slices.Contains(s.Stacks, now) {
		s.Stacks, s.changed = append(s.Stacks, now), true
	}
	return nil
}
