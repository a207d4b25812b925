package manage

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/cmd/session"
	"github.com/ovi-project/ovi/internal/shell"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source/config/settings"
	"github.com/ovi-project/ovi/source/importer"
	"github.com/ovi-project/ovi/source/importer/terraform"
)

// ImportExistingCommand returns the command `ovi import existing`.
func ImportExistingCommand(p *command.Process) *urfave.Command {
	return &urfave.Command{
		Name: "existing", ArgsUsage: " ",
		Usage: "Write a configuration for unmanaged resources",
		Description: "It has what exists and is not managed, except what another system manages, such as an autoscaling\n" +
			"group. Nothing is changed. A second file has the IDs, for `ovi adopt --ids`.\n" + command.MatchWords,
		Flags:  append(importFlags(p), command.MatchFlag("only resources that match `PATTERN`; repeatable")),
		Action: p.Action(importExisting),
	}
}

// ImportTerraformCommand returns the command `ovi import terraform`.
func ImportTerraformCommand(p *command.Process) *urfave.Command {
	return &urfave.Command{
		Name: "terraform", ArgsUsage: "STATE | --source DIR [STATE]",
		Usage: "Convert a Terraform state or source code to a configuration",
		Description: "STATE is a state file of Terraform or OpenTofu (`terraform state pull > STATE`), of which only\n" +
			"addresses and IDs are used. Everything else is read from live state, so the first plan is empty.\n" +
			"Nothing is changed. A second file has the IDs, for `ovi adopt --ids`. ovi lists the resources that\n" +
			"it did not import.\n" +
			"With --source, ovi converts the *.tf files of a root module instead: variables, locals, resources with\n" +
			"count and for_each, local modules, outputs, and *.tfvars as environments. It reads no live state, and\n" +
			"lists each part that it does not convert with its line. With a STATE, too, it writes the IDs for\n" +
			"`ovi adopt --ids`.",
		Flags: append(importFlags(p), &urfave.StringFlag{
			Name: "source", Usage: "convert the root module in folder `DIR`; --out is a folder then",
		}, &urfave.BoolFlag{
			Name: "detailed-exitcode", Usage: "with --source, exit 2 if a part is not converted",
		}),
		Action: p.Action(importTerraform),
	}
}

// importFlags are those of all imports of what exists. The default provider is the first of the table.
func importFlags(p *command.Process) []urfave.Flag {
	return []urfave.Flag{
		&urfave.StringFlag{Name: "out", Usage: "write the configuration to `FILE`, and the IDs to a file of that name with " +
			".ids", Value: session.DefaultSource},
		&urfave.StringFlag{Name: "stack", Usage: "call the stack `NAME` (default: the folder of FILE)"},
		&urfave.StringFlag{Name: "provider", Usage: "read the resources of provider `NAME`", Value: p.Entries()[0].Name},
	}
}

// importOptions are the values of importFlags.
type importOptions struct{ out, stack, provider string }

func importOptionsOf(c *command.Call) importOptions {
	return importOptions{out: c.Cmd.String("out"), stack: c.Cmd.String("stack"), provider: c.Cmd.String("provider")}
}

// existingOptions are the options of `ovi import existing`.
type existingOptions struct {
	importOptions
	match []string
}

func existingOptionsOf(c *command.Call) existingOptions {
	return existingOptions{importOptions: importOptionsOf(c), match: command.MatchOf(c)}
}

// terraformOptions are the options of `ovi import terraform`.
type terraformOptions struct {
	importOptions
	source   string
	detailed bool
	// The source code, and where to write to, are given, whatever the values are.
	code, named bool
}

func terraformOptionsOf(c *command.Call) terraformOptions {
	return terraformOptions{
		importOptions: importOptionsOf(c), source: c.Cmd.String("source"), detailed: c.Cmd.Bool("detailed-exitcode"),
		code: c.Cmd.IsSet("source"), named: c.Cmd.IsSet("out"),
	}
}

func importExisting(c *command.Call) error {
	o := existingOptionsOf(c)
	if err := c.AtMost(0); err != nil {
		return err
	}
	matcher, err := command.Matcher(o.match)
	if err != nil {
		return err
	}
	return withAdoptable(c, o.importOptions, func(i *imports) error {
		schemas := command.Schemas(c.Process)
		i.found = slices.DeleteFunc(i.found, func(r resource.Observed) bool {
			return !matcher.Match(&r, importer.Called(schemas, &r)) || !i.takes(&r, r.Ref.Kind+" "+r.ID)
		})
		all := slices.Clone(i.found)
		i.found = slices.DeleteFunc(i.found, func(r resource.Observed) bool { return i.partOf(schemas, &r, all) })
		return i.write(o.out, nil)
	})
}

