package session

import (
	"io/fs"

	"github.com/ovi-project/ovi/cmd/command"
	"github.com/ovi-project/ovi/provider/edge"
	"github.com/ovi-project/ovi/source"
	sites "github.com/ovi-project/ovi/source/edge"
)

// siteReads reports whether a path is the folder of a site.
func siteReads(path string, files fs.FS) bool { return sites.Reads(path, files) }

// siteSource is the reader of the folder of a site.
func siteSource(c *command.Call, path string, files fs.FS, checks source.Options) source.Source {
	return sites.New(path, sites.Options{Options: checks, Provider: edge.Name, Kind: edge.Kind, Files: files})
}
