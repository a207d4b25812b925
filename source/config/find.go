package config

import (
	"strings"

	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config/input"
)

// location is a block and the document around it.
type location struct {
	file       *input.File
	root, item *source.Node
}

// find finds the node of a path: in the block, or in what the document sets for all blocks;
// else it is the block itself.
func (p location) find(path string, opts Options) *source.Node {
	key, tagged := strings.CutPrefix(path, "tags.")
	defaults := p.root.Get("defaults")
	switch {
	case tagged && p.item.Get("spec").Get("tags") == nil:
		for _, n := range []*source.Node{p.item, defaults} {
			if found := tagKey(n, key); found != nil {
				return found
			}
		}
	case path == "location":
		for _, n := range []*source.Node{p.item, p.root, defaults} {
			for _, word := range locationWords(opts.Options) {
				if found := n.Get(word); found != nil {
					return found
				}
			}
		}
		return p.item
	case path == "tags" && p.item.Get("tags") == nil && defaults.Get("tags") != nil:
		return defaults.Get("tags")
	}
	if spec := p.item.Get("spec"); spec != nil {
		if n, exact := spec.Locate(path); exact {
			return n
		}
	}
	n, _ := p.item.Locate(path)
	return n
}
