package config

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config/input"
)

// Options is what the source needs from outside.
type Options struct {
	source.Options
	// Env answers ${env:NAME}; nil knows no variable. os.LookupEnv fits.
	Env func(name string) (value string, ok bool)
	// Files is where paths are read; nil is the operating system.
	Files fs.FS
	// Stack names the stack where no file does; "" is the name of the folder.
	Stack string
	// Environment is the name of the environment. AskedFor reports that the caller asked for it with this
	// configuration, so that a configuration without environments is an error.
	Environment string
	AskedFor    bool
	Values      []string // files of values of variables; the last one wins
	Set         []string // NAME=VALUE; the last one wins
	// Sandbox reports that a sandbox has the resources. A sandbox has one account, so the accounts of environments are not
	// used.
	Sandbox bool
	// NoResources: the files may declare none, because the stack has others from elsewhere.
	NoResources bool
}

// fileSource is a source of configuration files. It does not change.
type fileSource struct {
	paths []string
	opts  Options
	piece int // how much of a list of resources is read at once, in bytes; 0 means a document is read as a whole
}

// pieceSize is long enough that the start of the YAML library costs little.
const pieceSize = 1 << 14

// New returns a source of files and folders, which together are one stack. A folder means all
// *.yaml, *.yml and *.json in it, sorted by name. Nothing is read before Load, which may be
// called again, also from several goroutines, and then reads everything again.
func New(paths []string, opts Options) source.Source {
	return &fileSource{append([]string(nil), paths...), opts, pieceSize}
}

// Load implements source.Source. Files that cannot be read are source.Problems.
func (c *fileSource) Load(ctx context.Context) ([]*source.Draft, error) {
	files, problems := input.Open(c.paths, c.opts.Files)
	if len(problems) > 0 {
		return nil, problems
	}
	if len(files) == 1 && len(files[0].Problems) > 0 {
		return nil, files[0].Problems
	}
	d, err := c.loadFiles(ctx, files, c.piece)
	if err != nil {
		return nil, err
	}
	return []*source.Draft{d}, nil
}

// loadFiles reads files that are in memory. A file that turns out not to be safe to cut into
// blocks is read again as a whole: most often it holds an error, which the whole locates
// better.
func (c *fileSource) loadFiles(ctx context.Context, files []*input.File, piece int) (*source.Draft, error) {
	l := newLoader(c.opts, files)
	l.several = len(files) > 1 || slices.ContainsFunc(files,
		func(f *input.File) bool { return strings.Contains(f.Text, "\n---") })
	if problems := l.declare(); len(problems) > 0 {
		return nil, problems
	}
	for _, f := range files {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("config: reading %s: %w", f.Name, err)
		}
		if len(f.Problems) > 0 {
			l.unreadable(f)
			continue
		}
		if !l.file(f, piece) {
			return c.loadFiles(ctx, files, 0)
		}
	}
	l.finish()
	return l.draft, nil
}
