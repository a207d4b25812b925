package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/chart"
	"github.com/ovi-project/ovi/source/config"
	"github.com/ovi-project/ovi/source/git"
	"github.com/ovi-project/ovi/source/sqlite"
)

// chartFlags are what a chart is rendered with.
func chartFlags() []urfave.Flag {
	return []urfave.Flag{
		&urfave.StringSliceFlag{Name: "values", Usage: "chart: use the values in `FILE` over those of values.yaml; repeatable, the last wins"},
		&urfave.StringSliceFlag{Name: "set", Usage: "chart: set one value, `KEY.KEY=VALUE`; repeatable"},
		&urfave.StringFlag{Name: "namespace", Usage: "chart: run it as namespace `NAME`, beside others of the same chart"},
	}
}

// source is the reader of what the paths name: a repository, a table of clusters, charts and manifests, or
// ovi's own files.
func (c *call) source(paths []string, dir string, checks source.Options) (source.Source, error) {
	switch {
	case len(paths) == 1 && git.Is(paths[0]):
		return c.gitSource(paths[0], dir, checks)
	case len(paths) == 1 && sqlite.Reads(paths[0]):
		return c.clusterTable(paths[0], checks), nil
	case len(paths) == 1 && siteReads(paths[0], nil):
		return c.siteSource(paths[0], nil, checks), nil
	case !slices.ContainsFunc(paths, func(p string) bool { return chart.Reads(p, nil) }):
		return config.New(paths, config.Options{Options: checks, Env: c.Env}), nil
	}
	return chart.New(paths, c.chartOptions(checks, nil)), nil
}

// chartOptions are how a chart is rendered; nil files are those of this host.
func (c *call) chartOptions(checks source.Options, files fs.FS) chart.Options {
	return chart.Options{
		Options: checks, Provider: chartProvider, Env: c.Env, Files: files,
		Values: c.cmd.StringSlice("values"), Set: c.cmd.StringSlice("set"), Namespace: c.cmd.String("namespace"),
	}
}

// onlyCharts refuses what only charts have with other sources.
func (c *call) onlyCharts(paths []string) error {
	for _, f := range chartFlags() {
		name := f.Names()[0]
		if c.cmd.IsSet(name) && !slices.ContainsFunc(paths, func(p string) bool { return git.Is(p) || chart.Reads(p, nil) }) {
			return cli.Usage("omit it, or name a chart: a folder with a Chart.yaml", "--%s is for charts, and %s is not one", name, strings.Join(paths, ", "))
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
	Namespace string   `json:"namespace,omitempty"`
	Values    []string `json:"values,omitempty"` // absolute, or in the repository of the chart
	// Set are the keys of --set. Their values are not saved: they may be secrets.
	Set []string `json:"set,omitempty"`
}

func (c *call) chartHead(sources []string) (h chartHead, err error) {
	h.Namespace, h.Set, h.Values = c.cmd.String("namespace"), setKeys(c.cmd.StringSlice("set")), c.cmd.StringSlice("values")
	if slices.ContainsFunc(sources, git.Is) {
		return h, nil // they are paths in the repository
	}
	h.Values, err = absolutes(c.cmd.StringSlice("values"))
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
func (c *call) chartAsPlanned(h chartHead, name string) error {
	if missing := slices.DeleteFunc(slices.Clone(h.Set), func(key string) bool { return slices.Contains(setKeys(c.cmd.StringSlice("set")), key) }); len(missing) > 0 {
		return cli.Usage("add --set "+missing[0]+"=VALUE", "%s was made with --set %s, and holds no values", name, strings.Join(missing, ", "))
	}
	if h.Namespace != "" && !c.cmd.IsSet("namespace") {
		if err := c.cmd.Set("namespace", h.Namespace); err != nil {
			return err
		}
	}
	for _, path := range h.Values {
		if slices.Contains(c.cmd.StringSlice("values"), path) {
			continue
		}
		if err := c.cmd.Set("values", path); err != nil {
			return err
		}
	}
	return nil
}
