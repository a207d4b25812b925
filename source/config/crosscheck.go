package config

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// together asks each kind what is wrong between its wishes, or with a place, a name or tags.
// Blocks that could not be read are not among the wishes: of those it knows nothing.
func (l *loader) together(files []*file) {
	type name struct{ provider, kind string }
	byKind := map[name][]*resource.Desired{}
	for i := range l.desired {
		k := name{l.desired[i].Ref.Provider, l.desired[i].Ref.Kind}
		byKind[k] = append(byKind[k], &l.desired[i])
	}
	order := slices.SortedFunc(maps.Keys(byKind), func(a, b name) int {
		return cmp.Or(cmp.Compare(a.provider, b.provider), cmp.Compare(a.kind, b.kind))
	})
	find := func(r resource.Ref) *resource.Desired {
		i, ok := slices.BinarySearchFunc(l.desired, r, func(d resource.Desired, r resource.Ref) int { return d.Ref.Compare(r) })
		if !ok {
			return nil
		}
		return &l.desired[i]
	}
	var found []resource.Finding
	for _, k := range order {
		if schema, ok := l.opts.Schemas.Kind(k.provider, k.kind); ok && schema.CrossCheck != nil {
			found = append(found, schema.CrossCheck(byKind[k], find)...)
		}
	}
	if len(found) > 0 {
		l.findings(found, find, files)
	}
}

// findings reports what was found, each thing at its place. Wishes that come from one block, and those that
// share what their file says, have one problem together.
func (l *loader) findings(found []resource.Finding, find func(resource.Ref) *resource.Desired, files []*file) {
	type problem struct {
		at      resource.Position
		summary string
	}
	told := map[problem]bool{}
	read := l.reread(files)
	for _, f := range found {
		d := find(f.Ref)
		if d == nil {
			continue
		}
		at := read.location(d.At, f.Path)
		if p := (problem{at, f.Summary}); !told[p] {
			told[p] = true
			l.problem(at, short(f.Ref), f.Summary, cmpOr(f.Suggestion, "`ovi kinds "+f.Ref.Kind+"` says what it may be"))
		}
	}
}

// written is the files read once more, as a whole: nothing of the first reading is kept but
// where each block begins, and problems are rare.
type written map[resource.Position]location

// location is a block and the document around it.
type location struct {
	file        *file
	root, block *node
}

func (l *loader) reread(files []*file) written {
	out, quiet := written{}, newLoader(l.opts, nil) // what is wrong in other ways has been told
	for _, f := range files {
		for _, root := range quiet.roots(f) {
			for b := range items(&root) {
				out[f.at(b.line, b.col)] = location{f, &root, b}
			}
		}
	}
	return out
}

// location finds where a path of a finding is written: in the block, or in what the document
// says for all blocks; else it is the block itself.
func (w written) location(block resource.Position, path string) resource.Position {
	p, ok := w[block]
	if !ok {
		return block
	}
	n := p.find(path)
	return p.file.at(n.line, n.col)
}

func (p location) find(path string) *node {
	key, tagged := strings.CutPrefix(path, "tags.")
	defaults := p.root.get("defaults")
	switch {
	case tagged:
		for _, n := range []*node{p.block, defaults} {
			if found := n.tag(key); found != nil {
				return found
			}
		}
	case path == "region":
		for _, n := range []*node{p.block, p.root, defaults} {
			if found := n.member("region"); found != nil {
				return found
			}
		}
		return p.block
	case path == "tags":
		if n := cmp.Or(p.block.get("tags"), defaults.member("tags")); n != nil {
			return n
		}
		return p.block
	}
	n, _ := p.block.locate(path)
	return n
}

// member is get of a node that may not be there.
func (n *node) member(key string) *node {
	if n == nil {
		return nil
	}
	return n.get(key)
}

// tag finds the key of a tag.
func (n *node) tag(key string) *node {
	tags := n.member("tags")
	for i := 0; tags != nil && tags.shape == object && i+1 < len(tags.kids); i += 2 {
		if tags.kids[i].text == key {
			return &tags.kids[i]
		}
	}
	return nil
}
