package main

import (
	"os"
	"slices"

	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/history"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source"
)

// sourceStacks are the stacks that sources configure. What else is wrong with their resources does
// not matter.
func sourceStacks(c *call, paths []string) (stacks []string, err error) {
	_, _, err = loadBy(c, paths, c.dataDir(paths), "", func(drafts []*source.Draft) ([]resource.Intent, source.Problems) {
		for _, d := range drafts {
			stacks = append(stacks, d.Stack)
		}
		return nil, nil
	})
	return stacks, err
}

// inSource chooses, of several resources of one name, the one in the stack that the source configures:
// that of args, of -f, or ovi.yaml here.
func inSource(c *call, several *history.AmbiguousError, args ...string) (resource.Ref, error) {
	paths := c.named(args)
	if _, err := os.Stat(defaultSource); err == nil && len(paths) == 0 {
		paths = []string{defaultSource}
	}
	if len(paths) == 0 {
		return resource.Ref{}, several
	}
	stacks, err := sourceStacks(c, paths)
	if err != nil && len(c.cmd.StringSlice("f")) > 0 {
		return resource.Ref{}, err
	}
	left := slices.DeleteFunc(slices.Clone(several.Refs), func(r resource.Ref) bool { return !slices.Contains(stacks, r.Stack) })
	if len(left) != 1 {
		return resource.Ref{}, several
	}
	return left[0], nil
}

// recordedStacks are all stacks on record, sorted.
func recordedStacks(c *call, l *ledger.Ledger) ([]string, error) {
	plans, err := history.New(l.Reader()).Plans(c)
	var out []string
	for _, p := range plans {
		out = append(out, p.Stacks...)
	}
	slices.Sort(out)
	return slices.Compact(out), err
}

// shortNames gives the names of resources in a text that is written as it is read: with their stacks,
// if several are on record.
func shortNames(c *call, l *ledger.Ledger) (func(resource.Ref) string, error) {
	stacks, err := recordedStacks(c, l)
	if err != nil || len(stacks) < 2 {
		return resource.Ref.Short, err
	}
	return resource.Ref.ShortInStack, nil
}
