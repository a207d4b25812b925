package session

import (
	"os"
	"slices"

	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source"
)

// SourceStacks are the stacks that sources configure. What else is wrong with their resources does
// not matter.
func SourceStacks(c *command.Call, paths []string) (stacks []string, err error) {
	_, _, err = LoadBy(c, paths, DataDir(c, paths), "", func(drafts []*source.Draft) ([]resource.Intent, source.Problems) {
		for _, d := range drafts {
			stacks = append(stacks, d.Stack)
		}
		return nil, nil
	})
	return stacks, err
}

// inSource chooses, of several resources of one name, the one in the stack that the source configures:
// that of args, of -f, or ovi.yaml here.
func inSource(c *command.Call, several *history.AmbiguousError, args ...string) (resource.Ref, error) {
	paths := Named(c, args)
	if _, err := os.Stat(DefaultSource); err == nil && len(paths) == 0 {
		paths = []string{DefaultSource}
	}
	if len(paths) == 0 {
		return resource.Ref{}, several
	}
	stacks, err := SourceStacks(c, paths)
	if err != nil && len(c.Cmd.StringSlice("f")) > 0 {
		return resource.Ref{}, err
	}
	left := slices.DeleteFunc(slices.Clone(several.Refs),
		func(r resource.Ref) bool { return !slices.Contains(stacks, r.Stack) })
	if len(left) != 1 {
		return resource.Ref{}, several
	}
	return left[0], nil
}

// RecordedStacks are all stacks on record, sorted.
func RecordedStacks(c *command.Call, l *ledger.Ledger) ([]string, error) {
	plans, err := history.New(l.Reader()).Plans(c)
	var out []string
	for _, p := range plans {
		out = append(out, p.Stacks...)
	}
	slices.Sort(out)
	return slices.Compact(out), err
}

// ShortNames gives the names of resources in a text that is written as it is read: with their stacks,
// if several are on record.
func ShortNames(c *command.Call, l *ledger.Ledger) (func(resource.Ref) string, error) {
	stacks, err := RecordedStacks(c, l)
	if err != nil || len(stacks) < 2 {
		return resource.Ref.Short, err
	}
	return resource.Ref.ShortInStack, nil
}
