package reconcile

import (
	"fmt"

	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/cmd/session"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source"
)

// ValidateCommand returns the command `ovi validate`.
func ValidateCommand(p *command.Process) *urfave.Command {
	return &urfave.Command{
		Name: "validate", Category: command.GroupReconcile, ArgsUsage: "[SOURCE]",
		Usage: "Check a source and its policies",
		Description: "Reads all that `ovi plan` reads, without live state and without a data directory: it calls no " +
			"provider and writes nothing.",
		Flags: append([]urfave.Flag{command.SourceFlag(), session.PolicyFlag()},
			append(session.ChartFlags(), session.GitFlags()...)...),
		Action: p.Action(validate),
	}
}

// validated is the result of `ovi validate` for programs.
type validated struct {
	Stacks    []string `json:"stacks"`
	Resources int      `json:"resources"`
}

// Undigested is for secrets that are only checked.
type Undigested struct{}

// Digest implements resource.Digester.
func (Undigested) Digest(resource.Ref, string, string) resource.Digest { return "validated" }

// Same implements resource.Digester.
func (Undigested) Same(string, resource.Digest) bool { return false }

func validate(c *command.Call) error {
	if err := c.AtMost(1); err != nil {
		return err
	}
	paths, err := session.Sources(c, c.Cmd.Args().Slice()...)
	if err != nil {
		return err
	}
	checks := c.ChecksForSecrets()
	checks.Secrets = c.Secrets.Noting(Undigested{}) // no key is made for it
	drafts, err := session.Drafts(c, paths, session.DataDir(c, paths), "", checks)
	if err != nil {
		return err
	}
	intents, problems := source.Resolve(drafts)
	if len(problems) > 0 {
		return problems
	}
	if _, err := session.Policies(c, intents); err != nil {
		return err
	}
	WarnOfExposed(c)
	var out validated
	for _, in := range intents {
		out.Stacks, out.Resources = append(out.Stacks, in.Stack), out.Resources+len(in.Resources)
	}
	if c.Out.Machine() {
		return c.Out.Records(render.Info{Type: "valid", Data: out})
	}
	for _, in := range intents {
		resources := "1 resource"
		if n := len(in.Resources); n != 1 {
			resources = fmt.Sprintf("%d resources", n)
		}
		c.Out.Say("Stack %s is valid: %s.", in.Stack, resources)
	}
	return cli.Exit()
}
