package session

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/chart"
	"github.com/ovi-project/ovi/source/config"
)

// fileOptions are the options with which files are read. Nil files are the files of this host.
func fileOptions(c *command.Call, checks source.Options, files fs.FS) config.Options {
	name, asked := environment(c)
	o := renderingOptionsOf(c)
	return config.Options{
		Options: checks, Env: c.Env, Files: files, Environment: name, AskedFor: asked,
		Values: o.values, Set: o.set,
		Git: command.ComponentFetcher(c).Cache.Open,
	}
}

// chartOptions are how a chart is rendered; nil files are those of this host.
func chartOptions(c *command.Call, checks source.Options, files fs.FS) chart.Options {
	o := renderingOptionsOf(c)
	return chart.Options{
		Options: checks, Provider: command.ChartProvider, Env: c.Env, Files: files,
		Values: o.values, Set: o.set, Namespace: o.namespace,
	}
}

// onlyCharts refuses what only charts have with other sources. A path that cannot be read may be a chart: its reader
// returns the error.
func onlyCharts(c *command.Call, paths []string) error {
	has := func(kinds ...string) bool {
		return slices.ContainsFunc(paths, func(p string) bool {
			kind := KindOf(p).Name
			_, unread := os.Stat(p)
			return slices.Contains(kinds, kind) || kind == Files && unread != nil
		})
	}
	may := map[string][]string{
		"namespace": {Repository, Chart}, "env": {Repository, Files}, "values": {Repository, Chart, Files},
		"set": {Repository, Chart, Files},
	}
	for _, name := range givenRenderingOf(c) {
		switch {
		case has(may[name]...):
		case name == "namespace":
			return cli.Usage("omit it, or name a chart: a folder with a Chart.yaml", "--%s is for charts, and %s is not one",
				name, strings.Join(paths, ", "))
		default:
			return cli.Usage("omit it", "%s has no values that --%s can set", strings.Join(paths, ", "), name)
		}
	}
	return nil
}

// chartDir is the data directory of a chart: .ovi-NAME beside its folder. "" if the path is not a
// chart.
func chartDir(path string) string {
	if !chart.IsChart(path, nil) {
		return ""
	}
	name, _ := chart.About(path, nil)
	dir := filepath.Clean(path)
	if base := filepath.Base(dir); base == "." || base == ".." || name == "" {
		if abs, err := filepath.Abs(dir); err == nil {
			dir = abs
		}
	}
	if name == "" {
		name = filepath.Base(dir)
	}
	beside := filepath.Join(filepath.Dir(dir), defaultDir+"-"+name)
	if here, err := os.Getwd(); err == nil && filepath.IsAbs(beside) && !filepath.IsAbs(path) {
		if rel, err := filepath.Rel(here, beside); err == nil {
			return rel
		}
	}
	return beside
}

// chartHead is what a plan of a chart was made with.
type chartHead struct {
	Environment string   `json:"environment,omitempty"`
	Namespace   string   `json:"namespace,omitempty"`
	Values      []string `json:"values,omitempty"` // absolute, or in the repository of the chart
	// Set are the keys of --set. Their values are not saved: they may be secrets.
	Set []string `json:"set,omitempty"`
}

func headOfChart(c *command.Call, sources []string) (h chartHead, err error) {
	o := renderingOptionsOf(c)
	h.Environment, _ = environment(c)
	h.Namespace, h.Set, h.Values = o.namespace, setKeys(o.set), o.values
	if slices.ContainsFunc(sources, func(p string) bool { return IsKind(p, Repository) }) {
		return h, nil // they are paths in the repository
	}
	h.Values, err = absolutes(o.values)
	return h, err
}

func setKeys(all []string) []string {
	var out []string
	for _, s := range all {
		key, _, _ := strings.Cut(s, "=")
		out = append(out, key)
	}
	return out
}

// chartAsPlanned renders a chart as for the plan that was saved.
func chartAsPlanned(c *command.Call, h chartHead, file string) error {
	o := renderingOptionsOf(c)
	if missing := slices.DeleteFunc(slices.Clone(h.Set),
		func(key string) bool { return slices.Contains(setKeys(o.set), key) }); len(missing) > 0 {
		return cli.Usage("add --set "+missing[0]+"=VALUE", "%s was made with --set %s, and holds no values", file,
			strings.Join(missing, ", "))
	}
	if name, _ := environment(c); name != "" && name != h.Environment {
		return cli.Usage("omit --env, or plan again", "%s was made for the environment %s, and not for %s", file,
			cmp.Or(h.Environment, "none"), name)
	}
	if h.Environment != "" {
		if err := c.Assume("env", h.Environment); err != nil {
			return err
		}
	}
	if h.Namespace != "" {
		if err := c.Assume("namespace", h.Namespace); err != nil {
			return err
		}
	}
	for _, path := range h.Values {
		if slices.Contains(renderingOptionsOf(c).values, path) {
			continue
		}
		if err := c.Cmd.Set("values", path); err != nil {
			return err
		}
	}
	return nil
}
