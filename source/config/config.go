package config

import (
	"context"
	"fmt"
	"io/fs"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source"
)

// Options is what a source needs from outside.
type Options struct {
	// Schemas are the kinds there are.
	Schemas source.Schemas
	// Env answers ${env:NAME}; nil knows no variable. os.LookupEnv fits.
	Env func(name string) (value string, ok bool)
	// Digest makes the keyed digest that stands in the record for a secret. Without it a
	// secret in a file is a problem.
	Digest func(secret []byte) string
	// Files is where paths are read; nil is the operating system.
	Files fs.FS
	// Stack names the stack where no file does; "" is the name of the folder.
	Stack string
	// Region is used where neither the thing nor its file names one; "" is none.
	Region string
}

// config is a source of wishes in files. It is not changed once made.
type config struct {
	paths []string
	opts  Options
}

// New makes a source of files and folders, which together are one stack. A folder stands for
// all *.yaml, *.yml and *.json in it, sorted by name. Nothing is read before Load.
//
// Load gives the whole intent, its objects sorted by ref, or source.Problems. It may be
// called again, also from several goroutines, and then reads everything anew.
func New(paths []string, opts Options) source.Source {
	return &config{paths: append([]string(nil), paths...), opts: opts}
}

// Load implements source.Source.
func (c *config) Load(ctx context.Context) (resource.Intent, error) {
	files, problems := c.open()
	if len(problems) > 0 {
		return resource.Intent{}, problems
	}
	return c.loadFiles(ctx, files, false, map[resource.Ref]bool{})
}

// loadFiles reads files that are in memory. Two things begin it again: a file that turns out
// not to be safe to cut into blocks is read as a whole (most often it holds an error, which
// the whole places better), and a word that was taken for an id turns out to be a name.
func (c *config) loadFiles(ctx context.Context, files []*file, whole bool, taken map[resource.Ref]bool) (resource.Intent, error) {
	l := newLoader(c.opts, taken)
	for _, f := range files {
		if err := ctx.Err(); err != nil {
			return resource.Intent{}, fmt.Errorf("config: reading %s: %w", f.name, err)
		}
		if !l.file(f, whole) {
			return c.loadFiles(ctx, files, true, taken)
		}
	}
	intent := l.intent(files)
	if l.again {
		return c.loadFiles(ctx, files, whole, taken)
	}
	if len(l.problems) > 0 {
		return resource.Intent{}, l.sorted()
	}
	return intent, nil
}