func importTerraform(c *command.Call) error {
	o := terraformOptionsOf(c)
	if o.code {
		return importCode(c, o)
	}
	if c.Cmd.NArg() != 1 {
		return cli.Usage("name one: `terraform state pull > terraform.tfstate` writes it",
			"`ovi import terraform` needs a state file")
	}
	text, err := session.ReadSource(c.Arg(0))
	if err != nil {
		return err
	}
	entry, err := importEntry(c, o.provider)
	if err != nil {
		return err
	}
	state, err := terraform.Read([]byte(text), entry.Terraform)
	if err != nil {
		return &cli.Problem{
			Summary: "cannot read the state", File: c.Arg(0), Err: err,
			Suggestion: "write it with `terraform state pull`",
		}
	}
	return withAdoptable(c, o.importOptions, func(i *imports) error {
		return i.write(o.out, i.keep(state))
	})
}

// keep leaves of what was found what a state has, and gives the names that it has there, by ID.
func (i *imports) keep(state []terraform.Resource) map[string]string {
	type key struct{ kind, id string }
	found := map[key]*resource.Observed{}
	for n := range i.found {
		found[key{i.found[n].Ref.Kind, i.found[n].ID}] = &i.found[n]
	}
	names, kept := map[string]string{}, []resource.Observed(nil)
	for _, r := range state {
		o := found[key{r.Known.Kind, r.ID}]
		switch {
		case r.Known.PartOf != "": // its kind has it among its attributes
		case r.Known.Kind == "":
			i.left = append(i.left, omitted{r.Address, "provider " + i.head.Provider + " has no kind for " + r.Type})
		case o == nil && i.unread[r.Known.Kind] != nil:
			i.left = append(i.left, omitted{r.Address, "cannot be read: " + i.unread[r.Known.Kind].Error()})
		case o == nil:
			i.left = append(i.left, omitted{
				r.Address,
				fmt.Sprintf("no unmanaged %s with the ID %s exists in %s", r.Known.Kind, r.ID, i.head.Location),
			})
		case i.takes(o, r.Address):
			names[r.ID] = r.Name
			kept = append(kept, *o)
		}
	}
	i.found = kept
	return names
}

// omitted is something that is not imported, and why.
type omitted struct{ what, why string }

// imports are the resources that an import writes a configuration for.
type imports struct {
	c      *command.Call
	head   importer.Head
	found  []resource.Observed
	unread map[string]error // by kind
	left   []omitted
}

// takes reports whether a resource may be adopted. One that may not is listed.
func (i *imports) takes(o *resource.Observed, what string) bool {
	switch {
	case o.Condition == resource.Unreadable:
		i.left = append(i.left, omitted{what, "cannot be read: " + o.Message})
	case o.OwnedBy != "":
		i.left = append(i.left, omitted{what, "managed by " + o.OwnedBy})
	case o.Ownership != resource.Unmanaged && o.Ownership != resource.Former:
		i.left = append(i.left, omitted{what, "it has the tags of stack " + o.Marks.Ref.Stack + ", see `ovi adopt --marked`"})
	default:
		return true
	}
	return false
}

// partOf reports whether a resource is a part of one that is imported: the one that it refers to and cannot be without.
// It is listed, since a configuration of both would be refused.
func (i *imports) partOf(schemas importer.Schemas, o *resource.Observed, all []resource.Observed) bool {
	if o.Message != resource.PartOfAnother {
		return false
	}
	k, _ := schemas.Kind(o.Ref.Provider, o.Ref.Kind)
	for _, a := range k.Attrs {
		id, _ := o.Attrs.Get(a.Name)
		if !a.Required || a.RefKind == "" {
			continue
		}
		for n := range all {
			if whole := &all[n]; whole.Ref.Kind == a.RefKind && resource.String(whole.ID) == id {
				i.left = append(i.left, omitted{
					o.Ref.Kind + " " + o.ID,
					"it is in " + a.RefKind + " " + whole.ID + ", which is imported",
				})
				return true
			}
		}
	}
	return false
}

