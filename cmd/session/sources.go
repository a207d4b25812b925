package session

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/cmd/cli"
	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/edge"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/chart"
	"github.com/ovi-project/ovi/source/config"
	sites "github.com/ovi-project/ovi/source/edge"
	"github.com/ovi-project/ovi/source/git"
	"github.com/ovi-project/ovi/source/sqlite"
)

// Kind is one kind of source: how ovi recognizes its paths, and how it reads them.
type Kind struct {
	Name string
	// Reads reports whether a path is of this kind. Nil files are the files of this host.
	Reads func(path string, files fs.FS) bool
	// Alone is the advice to a user who combines the kind with other sources of a stack. Empty means that the
	// kind can be combined.
	Alone func(path string) string
	// DataDir returns the default data directory of a path. Empty or nil means .ovi beside the path.
	DataDir func(p *command.Process, path string) string
	// New returns the reader of one path of this kind; of charts and files, of several paths.
	New func(c *command.Call, paths []string, dir string, checks source.Options) (source.Source, error)
	// InCommit returns the reader of a path of a Git commit.
	InCommit func(c *command.Call, in Commit, checks source.Options) (source.Source, error)
}

// Commit is a path of a Git commit.
type Commit struct {
	Files     fs.FS
	At, Stack string // Stack names the stack if the files do not
	Remote    string // the repository
	Dir       string // the data directory
}

// The names of the kinds of source.
const (
	Repository = "repository"
	Table      = "table"
	Site       = "site"
	Chart      = "chart"
	Files      = "files"
)

// kinds returns the table of sources. The first kind that reads a path is its kind; the last one reads all that the
// others do not. A source is a folder under source and one entry here.
func kinds() []Kind {
	return []Kind{
		{
			Name:    Repository,
			Reads:   func(path string, files fs.FS) bool { return files == nil && git.Is(path) },
			Alone:   func(string) string { return "name it alone" },
			DataDir: repositoryDir,
			New: func(c *command.Call, paths []string, dir string, checks source.Options) (source.Source, error) {
				return gitSource(c, paths[0], dir, checks)
			},
		},
		{
			Name:    Table,
			Reads:   readsTable,
			Alone:   func(path string) string { return "put what the table cannot hold into " + path + ".yaml" },
			DataDir: func(_ *command.Process, path string) string { return besideDir(path, sqlite.Name(path)) },
			New: func(c *command.Call, paths []string, _ string, checks source.Options) (source.Source, error) {
				return ClusterTable(c, paths[0], checks), nil
			},
			InCommit: func(_ *command.Call, in Commit, _ source.Options) (source.Source, error) {
				return nil, &cli.Problem{
					Summary: "a database in Git is not a source: its status columns could not be written", File: in.At,
					Suggestion: "declare the clusters in YAML, or name the database by its path on this host",
				}
			},
		},
		{
			Name:  Site,
			Reads: sites.Reads,
			New: func(_ *command.Call, paths []string, _ string, checks source.Options) (source.Source, error) {
				return siteSource(paths[0], nil, checks), nil
			},
			InCommit: func(_ *command.Call, in Commit, checks source.Options) (source.Source, error) {
				return siteSource(in.At, in.Files, checks), nil
			},
		},
		{
			Name:    Chart,
			Reads:   chart.Reads,
			DataDir: func(_ *command.Process, path string) string { return chartDir(path) },
			New: func(c *command.Call, paths []string, _ string, checks source.Options) (source.Source, error) {
				return chart.New(paths, chartOptions(c, checks, nil)), nil
			},
			InCommit: func(c *command.Call, in Commit, checks source.Options) (source.Source, error) {
				return chart.New([]string{in.At}, chartOptions(c, checks, in.Files)), nil
			},
		},
		{
			Name:  Files,
			Reads: func(string, fs.FS) bool { return true },
			New: func(c *command.Call, paths []string, dir string, checks source.Options) (source.Source, error) {
				return config.New(paths, fileOptions(c, checks, nil)), nil
			},
			InCommit: func(c *command.Call, in Commit, checks source.Options) (source.Source, error) {
				o := fileOptions(c, checks, in.Files)
				o.Stack, o.Git = in.Stack, command.CommitComponents(c, in.Remote, in.Dir)
				return config.New([]string{in.At}, o), nil
			},
		},
	}
}

// KindOf returns the kind of source that a path of this host, or a URL, is.
func KindOf(path string) Kind { return kindIn(path, nil) }

