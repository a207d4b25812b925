package session

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source/chart"
)

const (
	// DefaultSource is the source of a command that names none.
	DefaultSource = "ovi.yaml"
	defaultDir    = ".ovi"
	sandboxDir    = ".ovi-sandbox" // of environments in the sandbox
)

// Sources are the paths of the configuration: the argument and every -f, else ovi.yaml here.
// They must exist.
func Sources(c *command.Call, args ...string) ([]string, error) {
	named := Named(c, args)
	if len(named) == 0 {
		named = []string{DefaultSource}
		if _, err := os.Stat(DefaultSource); errors.Is(err, fs.ErrNotExist) {
			return nil, cli.Usage(firstSource(c),
				"no %s in this folder and no source named", DefaultSource)
		}
	}
	for _, name := range named {
		if err := usable(name); err != nil {
			return nil, err
		}
	}
	return named, nil
}

// usable returns why a path or URL cannot be a source of this command.
func usable(name string) error {
	if IsKind(name, Repository) {
		_, err := checkURL(name)
		return err
	}
	_, err := os.Stat(name)
	switch {
	case err != nil && filepath.Ext(name) == ".plan":
		return &cli.Problem{
			Summary: "cannot read the saved plan", File: name, Err: cli.Plain(err),
			Suggestion: "check the name; `ovi plan --out " + name + "` saves a new plan, which must be approved again",
		}
	case err != nil:
		return &cli.Problem{
			Summary: "cannot read the source", File: name, Err: cli.Plain(err), Suggestion: beside(name),
		}
	case IsPlan(name):
		return cli.Usage("run `ovi apply "+name+"` or `ovi show "+name+"`", "%s is a saved plan, not a source", name)
	case filepath.Ext(name) == ".plan":
		return cli.Usage("create it again: ovi plan --out "+name,
			"%s is not a plan that this version of ovi saved, or it is damaged", name)
	}
	return nil
}

// firstSource suggests a source to start with: the shortest that plans with the first provider.
func firstSource(c *command.Call) string {
	for _, e := range c.Entries() {
		if e.Example == "" || !e.Sandbox {
			continue
		}
		file := "{version: v1, provider: " + e.Name + ", " + e.Locations.Word + ": " + e.Locations.Example +
			", resources: [{" + e.Example + "}]}"
		return "name a source, or create one: echo '" + file + "' > " + DefaultSource + " && ovi plan --sandbox"
	}
	return "name a source"
}

// Named are the sources that the command line names; in the folder of a chart without any, the
// chart.
func Named(c *command.Call, args []string) []string {
	named := append(append([]string{}, args...), command.FilesOf(c)...)
	if len(named) > 0 {
		return named
	}
	if _, err := os.Stat(DefaultSource); errors.Is(err, fs.ErrNotExist) && chart.IsChart(".", nil) {
		return []string{"."}
	}
	return nil
}

// beside suggests a file whose name is similar, and never another file.
func beside(name string) string {
	dir := filepath.Dir(name)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "check the name: the folder " + dir + " does not exist here, or cannot be read"
	}
	var names []string
	for _, e := range entries {
		if ext := filepath.Ext(e.Name()); !e.IsDir() && (ext == ".yaml" || ext == ".yml") {
			names = append(names, e.Name())
		}
	}
	if near, ok := resource.Nearest(filepath.Base(name), names); ok {
		return "did you mean " + filepath.Join(dir, near) + "?"
	}
	if len(names) == 0 {
		return "check the name: no YAML file in " + dir
	}
	return "check the name: the YAML files in " + dir + " are " + strings.Join(names[:min(len(names), 5)], ", ")
}

// DataDir is the data directory: --data-dir, OVI_DATA_DIR, .ovi-NAME beside a chart's folder or a
// database, the user's state folder for a source in Git, or .ovi beside the first source (in it, if it is a
// folder), or here. Parent folders are not searched. An environment in the sandbox has .ovi-sandbox instead of .ovi.
func DataDir(c *command.Call, sources []string) string {
	if dir := command.DataDirOf(c); dir != "" {
		return dir
	}
	if dir := c.Getenv("OVI_DATA_DIR"); dir != "" {
		return dir
	}
	return practiceDir(c, defaultDataDir(c.Process, sources))
}

// practiceDir returns the data directory of an environment in the sandbox: the environments of a file share their data
// directory, and one in the sandbox must not lock out the real accounts of the others. Any other directory is returned
// unchanged: one that is not the default, or that was created with --sandbox before the file had environments.
func practiceDir(c *command.Call, dir string) string {
	if !c.Sandboxed() || filepath.Base(dir) != defaultDir || command.IsPractice(dir) {
		return dir
	}
	own := filepath.Join(filepath.Dir(dir), sandboxDir)
	if name, _ := environment(c); name != "" || command.IsPractice(own) {
		return own
	}
	return dir
}

// RecordDir is the data directory of a command that only reads it; args may name a source that it
// is beside. It must exist.
func RecordDir(c *command.Call, args ...string) (string, error) {
	dir := DataDir(c, Named(c, args))
	if err := command.IsSafe(c, dir); err != nil {
		return "", err
	}
	if c.StoreName() != "" {
		return dir, nil // the store is shared
	}
	if _, err := os.Stat(dir); err != nil {
		own := filepath.Join(filepath.Dir(dir), sandboxDir)
		if filepath.Base(dir) == defaultDir && command.IsPractice(own) {
			return own, command.IsSafe(c, own) // the only record here
		}
		return "", &cli.Problem{
			Summary: "no data directory", File: dir, Err: cli.Plain(err),
			Suggestion: "run `ovi plan` first, name a source, or use --data-dir",
		}
	}
	return dir, nil
}
