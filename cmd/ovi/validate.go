package main

import (
	"fmt"

	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source"
)

func validateCommand(p *process) *urfave.Command {
	return &urfave.Command{
		Name: "validate", Category: groupReconcile, ArgsUsage: "[SOURCE]",
		Usage:       "Check a source and its policies",
		Description: "Reads all that `ovi plan` reads, without live state and without a data directory: it calls no provider and writes nothing.",
		Flags:       append([]urfave.Flag{sourceFlag(), policyFlag()}, append(chartFlags(), gitFlags()...)...),
		Action:      p.action(validate),
	}
}

// validated is the result of `ovi validate` for programs.
type validated struct {
	Stacks    []string `json:"stacks"`
	Resources int      `json:"resources"`
}

// undigested is for secrets that are only checked.
type undigested struct{}

// Digest implements resource.Digester.
func (undigested) Digest(resource.Ref, string, string) resource.Digest { return "validated" }

// Same implements resource.Digester.
func (undigested) Same(string, resource.Digest) bool { return false }

func validate(c *call) error {
	if err := c.atMost(1); err != nil {
		return err
	}
	paths, err := c.sources(c.cmd.Args().Slice()...)
	if err != nil {
		return err
	}
	checks := c.checks()
	checks.Secrets = c.secrets.noting(undigested{}) // no key is made for it
	drafts, err := drafts(c, paths, c.dataDir(paths), "", checks)
	if err != nil {
		return err
	}
	intents, problems := source.Resolve(drafts)
	if len(problems) > 0 {
		return problems
	}
	if _, err := policies(c, intents); err != nil {
		return err
	}
	var out validated
	for _, in := range intents {
		out.Stacks, out.Resources = append(out.Stacks, in.Stack), out.Resources+len(in.Resources)
	}
	if c.out.Machine() {
		return c.out.Records(render.Info{Type: "valid", Data: out})
	}
	for _, in := range intents {
		c.out.Say("Stack %s is valid: %s.", in.Stack, resources(len(in.Resources)))
	}
	return cli.Exit()
}

func resources(n int) string {
	if n == 1 {
		return "1 resource"
	}
	return fmt.Sprintf("%d resources", n)
}