// IsKind reports whether a path of this host, or a URL, is a source of the kind with this name.
func IsKind(path, name string) bool { return KindOf(path).Name == name }

// kindIn returns the kind of a path of a commit. Nil files are the files of this host.
func kindIn(path string, files fs.FS) Kind {
	all := kinds()
	return all[slices.IndexFunc(all, func(k Kind) bool { return k.Reads(path, files) })]
}

// kindNamed returns the kind with a name of the table.
func kindNamed(name string) Kind {
	all := kinds()
	return all[slices.IndexFunc(all, func(k Kind) bool { return k.Name == name })]
}

// readsTable reports whether a path is a database. In a commit its name decides, so that it is refused.
func readsTable(name string, files fs.FS) bool {
	if files == nil {
		return sqlite.Reads(name)
	}
	return slices.Contains([]string{".db", ".sqlite", ".sqlite3"}, strings.ToLower(path.Ext(name)))
}

// openSource returns the reader of the paths. Charts and manifests can be combined with each other; the reader of
// charts reports what it cannot read.
func openSource(c *command.Call, paths []string, dir string, checks source.Options) (source.Source, error) {
	kind := kindNamed(Files)
	switch {
	case len(paths) == 1:
		kind = KindOf(paths[0])
	case slices.ContainsFunc(paths, func(p string) bool { return IsKind(p, Chart) }):
		kind = kindNamed(Chart)
	}
	return kind.New(c, paths, dir, checks)
}

// inCommit returns the reader of a path of a commit.
func inCommit(c *command.Call, in Commit, checks source.Options) (source.Source, error) {
	return kindIn(in.At, in.Files).InCommit(c, in, checks)
}

// combinable refuses a source that is a stack of its own beside other sources, options that its kind does not have,
// and a table if this ovi has no provider of clusters.
func combinable(c *command.Call, paths []string) error {
	if err := onlyCharts(c, paths); err != nil {
		return err
	}
	if err := HasClusters(c, paths); err != nil {
		return err
	}
	for _, p := range paths {
		if kind := KindOf(p); kind.Alone != nil && len(paths) > 1 {
			return cli.Usage(kind.Alone(p), "%s is a stack of its own and cannot be combined with other sources", p)
		}
	}
	return nil
}

// HasClusters refuses a table if this ovi has no provider of clusters.
func HasClusters(c *command.Call, paths []string) error {
	i := slices.IndexFunc(paths, func(p string) bool { return IsKind(p, Table) })
	has := func(e provider.Entry) bool { return e.Name == command.ClusterProvider }
	if i >= 0 && !slices.ContainsFunc(c.Entries(), has) {
		return cli.Usage("name another source", "%s is a database, and this ovi has no provider of clusters", paths[i])
	}
	return nil
}

// siteSource returns the reader of the folder of a site.
func siteSource(path string, files fs.FS, checks source.Options) source.Source {
	return sites.New(path, sites.Options{Options: checks, Provider: edge.Name, Kind: edge.Kind, Files: files})
}

// defaultDataDir returns the data directory of sources for which no other one was named: that of the first source.
func defaultDataDir(p *command.Process, sources []string) string {
	if len(sources) == 0 {
		return defaultDir
	}
	if kind := KindOf(sources[0]); kind.DataDir != nil {
		if dir := kind.DataDir(p, sources[0]); dir != "" {
			return dir
		}
	}
	home := sources[0]
	info, err := os.Stat(home)
	if err != nil {
		if dir := rememberedDir(home); dir != "" {
			return dir
		}
	}
	if err != nil || !info.IsDir() {
		home = filepath.Dir(home)
	}
	return filepath.Join(home, defaultDir)
}

// rememberedDir returns the data directory next to a path that cannot be read, if it remembers the path: a chart or a
// database that is gone does not show that it was one. Otherwise it returns "".
func rememberedDir(path string) string {
	all, err := filepath.Glob(besideDir(path, "*"))
	i := slices.IndexFunc(all, func(dir string) bool { return len(command.StacksOf(dir, path)) > 0 })
	if err != nil || i < 0 {
		return ""
	}
	return all[i]
}

// besideDir returns the data directory of a name beside a path.
func besideDir(path, name string) string {
	return filepath.Join(filepath.Dir(path), defaultDir+"-"+name)
}

// repositoryDir returns the data directory of a URL of Git. An invalid URL has none.
func repositoryDir(p *command.Process, name string) string {
	u, err := git.Parse(name)
	if err != nil {
		return ""
	}
	return gitDir(p, u)
}
