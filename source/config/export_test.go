package config

import (
	"context"

	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/syntax"
)

// Whole is a source that cuts no document into blocks.
func Whole(s source.Source) source.Source { return whole{s.(*config)} }

type whole struct{ *config }

func (w whole) Load(ctx context.Context) ([]*source.Draft, error) {
	files, problems := w.open()
	if len(problems) > 0 {
		return nil, problems
	}
	d, err := w.loadFiles(ctx, files, true)
	return []*source.Draft{d}, err
}

// Cuts reports whether a text is cut into blocks at all.
func Cuts(text string) bool {
	_, ok := syntax.NewCut(text, "resources")
	return ok
}
