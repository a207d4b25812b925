package session

import (
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/cmd/cli"
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

// ChosenStack returns the stack that --env selects: the one that the source configures in that environment. It is empty
// if the command line has no --env.
func ChosenStack(c *command.Call, args ...string) (string, error) {
	name, asked := environment(c)
	if !asked {
		return "", nil
	}
	if stack := StackNameOf(c); stack != "" {
		return "", cli.Usage("omit one of them", "--env %s and --stack %s are both given", name, stack)
	}
	paths, err := Sources(c, args...)
	if err != nil {
		return "", err
	}
	if err := onlyCharts(c, paths); err != nil {
		return "", err
	}
	stacks, err := SourceStacks(c, paths)
	switch {
	case err != nil:
		return "", err
	case len(stacks) != 1 || stacks[0] == "":
		return "", cli.Usage("omit --env, and name a resource with its stack, as in shop-dev:ec2/web",
			"%s does not configure one stack", strings.Join(paths, ", "))
	}
	return stacks[0], nil
}

// findIn finds a recorded resource of a stack by any spelling.
func findIn(c *command.Call, l *ledger.Ledger, stack, spelling string) (resource.Ref, error) {
	find := history.New(l.Reader()).FindRef
	ref, err := find(c, strings.TrimSuffix(resource.Ref{Stack: stack}.ShortInStack(), "/")+spelling)
	if !errors.Is(err, ledger.ErrNotFound) {
		return ref, err
	}
	ref, err = find(c, spelling) // an ID, or a name with its stack
	var several *history.AmbiguousError
	if errors.As(err, &several) || errors.Is(err, ledger.ErrNotFound) || err == nil && ref.Stack != stack {
		return resource.Ref{}, &cli.Problem{
			Summary:    "stack " + stack + " has no recorded resource called " + Quoted(spelling),
			Suggestion: "run `ovi status --stack " + stack + "`, or omit --env",
		}
	}
	return ref, err
}

// Called returns a name of a resource for a suggestion: the typed one, or the name with the stack if --env selects it.
func Called(c *command.Call, ref resource.Ref) string {
	if _, asked := environment(c); asked {
		return ref.ShortInStack()
	}
	return c.Arg(0)
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
	if err != nil && len(command.FilesOf(c)) > 0 {
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
