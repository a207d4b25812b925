package config

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config/input"
)

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
