package session

import (
	"errors"
	"io/fs"
	"os"

	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config"
	"github.com/ovi-project/ovi/source/sqlite"
)

// ClusterTable is the source of a table of clusters. NAME.yaml beside the database NAME has what the
// table has no columns for: rules, options and other resources of the stack.
func ClusterTable(c *command.Call, path string, checks source.Options) *sqlite.Table {
	o := sqlite.Options{
		Options: checks, Provider: command.ClusterProvider,
		// An option of the provider of clusters, with those of the stack of the table.
		Option: func(key string, o resource.Options) string {
			for _, e := range c.Entries() {
				if e.Name == command.ClusterProvider {
					return c.Option(e, key, []resource.Intent{{Options: o}})
				}
			}
			return ""
		},
	}
	if _, err := os.Stat(path + ".yaml"); !errors.Is(err, fs.ErrNotExist) {
		o.Settings = config.New([]string{path + ".yaml"},
			config.Options{Options: checks, Env: c.Env, Stack: sqlite.Name(path), NoResources: true})
	}
	return sqlite.New(path, o)
}
