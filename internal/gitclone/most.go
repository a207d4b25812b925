package gitclone

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/ovi-project/ovi/internal/budget"
)

const (
	// maxFetched limits the bytes of one fetch, which has commits and trees, or the files of one folder.
	maxFetched = 2 << 30
	// lookEvery is the interval at which the size of a running fetch is compared with its limit.
	lookEvery = 100 * time.Millisecond
)

// fetching is a running fetch. Git does not limit the answer of a server, so the fetch is ended from outside.
type fetching struct {
	packs  string // the folder that the fetch writes to
	before map[string]bool
	most   int64
	over   func() bool
}

// bound returns a context that ends once a fetch has brought too much, and the fetch.
func (c *Clone) bound(ctx context.Context, dir string) (context.Context, *fetching) {
	f := &fetching{
		packs: filepath.Join(dir, "objects", "pack"), before: map[string]bool{}, most: cmp.Or(c.MostFetched, maxFetched),
	}
	for _, e := range f.files() {
		f.before[e.Name()] = true
	}
	ctx, cancel := context.WithCancelCause(ctx)
	f.over = func() bool {
		var written int64 // a file that is renamed meanwhile counts at the next call
		for _, e := range f.files() {
			if info, err := e.Info(); err == nil && !f.before[e.Name()] {
				written += info.Size()
			}
		}
		if written <= f.most {
			return false
		}
		cancel(&budget.TooLargeError{What: "the answer of the server", Limit: f.most})
		return true
	}
	var look func()
	look = func() {
		if ctx.Err() == nil && !f.over() {
			time.AfterFunc(lookEvery, look)
		}
	}
	time.AfterFunc(lookEvery, look)
	return ctx, f
}

func (f *fetching) files() []os.DirEntry {
	all, _ := os.ReadDir(f.packs)
	return all
}

// end removes what a fetch that brought too much has left, and returns the error of the fetch.
func (f *fetching) end(ctx context.Context, err error) error {
	var large *budget.TooLargeError
	if !f.over() && !errors.As(context.Cause(ctx), &large) {
		return err
	}
	for _, e := range f.files() {
		if !f.before[e.Name()] {
			_ = os.Remove(filepath.Join(f.packs, e.Name()))
		}
	}
	return &Error{Op: "fetch", Err: context.Cause(ctx)}
}
