package manage

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/cmd/session"
	"github.com/ovi-project/ovi/internal/gitclone"
	"github.com/ovi-project/ovi/internal/shell"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/render"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config"
	"github.com/ovi-project/ovi/source/importer"
	"github.com/ovi-project/ovi/source/importer/terraform"
	"github.com/ovi-project/ovi/source/importer/terraform/code"
)

// importCode converts the source code of a root module, and with a state names what exists.
func importCode(c *command.Call, o terraformOptions) error {
	entry, err := importEntry(c, o.provider)
	if err != nil {
		return err
	}
	if c.Cmd.NArg() > 1 {
		return cli.Usage("name at most one state", "`ovi import terraform --source` takes one state file")
	}
	out := "."
	if o.named {
		out = o.out
	}
	dir, err := filepath.Abs(o.source)
	if err != nil {
		return fmt.Errorf("import terraform: %w", err)
	}
	got, err := convert(c, entry, dir, out, o.stack)
	if err != nil {
		return err
	}
	var ids []byte
	named, left := 0, []omitted(nil)
	if c.Cmd.NArg() == 1 {
		if ids, named, left, err = existing(c, entry, got); err != nil {
			return err
		}
	}
	if err := writeCode(c, got, ids, out); err != nil {
		return err
	}
	for _, n := range got.Notes {
		d := cli.Diagnostic("not converted: "+n.What, n.Suggestion)
		d.Severity, d.File, d.Line, d.Column = render.Warning, n.At.File, n.At.Line, n.At.Column
		c.Out.Report(d)
	}
	for _, o := range left {
		d := cli.Diagnostic("not named: "+o.what+": "+o.why, "")
		d.Severity = render.Warning
		c.Out.Report(d)
	}
	summary(c, got, out, named, ids != nil)
	if len(got.Notes)+len(left) > 0 && o.detailed {
		return cli.Exit(cli.ExitChanges)
	}
	return nil
}

// summary tells what was written, and the next step.
func summary(c *command.Call, got *code.Result, out string, named int, ids bool) {
	main := filepath.Join(out, code.Main)
	c.Out.Say("Converted %s of Terraform to %s: %d not converted.", render.Many(got.Converted, "block"),
		strings.Join(names(got, out), ", "), len(got.Notes))
	if len(got.Missing) > 0 {
		c.Out.Say("These variables need a value (--set NAME=VALUE, or default:): %s.", strings.Join(got.Missing, ", "))
	}
	env := ""
	if len(got.Environments) > 0 {
		env = " --env " + got.Environments[0]
	}
	if ids {
		c.Out.Say("Wrote the IDs of %s to %s.\nNext: read the files, then run `ovi adopt %s%s --ids %s`.",
			render.Many(named, "resource"), idsFile(main), shell.Word(main), env,
			shell.Word(idsFile(main)))
		return
	}
	c.Out.Say("Next: read the files, then run `ovi plan%s %s`.", env, shell.Word(main))
}

func names(got *code.Result, out string) []string {
	all := got.Paths()
	for i, name := range all {
		all[i] = filepath.Join(out, filepath.FromSlash(name))
	}
	return all
}

// convert reads the module through a root folder, so that no link leads out of it: the Git repository, or the module's
// own folder.
func convert(c *command.Call, entry provider.Entry, dir, out, named string) (got *code.Result, err error) {
	unread := func(err error) error {
		return &cli.Problem{
			Summary: "cannot read the source", File: dir, Err: cli.Plain(err),
			Suggestion: "name the folder of the root module with --source DIR",
		}
	}
	top, err := gitclone.WorkTree(dir)
	if err != nil {
		return nil, unread(err)
	}
	top = cmp.Or(top, dir)
	root, err := os.OpenRoot(top)
	if err != nil {
		return nil, unread(err)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	inside, err := filepath.Rel(top, dir)
	if err != nil {
		return nil, fmt.Errorf("import terraform: %w", err)
	}
	stack, err := importStack(named, filepath.Join(out, code.Main))
	if err != nil {
		return nil, err
	}
	schemas := command.Schemas(c.Process)
	in := code.Input{
		Files: root.FS(), Dir: filepath.ToSlash(inside), Provider: entry.Name, Word: entry.Locations.Word, Stack: stack,
		Types: entry.Terraform,
		Kind:  func(name string) (resource.Kind, bool) { return schemas.Kind(entry.Name, name) },
		Load: func(files map[string]string, environment string, set []string) source.Problems {
			return load(c, files, environment, set)
		},
	}
	if entry.Locations.Default != nil {
		in.Location = entry.Locations.Default(func(key string) string { return c.Option(entry, key, nil) })
	}
	if got, err = code.Convert(in); err != nil {
		return nil, codeProblem(err, top, dir)
	}
	for i := range got.Notes {
		got.Notes[i].At.File = shown(top, got.Notes[i].At.File)
	}
	return got, nil
}

// shown is a path of a module as the user sees it.
func shown(top, name string) string {
	full := filepath.Join(top, filepath.FromSlash(name))
	if here, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(here, full); err == nil && filepath.IsLocal(rel) {
			return rel
		}
	}
	return full
}

