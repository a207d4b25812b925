package config

import (
	"context"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source"
)

// LoadWhole loads without cutting any document into blocks.
func LoadWhole(s source.Source) (resource.Intent, error) {
	c := s.(*config)
	files, problems := c.open()
	if len(problems) > 0 {
		return resource.Intent{}, problems
	}
	return c.loadFiles(context.Background(), files, true, map[resource.Ref]bool{})
}

// Cuts says whether a text is cut into blocks at all.
func Cuts(text string) bool {
	_, ok := split(text)
	return ok
}
