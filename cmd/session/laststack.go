package session

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source"
)

// WithStack opens the line for one stack, for as long as do runs. If the sources configure the stack, it is read from
// them. Otherwise its last accepted configuration is used, which has its rules and its credentials: no environment has
// the stack any more, or its source is gone.
func WithStack(c *command.Call, paths []string, stack string, do func(*Session) error) error {
	dir := DataDir(c, paths)
	here, err := configures(c, paths, stack)
	if err != nil {
		return err
	}
	var intents []resource.Intent
	if here {
		intents, err = LoadStack(c, paths, dir, stack)
	} else {
		paths = nil
		intents, err = lastAccepted(c, dir, stack)
	}
	if err != nil {
		return err
	}
	l, err := OpenWith(c, dir, paths, intents)
	if err != nil {
		return err
	}
	return Closing(c, l, do(l))
}

// configures reports whether sources configure a stack. A stack of an environment is an error, which names the
// environment: it needs its values.
func configures(c *command.Call, paths []string, stack string) (bool, error) {
	if len(paths) == 0 {
		return false, nil
	}
	stacks, environments, err := stacksOf(c, paths)
	for _, name := range slices.Sorted(maps.Keys(environments)) {
		if environments[name] == stack {
			return false, cli.Usage("use --env "+name+" instead of --stack",
				"the stack %s is the one of the environment %s of %s", stack, name, strings.Join(paths, ", "))
		}
	}
	if len(environments) > 0 {
		err = nil // without an environment, the rest cannot be read
	}
	return slices.Contains(stacks, stack), err
}

// stacksOf returns the stacks that sources configure, or the stacks of their environments by name, whatever is wrong
// with the rest of them.
func stacksOf(c *command.Call, paths []string) (stacks []string, environments map[string]string, err error) {
	environments = map[string]string{}
	read := func(c *command.Call, paths []string, dir, stack string, checks source.Options) ([]*source.Draft, error) {
		checks.Environments = func(found map[string]string) { maps.Copy(environments, found) }
		return Drafts(c, paths, dir, stack, checks)
	}
	_, problems, err := loadBy(c, paths, DataDir(c, paths), "", read,
		func(drafts []*source.Draft) (_ []resource.Intent, problems source.Problems) {
			for _, d := range drafts {
				stacks = append(stacks, d.Stack)
				if d.ByFolder && d.Failed() > 0 && problems == nil { // a file that is not readable may name the stack
					_, problems = source.Resolve([]*source.Draft{d})
				}
			}
			return nil, problems
		})
	if err == nil && len(problems) > 0 {
		err = problems
	}
	return stacks, environments, err
}

// lastAccepted returns the last accepted configuration of a recorded stack that no source configures any more.
func lastAccepted(c *command.Call, dir, stack string) (out []resource.Intent, err error) {
	if file := otherSource(c, dir, stack); file != "" {
		return nil, cli.Usage("run `ovi "+c.Cmd.Command.Name+" "+file+"`", "the stack %s is configured by %s", stack, file)
	}
	if c.StoreName() == "" && !hasRecord(c, dir) {
		return nil, cli.Usage("name the source that configured it, or use --data-dir",
			"no stack %s is recorded: %s does not exist", stack, dir)
	}
	l, err := OpenLedger(c, dir)
	if err != nil {
		return nil, err
	}
	defer func() {
		if bad := l.Close(); err == nil {
			err = bad
		}
	}()
	loaded, err := l.Loaded(c)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(loaded, func(x event.Loaded) bool { return x.Stack == stack })
	if i < 0 {
		return nil, NotRecorded(stack, loaded)
	}
	// It is returned as one that was read now.
	was := loaded[i]
	intents, err := engine.Restored(c, l.Reader(),
		[]resource.Intent{{Stack: was.Stack, Source: was.Source, Unread: "no environment has the stack"}}, c.Now())
	if err != nil {
		return nil, err
	}
	if intents[0].Partial {
		return nil, &cli.Problem{
			Summary: fmt.Sprintf("no configuration of stack %s was applied: its rules and credentials are not known",
				was.Stack),
			Suggestion: "restore the configuration and destroy the stack with it, or forget its resources: ovi forget NAME",
		}
	}
	intents[0].Unread, intents[0].Moved, intents[0].Removed = "", nil, nil
	return intents, nil
}

// NotRecorded is the error for a stack without a record.
func NotRecorded(stack string, loaded []event.Loaded) error {
	next := "run `ovi apply` first"
	names := make([]string, len(loaded))
	for i, x := range loaded {
		names[i] = x.Stack
	}
	if len(names) > 0 {
		next = "use one of " + strings.Join(names, ", ") + ", or run `ovi apply` first"
	}
	return &cli.Problem{Summary: "no stack " + stack + " is recorded", Suggestion: next}
}

// otherSource returns the file that configured a stack, as the data directory remembers it, if it still does. Its
// rules and values hold, and not the recorded ones.
func otherSource(c *command.Call, dir, stack string) string {
	for _, file := range command.SourcesOf(dir, stack) {
		if _, err := os.Stat(file); err != nil {
			continue
		}
		stacks, environments, _ := stacksOf(c, []string{file})
		if slices.Contains(stacks, stack) || slices.Contains(slices.Collect(maps.Values(environments)), stack) {
			if here, err := filepath.Abs("."); err == nil {
				if rel, err := filepath.Rel(here, file); err == nil && filepath.IsLocal(rel) {
					return rel
				}
			}
			return file
		}
	}
	return ""
}

// StackOrRecorded returns the stack that sources configure. If they cannot be read, it is the stack that the data
// directory remembers of them, with a note. It is empty if the sources configure none or several.
func StackOrRecorded(c *command.Call, paths []string) (string, error) {
	stacks, environments, err := stacksOf(c, paths)
	if err == nil && len(stacks) == 1 {
		return stacks[0], nil
	}
	if err == nil || len(environments) > 0 || len(paths) != 1 { // an environment that is not given is no broken file
		return "", err
	}
	was := command.StacksOf(DataDir(c, paths), paths[0])
	if name, _ := environment(c); name != "" && len(was) > 1 {
		was = slices.DeleteFunc(was, func(stack string) bool { return !strings.HasSuffix(stack, "-"+name) })
	}
	if len(was) != 1 {
		return "", err
	}
	why, _, _ := strings.Cut(err.Error(), "\n")
	c.Out.Warn(paths[0]+" could not be read, and the record of stack "+was[0]+" is used: "+why, "correct the file")
	return was[0], nil
}
