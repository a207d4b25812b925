package config

import (
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/syntax"
)

// Whole is a source that reads each document as a whole.
func Whole(s source.Source) source.Source { return Pieces(s, 0) }

// Pieces is a source that reads that many bytes at once.
func Pieces(s source.Source, size int) source.Source {
	c := *s.(*fileSource)
	c.piece = size
	return &c
}

// Cuts reports whether a text is cut into blocks at all.
func Cuts(text string) bool {
	_, ok := syntax.NewCut(text, "resources")
	return ok
}
