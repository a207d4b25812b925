package main

import (
	"bytes"
	"fmt"
	"slices"

	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config"
)

func kindsCommand(p *process) *urfave.Command {
	return &urfave.Command{
		Name: "kinds", Category: groupReference, ArgsUsage: "[KIND]",
		Usage: "List kinds of resources, or describe one",
		Flags: []urfave.Flag{
			&urfave.BoolFlag{Name: "permissions", Usage: "print the permissions that the providers need, such as an IAM policy"},
			&urfave.StringFlag{Name: "iam", Usage: "print the smallest IAM policy for the configuration in `FILE`: its kinds, regions and stacks"},
		},
		Action: p.action(kinds),
	}
}

func schemaCommand(p *process) *urfave.Command {
	return &urfave.Command{
		Name: "schema", Category: groupReference,
		Usage:  "Print the JSON Schema of configuration files, for editors",
		Action: p.action(schema),
	}
}

func kinds(c *call) error {
	if err := c.atMost(1); err != nil {
		return err
	}
	if c.cmd.Bool("permissions") {
		return permissions(c)
	}
	if c.cmd.IsSet("iam") {
		return permissionsFor(c, c.cmd.String("iam"))
	}
	var all []resource.Kind
	var names []string
	set := schemas(c.process)
	for _, p := range set.Providers() {
		for _, k := range set.Kinds(p) {
			names = append(names, k.Name)
			if c.arg(0) == "" || c.arg(0) == k.Name || c.arg(0) == p+"/"+k.Name {
				all = append(all, k)
			}
		}
	}
	if len(all) == 0 {
		next := "see `ovi kinds`"
		if near, ok := resource.Nearest(c.arg(0), names); ok {
			next = "did you mean " + near + "?"
		}
		return cli.Usage(next, "unknown kind %q", c.arg(0))
	}
	if c.out.Machine() {
		return kindRecords(c, all)
	}
	if c.arg(0) != "" {
		return render.Kind(c.out.W, c.out.Style, all[0])
	}
	t := render.Table{Head: []string{"KIND", "PROVIDER", "DESCRIPTION"}, Flexible: 2}
	for _, k := range all {
		t.Rows = append(t.Rows, []string{k.Name, k.Provider, render.FirstLine(k.Doc)})
	}
	return c.out.Table(t, "No kinds.")
}

// permissions prints what each provider's credentials must be allowed to do.
func permissions(c *call) error {
	for _, e := range c.entries() {
		if e.Permissions == nil {
			continue
		}
		if err := c.out.Print(e.Permissions()); err != nil {
			return err
		}
	}
	return nil
}

// permissionsFor prints what the credentials for one configuration must be allowed to do. It reads what
// `ovi validate` reads.
func permissionsFor(c *call, file string) error {
	paths, err := c.sources(file)
	if err != nil {
		return err
	}
	checks := c.checks()
	checks.Secrets = c.secrets.noting(undigested{})
	drafts, err := drafts(c, paths, c.dataDir(paths), "", checks)
	if err != nil {
		return err
	}
	intents, problems := source.Resolve(drafts)
	if len(problems) > 0 {
		return problems
	}
	printed, known := false, ""
	for _, e := range c.entries() {
		uses := slices.ContainsFunc(intents, func(in resource.Intent) bool {
			return slices.ContainsFunc(in.Resources, func(d resource.Desired) bool { return d.Ref.Provider == e.Name })
		})
		if e.PermissionsFor == nil {
			continue
		}
		if known = e.Name; !uses {
			continue
		}
		documents := e.PermissionsFor(intents)
		if err := c.out.Print(bytes.Join(documents, nil)); err != nil {
			return err
		}
		if n := len(documents); n > 1 {
			c.out.Warn(fmt.Sprintf("these are %d policies, because one would exceed the limit of the provider", n), "attach all of them: each has a part of the permissions")
		}
		printed = true
	}
	if !printed {
		return &cli.Problem{Summary: "no resource needs permissions of IAM", File: file, Suggestion: "use a file with resources of " + known}
	}
	return nil
}

func kindRecords(c *call, all []resource.Kind) error {
	for _, k := range all {
		if err := c.out.Records(render.KindRecord(k)); err != nil {
			return err
		}
	}
	return nil
}

func schema(c *call) error {
	if err := c.atMost(0); err != nil {
		return err
	}
	return c.out.Print(config.Schema(c.checks()))
}
