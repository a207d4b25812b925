package config

import (
	"strings"

	"github.com/ovi-project/ovi/resource/position"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config/input"
)

// location is a block and the document around it.
type location struct {
	file        *input.File
	root, block *source.Node
}

// where returns the position of a path in a block. Blocks are not kept: for one that was read
// before the current one, the files are read once more.
func (l *loader) where(block position.Position, path string) position.Position {
	p := l.current
	if p.block == nil || p.file.At(p.block.Line, p.block.Column) != block {
		if l.written == nil {
			l.written = l.reread()
		}
		var ok bool
		if p, ok = l.written[block]; !ok {
			return block
		}
	}
	n := p.find(path, l.opts)
	return p.file.At(n.Line, n.Column)
}

// reread reads all files as a whole. Their problems are reported already.
func (l *loader) reread() map[position.Position]location {
	out, quiet := map[position.Position]location{}, newLoader(l.opts, l.files)
	for _, f := range l.files {
		for _, root := range quiet.roots(f) {
			for b := range items(&root) {
				out[f.At(b.Line, b.Column)] = location{f, &root, b}
			}
		}
	}
	return out
}

// find finds the node of a path: in the block, or in what the document sets for all blocks;
// else it is the block itself.
func (p location) find(path string, opts Options) *source.Node {
	key, tagged := strings.CutPrefix(path, "tags.")
	defaults := p.root.Get("defaults")
	switch {
	case tagged && p.block.Get("spec").Get("tags") == nil:
		for _, n := range []*source.Node{p.block, defaults} {
			if found := tagKey(n, key); found != nil {
				return found
			}
		}
	case path == "location":
		for _, n := range []*source.Node{p.block, p.root, defaults} {
			for _, word := range locationWords(opts.Options) {
				if found := n.Get(word); found != nil {
					return found
				}
			}
		}
		return p.block
	case path == "tags" && p.block.Get("tags") == nil && defaults.Get("tags") != nil:
		return defaults.Get("tags")
	}
	if spec := p.block.Get("spec"); spec != nil {
		if n, exact := spec.Locate(path); exact {
			return n
		}
	}
	n, _ := p.block.Locate(path)
	return n
}