// importEntry is the provider with a name.
func importEntry(c *command.Call, name string) (provider.Entry, error) {
	var names []string
	for _, e := range c.Entries() {
		if e.Name == name {
			return e, nil
		}
		names = append(names, e.Name)
	}
	return provider.Entry{}, cli.Usage("use one of "+strings.Join(names, ", "), "there is no provider %q", name)
}

// withAdoptable reads what is unmanaged at the location of the command line.
func withAdoptable(c *command.Call, o importOptions, do func(*imports) error) error {
	entry, err := importEntry(c, o.provider)
	if err != nil {
		return err
	}
	for _, file := range []string{o.out, idsFile(o.out)} {
		if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) {
			return &cli.Problem{
				Summary: "the file exists", File: file, Err: cli.Plain(err),
				Suggestion: "choose another with --out FILE",
			}
		}
	}
	head := importer.Head{Provider: entry.Name, Word: entry.Locations.Word}
	if head.Stack, err = importStack(o.stack, o.out); err != nil {
		return err
	}
	if entry.Locations.Default != nil {
		head.Location = entry.Locations.Default(func(key string) string { return c.Option(entry, key, nil) })
	}
	if head.Location == "" && entry.Locations.Required {
		return cli.Usage(fmt.Sprintf("use --%s, such as --%s %s", head.Word, head.Word, entry.Locations.Example),
			"no %s to read", head.Word)
	}
	scope := resource.Scope{Provider: head.Provider, Location: head.Location}
	intents := []resource.Intent{{Stack: head.Stack, Source: o.out, Scopes: []resource.Scope{scope}}}
	l, err := session.OpenWith(c, session.DataDir(c, []string{o.out}), []string{o.out}, intents)
	if err != nil {
		return err
	}
	return session.Closing(c, l, func() error {
		found, unread, err := l.Engine.Adoptable(c, intents)
		if err != nil {
			return err
		}
		return do(&imports{c: c, head: head, found: found, unread: unread})
	}())
}

// importStack is the name of the stack: the given one, or the name of the folder.
func importStack(given, out string) (string, error) {
	if given != "" {
		return given, nil
	}
	abs, err := filepath.Abs(out)
	name := strings.Trim(settings.Unfit.ReplaceAllString(filepath.Base(filepath.Dir(abs)), "-"), "-.")
	return cmp.Or(name[:min(len(name), 100)], "imported"), err
}

// idsFile is the file of IDs beside a configuration.
func idsFile(out string) string { return strings.TrimSuffix(out, filepath.Ext(out)) + ".ids" }

// write writes both files and lists what they do not have.
func (i *imports) write(out string, names map[string]string) error {
	schemas := command.Schemas(i.c.Process)
	items := importer.Names(schemas, i.found, names)
	text, notes, err := importer.Write(i.head, schemas, items)
	if err != nil {
		return err
	}
	for _, n := range notes {
		i.left = append(i.left, omitted{n.Item.Ref().Short() + " " + n.Path, n.Text})
	}
	for _, kind := range slices.Sorted(maps.Keys(i.unread)) {
		i.left = append(i.left, omitted{"all of " + kind, i.unread[kind].Error()})
	}
	if len(items) > 0 {
		err = cmp.Or(writeNew(out, text), writeNew(idsFile(out), importer.IDs(items)))
	}
	if err != nil {
		return err
	}
	for _, o := range i.left {
		d := cli.Diagnostic("not imported: "+o.what+": "+o.why, "")
		d.Severity = render.Warning
		i.c.Out.Report(d)
	}
	if len(items) == 0 {
		i.c.Out.Say("Nothing to import: no file was written.")
		return nil
	}
	i.c.Out.Say("Wrote %s to %s, and the IDs to %s; %d not imported.\nNext: read it, then run `ovi adopt %s --ids %s`.",
		render.Many(len(items), "resource"), out, idsFile(out), len(i.left), shell.Word(out), shell.Word(idsFile(out)))
	return nil
}

// writeNew writes a file that must not exist yet.
func writeNew(name string, text []byte) error {
	err := command.WriteNew(name, text, 0o644)
	if err != nil {
		return &cli.Problem{
			Summary: "cannot write the file", File: name, Err: err,
			Suggestion: "choose another with --out FILE",
		}
	}
	return nil
}
