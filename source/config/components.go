package config

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/position"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config/component"
	"github.com/ovi-project/ovi/source/config/language"
)

// readUse reads the resources of a block that uses a component.
func (d *document) readUse(in *component.Level, n *source.Node) {
	if in == nil {
		d.Wrong(n, "the key use is written with escapes", "write use in plain letters")
		return
	}
	units, absent := in.Units(d.File, n)
	if name := n.Get("name"); absent != nil && name != nil {
		d.Draft.Absent(&source.Resource{Kind: "use", Name: in.Prefix() + name.Text, At: *absent})
	}
	for _, u := range units {
		blocks := u.Resources()
		if u.Root == nil {
			d.Draft.Unreadable(u.At())
			continue
		}
		b := &block{document: d.inside(u), keys: blockKeys(d.Opts)}
		for i := range blocks {
			if component.Is(&blocks[i]) {
				b.readUse(u.Level, &blocks[i])
				continue
			}
			language.Note(u.Language, u.File, &blocks[i])
			u.Language.Block(u.File, &blocks[i], func(m *language.Member) bool {
				b.read(m)
				return true
			})
		}
		b.readRenames(u)
		u.Finish()
	}
}

// readRenames reads the renames of a component, inside it and of it.
func (b *block) readRenames(u *component.Unit) {
	if u.Was != "" {
		name := func(name string) source.ResourceName { return source.ResourceName{Text: name, At: u.At()} }
		b.Draft.Moved = append(b.Draft.Moved, source.Moved{From: name(u.WasIn + "use/" + u.Was), To: name("use/" + u.Name)})
	}
	if n := u.Root.Get("moved"); n != nil {
		v, _ := u.Language.Expand(u.File, n, nil, false)
		b.readMoved(&v)
	}
	if n := u.Root.Get("removed"); n != nil {
		b.readRemoved(n)
	}
}

// inside returns the document of a unit: its provider and location are those around it, unless it has its own.
func (d *document) inside(u *component.Unit) *document {
	reader := *d.Reader
	setter := *d.Setter
	setter.Reader = &reader
	out := &document{Setter: &setter, l: d.l, start: u.Root, tags: d.tags, unit: u}
	for _, word := range locationWords(d.Opts) {
		if n := u.Member.Get(word); n != nil {
			around := out.Location
			out.Location = ""
			out.readLocation(n, word)
			if w := out.Within; w != "" && out.Location != "" && !strings.Contains(out.Location, "/") {
				out.Location = w + "/" + out.Location
			}
			out.Location = cmp.Or(out.Location, around) // its problem is reported
		}
	}
	reader.File, reader.Public = u.File, nil
	if n := u.Root.Get("provider"); n != nil {
		if name := out.ProviderName(n); name != "" && name != out.Provider {
			out.Provider, out.Location, out.Within = name, "", ""
		}
	}
	if out.Location != "" && out.Provider != "" {
		d.l.draft.Scope(resource.Scope{Provider: out.Provider, Location: out.Location})
	}
	return out
}

// setUnit sets what a block has from its component: the prefix of names, and the positions in the file of the
// component, which are not read again.
func (b *block) setUnit(n *source.Node, group string) {
	u := b.unit
	if u == nil {
		return
	}
	b.r.Prefix, b.r.Units, b.r.DependsOn = u.Prefix(), u.Names, slices.Clone(u.DependsOn)
	if group != "" {
		b.r.Group = b.r.Prefix + group
	}
	if b.r.Block != "" {
		b.r.Block = b.r.Prefix + b.r.Block
	}
	written, opts := location{u.File, &source.Node{}, n}, b.l.opts
	b.r.Where = func(path string) position.Position {
		at := written.find(path, opts)
		return written.file.At(at.Line, at.Column)
	}
}

// origin describes the origin of a value of the block.
func (b *block) origin(n *source.Node) string {
	if b.unit != nil {
		return b.unit.Language.Origin(b.File, n)
	}
	return b.l.language.Origin(b.File, n)
}
