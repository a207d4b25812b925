package config

import (
	"io/fs"

	"github.com/ovi-project/ovi/internal/gitlock"
	"github.com/ovi-project/ovi/source"
)

// Options is what the source needs from outside.
type Options struct {
	source.Options
	// Env answers ${env:NAME}; nil knows no variable. os.LookupEnv fits.
	Env func(name string) (value string, ok bool)
	// Files is where paths are read; nil is the operating system.
	Files fs.FS
	// Git returns the files of a locked folder of another repository. Nil means that no component is read from Git.
	Git func(gitlock.Line) (fs.FS, error)
	// Stack names the stack where no file does; "" is the name of the folder.
	Stack string
	// Environment is the name of the environment. AskedFor reports that the caller asked for it with this
	// configuration, so that a configuration without environments is an error.
	Environment string
	AskedFor    bool
	Values      []string // files of values of variables; the last one wins
	Set         []string // NAME=VALUE; the last one wins
	// NoResources: the files may declare none, because the stack has others from elsewhere.
	NoResources bool
}
