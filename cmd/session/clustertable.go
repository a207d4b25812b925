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
		Option: func(key string, o resource.Options) string { return tableOption(c, key, o) },
	}
	if settings := tableSettings(path); settings != "" {
		o.Settings = config.New([]string{settings},
			config.Options{Options: checks, Env: c.Env, Stack: sqlite.Name(path), NoResources: true})
	}
	return sqlite.New(path, o)
}

// tableOption is an option of the provider of clusters, with those of the stack of a table.
func tableOption(c *command.Call, key string, o resource.Options) string {
	for _, e := range c.Entries() {
		if e.Name == command.ClusterProvider {
			return c.Option(e, key, []resource.Intent{{Options: o}})
		}
	}
	return ""
}

// tableSettings is the file with the settings of a table; "" if there is none.
func tableSettings(path string) string {
	if _, err := os.Stat(path + ".yaml"); errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	return path + ".yaml"
}