func codeProblem(err error, top, dir string) error {
	p := &cli.Problem{
		Summary: "cannot convert the source", File: dir, Err: cli.Plain(err),
		Suggestion: "see the table in docs/adopt.md",
	}
	var file *code.FileError
	if errors.As(err, &file) {
		file.At.File = shown(top, file.At.File)
		p.File, p.Err = file.At.String(), errors.New(file.Text)
		p.Suggestion = "correct the file; `terraform validate` checks it"
	}
	return p
}

// load reads a configuration in memory. Values from outside are examples.
func load(c *command.Call, files map[string]string, environment string, set []string) source.Problems {
	at, err := archive(files)
	if err != nil {
		return source.Problems{{Summary: err.Error()}}
	}
	o := config.Options{
		Options: c.Checks(), Files: at, Environment: environment, AskedFor: environment != "", Set: set,
		Env: func(string) (string, bool) { return "example-value", true },
	}
	o.Secrets = exampleDigests{}
	drafts, err := config.New([]string{code.Main}, o).Load(context.WithoutCancel(c))
	var problems source.Problems
	if errors.As(err, &problems) {
		return problems
	}
	if err != nil {
		return source.Problems{{Summary: err.Error()}}
	}
	_, problems = source.Resolve(drafts)
	return problems
}

// exampleDigests are digests of nothing: the result is not recorded.
type exampleDigests struct{}

func (exampleDigests) Digest(resource.Ref, string, string) resource.Digest { return "" }

func (exampleDigests) Same(string, resource.Digest) bool { return false }

// archive is files as a file system.
func archive(files map[string]string) (fs.FS, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, text := range files {
		f, err := w.Create(path.Clean(name))
		if err == nil {
			_, err = f.Write([]byte(text))
		}
		if err != nil {
			return nil, fmt.Errorf("import terraform: %w", err)
		}
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("import terraform: %w", err)
	}
	return zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
}

// existing names the resources of a state by the names in a configuration.
func existing(c *command.Call, entry provider.Entry, got *code.Result) ([]byte, int, []omitted, error) {
	text, err := session.ReadSource(c.Arg(0))
	if err != nil {
		return nil, 0, nil, err
	}
	state, err := terraform.Read([]byte(text), entry.Terraform)
	if err != nil {
		return nil, 0, nil, &cli.Problem{
			Summary: "cannot read the state", File: c.Arg(0), Err: err,
			Suggestion: "write it with `terraform state pull`",
		}
	}
	var all []importer.Identity
	var left []omitted
	for _, r := range state {
		switch name := got.NameOf(r.Modules, r.Type, r.Own, r.Index, r.ID); {
		case r.Known.PartOf != "": // its kind has it among its attributes
		case name == "":
			left = append(left, omitted{r.Address, "the configuration has no block with its name"})
		default:
			all = append(all, importer.Identity{Name: name, ID: r.ID})
		}
	}
	return importer.Lines(all), len(all), left, nil
}

// writeCode writes the files. It overwrites none, and writes none if one of them exists.
func writeCode(c *command.Call, got *code.Result, ids []byte, out string) error {
	files := map[string]string{}
	for name, text := range got.Files {
		files[name] = text
	}
	if ids != nil {
		files[idsFile(code.Main)] = string(ids)
	}
	for _, name := range names(&code.Result{Files: files}, out) {
		if _, err := os.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
			return &cli.Problem{
				Summary: "the file exists", File: name, Err: cli.Plain(err),
				Suggestion: "choose another folder with --out FOLDER",
			}
		}
	}
	if err := command.WriteFiles(out, files, 0o644); err != nil {
		return &cli.Problem{
			Summary: "cannot write the files", File: out, Err: err,
			Suggestion: "choose another folder with --out FOLDER",
		}
	}
	return nil
}
