package record

import (
	"fmt"
	"slices"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/cmd/session"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/query"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/outputs"
	"github.com/ovi-project/ovi/storage"
)

// OutputCommand returns the command `ovi output`.
func OutputCommand(p *command.Process) *urfave.Command {
	return &urfave.Command{
		Name: "output", Category: command.GroupInspect, ArgsUsage: "[NAME]",
		Usage: "Print the recorded outputs of a stack",
		Description: "Prints the outputs that the last apply recorded, without a call of a provider. With NAME it prints\n" +
			"that value alone: a text without quotes, any other value as JSON.",
		Flags: []urfave.Flag{
			command.RecordFlag(), session.EnvFlag(),
			session.StackNameFlag("print the outputs of stack `NAME` (default: the stack of the source)"),
		},
		Action: p.Action(output),
	}
}

// outputOptions are the options of `ovi output`.
type outputOptions struct {
	stack string
	files []string
}

func outputOptionsOf(c *command.Call) outputOptions {
	return outputOptions{stack: session.StackNameOf(c), files: command.FilesOf(c)}
}

func output(c *command.Call) error {
	o := outputOptionsOf(c)
	if err := c.AtMost(1); err != nil {
		return err
	}
	return session.WithMemory(c, nil, func(l *ledger.Ledger) error {
		stack, err := outputStack(c, l, o)
		if err != nil {
			return err
		}
		all, err := query.Outputs(c, l.Reader(), stack, storage.Now)
		if err != nil {
			return err
		}
		if len(all) == 0 {
			loaded, err := l.Loaded(c)
			if err != nil {
				return err
			}
			if !slices.ContainsFunc(loaded, func(x event.Loaded) bool { return x.Stack == stack }) {
				return session.NotRecorded(stack, loaded)
			}
		}
		if name := c.Arg(0); name != "" {
			return oneOutput(c, stack, name, all)
		}
		return showOutputs(c, stack, all)
	})
}

// outputStack returns the stack whose outputs are printed: the one that --stack names, else the one of the source, else
// the only one that has outputs.
func outputStack(c *command.Call, l *ledger.Ledger, o outputOptions) (string, error) {
	if o.stack != "" {
		return o.stack, nil
	}
	paths, err := session.Sources(c)
	if err == nil {
		stack, err := session.StackOrRecorded(c, paths)
		if err != nil || stack != "" {
			return stack, err
		}
	} else if len(o.files) > 0 {
		return "", err
	}
	all, err := query.Outputs(c, l.Reader(), "", storage.Now)
	if err != nil {
		return "", err
	}
	var stacks []string
	for _, o := range all {
		stacks = append(stacks, o.Stack)
	}
	if stacks = slices.Compact(stacks); len(stacks) == 1 {
		return stacks[0], nil
	}
	suggestion, have := "use --stack NAME, or -f SOURCE", "no stack has"
	if len(stacks) > 0 {
		suggestion = "use --stack " + strings.Join(stacks, ", or --stack ")
		have = fmt.Sprintf("%d stacks have", len(stacks))
	}
	return "", cli.Usage(suggestion, "no source is named, and %s recorded outputs", have)
}

// oneOutput prints the value of one output, for scripts.
func oneOutput(c *command.Call, stack, name string, all []outputs.Recorded) error {
	name, path := outputs.Cut(name)
	i := slices.IndexFunc(all, func(o outputs.Recorded) bool { return o.Name == name })
	if i < 0 {
		return noOutput(stack, name, all)
	}
	if all[i].Value == nil && !c.Out.Machine() {
		return &cli.Problem{
			Summary:    fmt.Sprintf("output %s of stack %s has no value: %s", name, stack, all[i].Missing),
			Suggestion: "correct the output, and run `ovi apply`",
		}
	}
	v, ok := outputs.Field(all[i].Value, path)
	if !ok {
		return &cli.Problem{
			Summary:    fmt.Sprintf("output %s of stack %s has no key %s", name, stack, path),
			Suggestion: "run `ovi output " + name + "`",
		}
	}
	if c.Out.Machine() {
		one := all[i]
		one.Value = v
		return c.Out.Records(render.OutputOf(one, c.Now()))
	}
	text := string(outputs.Plain(v))
	if s, is := v.(resource.String); is {
		text = string(s)
	}
	_, err := fmt.Fprintln(c.Out.W, text)
	return err
}

// noOutput explains why an output has no value.
func noOutput(stack, name string, all []outputs.Recorded) error {
	out := &cli.Problem{
		Summary:    fmt.Sprintf("stack %s has no recorded output %s", stack, session.Quoted(name)),
		Suggestion: "declare it in outputs of the configuration and run `ovi apply`, which records it",
	}
	var names []string
	for _, o := range all {
		names = append(names, o.Name)
	}
	if near, ok := resource.Nearest(name, names); ok {
		out.Suggestion = "did you mean " + near + "?"
	} else if len(names) > 0 {
		out.Suggestion = "use one of " + strings.Join(names, ", ") + "; `ovi apply` records new outputs"
	}
	return out
}

// showOutputs lists all outputs of a stack.
func showOutputs(c *command.Call, stack string, all []outputs.Recorded) error {
	if c.Out.Machine() {
		for _, o := range all {
			if err := c.Out.Records(render.OutputOf(o, c.Now())); err != nil {
				return err
			}
		}
		return nil
	}
	t := render.Table{Head: []string{"OUTPUT", "VALUE", "RECORD", "RECORDED"}, Flexible: 1}
	for _, o := range all {
		value := "no value: " + o.Missing
		if o.Value != nil {
			value = render.Value(o.Value)
		}
		t.Rows = append(t.Rows, []string{o.Name, value, fmt.Sprint(o.Record), c.Ago(o.At)})
	}
	return c.Out.Table(t, "Stack "+stack+" has no recorded outputs: `ovi apply` records the outputs of its configuration.")
}
