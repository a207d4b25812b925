package main

import (
	"bytes"
	"fmt"
	"slices"

	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/cmd/reconcile"
	"github.com/ovi-project/ovi/cmd/session"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config"
	"github.com/ovi-project/ovi/source/config/editor"
)

func kindsCommand(p *command.Process) *urfave.Command {
	return &urfave.Command{
		Name: "kinds", Category: command.GroupReference, ArgsUsage: "[KIND]",
		Usage: "List kinds of resources, or describe one",
		Flags: []urfave.Flag{
			&urfave.BoolFlag{Name: "permissions", Usage: "print the permissions that the providers need, such as an IAM policy"},
			&urfave.StringFlag{Name: "iam", Usage: "print the smallest IAM policy for the configuration in `FILE`: its kinds, " +
				"regions and stacks"},
		},
		Action: p.Action(kinds),
	}
}

func schemaCommand(p *command.Process) *urfave.Command {
	return &urfave.Command{
		Name: "schema", Category: command.GroupReference,
		Usage: "Print the JSON Schema of configuration files, for editors",
		Flags: []urfave.Flag{
			&urfave.BoolFlag{Name: "component", Usage: "print the schema of component.yaml"},
			&urfave.StringFlag{Name: "for", Usage: "include the variables of the configuration in `FILE` and of its components"},
		},
		Action: p.Action(schema),
	}
}

// kindsOptions are the options of `ovi kinds`.
type kindsOptions struct {
	permissions bool
	iam         string
	forFile     bool // a file is given, whatever its name is
}

func kindsOptionsOf(c *command.Call) kindsOptions {
	return kindsOptions{
		permissions: c.Cmd.Bool("permissions"), iam: c.Cmd.String("iam"), forFile: c.Cmd.IsSet("iam"),
	}
}

func kinds(c *command.Call) error {
	o := kindsOptionsOf(c)
	if err := c.AtMost(1); err != nil {
		return err
	}
	if o.permissions {
		return permissions(c)
	}
	if o.forFile {
		return permissionsFor(c, o.iam)
	}
	var all []resource.Kind
	var names []string
	set := command.Schemas(c.Process)
	for _, p := range set.Providers() {
		for _, k := range set.Kinds(p) {
			names = append(names, k.Name)
			if c.Arg(0) == "" || c.Arg(0) == k.Name || c.Arg(0) == p+"/"+k.Name {
				all = append(all, k)
			}
		}
	}
	if len(all) == 0 {
		next := "see `ovi kinds`"
		if near, ok := resource.Nearest(c.Arg(0), names); ok {
			next = "did you mean " + near + "?"
		}
		return cli.Usage(next, "unknown kind %q", c.Arg(0))
	}
	if c.Out.Machine() {
		for _, k := range all {
			if err := c.Out.Records(render.KindRecord(k)); err != nil {
				return err
			}
		}
		return nil
	}
	if c.Arg(0) != "" {
		return render.Kind(c.Out.W, c.Out.Style, all[0])
	}
	t := render.Table{Head: []string{"KIND", "PROVIDER", "DESCRIPTION"}, Flexible: 2}
	for _, k := range all {
		t.Rows = append(t.Rows, []string{k.Name, k.Provider, render.FirstLine(k.Doc)})
	}
	return c.Out.Table(t, "No kinds.")
}

// permissions prints what each provider's credentials must be allowed to do.
func permissions(c *command.Call) error {
	for _, e := range c.Entries() {
		if e.Permissions == nil {
			continue
		}
		if err := c.Out.Print(e.Permissions()); err != nil {
			return err
		}
	}
	return nil
}

// permissionsFor prints what the credentials for one configuration must be allowed to do. It reads what
// `ovi validate` reads.
func permissionsFor(c *command.Call, file string) error {
	paths, err := session.Sources(c, file)
	if err != nil {
		return err
	}
	checks := c.Checks()
	checks.Secrets = c.Secrets.Noting(reconcile.Undigested{})
	drafts, err := session.Drafts(c, paths, session.DataDir(c, paths), "", checks)
	if err != nil {
		return err
	}
	intents, problems := source.Resolve(drafts)
	if len(problems) > 0 {
		return problems
	}
	printed, known := false, ""
	for _, e := range c.Entries() {
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
		if err := c.Out.Print(bytes.Join(documents, nil)); err != nil {
			return err
		}
		if n := len(documents); n > 1 {
			c.Out.Warn(fmt.Sprintf("these are %d policies, because one would exceed the limit of the provider", n),
				"attach all of them: each has a part of the permissions")
		}
		printed = true
	}
	if !printed {
		return &cli.Problem{
			Summary: "no resource needs permissions of IAM", File: file,
			Suggestion: "use a file with resources of " + known,
		}
	}
	return nil
}

// schemaOptions are the options of `ovi schema`.
type schemaOptions struct {
	component bool
	file      string
	forFile   bool // a file is given, whatever its name is
}

func schemaOptionsOf(c *command.Call) schemaOptions {
	return schemaOptions{component: c.Cmd.Bool("component"), file: c.Cmd.String("for"), forFile: c.Cmd.IsSet("for")}
}

func schema(c *command.Call) error {
	o := schemaOptionsOf(c)
	if err := c.AtMost(0); err != nil {
		return err
	}
	if o.component {
		return c.Out.Print(config.ComponentSchema(c.Checks()))
	}
	if o.forFile {
		return schemaFor(c, o.file)
	}
	return c.Out.Print(config.Schema(c.Checks()))
}

// schemaFor prints the schema for one file. Editors call it while the file is being written, so a component that
// cannot be read is a warning.
func schemaFor(c *command.Call, file string) error {
	text, err := session.ReadSource(file)
	if err != nil {
		return err
	}
	root := config.FileSchema(c.Checks())
	unread, err := editor.Complete(root, text, func(folder string) (string, error) {
		return command.ComponentText(c, file, folder)
	})
	if err != nil {
		return &cli.Problem{
			Summary: "the file is not valid YAML", File: file, Err: err, Suggestion: "see `ovi validate " + file + "`",
		}
	}
	for _, folder := range unread {
		c.Out.Warn("the component "+folder+" cannot be read: the schema does not have its variables", "see `ovi validate "+
			file+"`")
	}
	return c.Out.Print(root.Bytes())
}
