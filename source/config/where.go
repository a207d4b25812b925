package config

import (
	"github.com/ovi-project/ovi/resource/position"
)

// where returns the position of a path in a block. Blocks are not kept: for one that was read
// before the current one, the files are read once more.
func (l *loader) where(block position.Position, path string) position.Position {
	p := l.current
	if p.item == nil || p.file.At(p.item.Line, p.item.Column) != block {
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
