package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/position"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config/language"
	"github.com/ovi-project/ovi/source/config/read"
)

// block is the block being read. One is used for all blocks of a document.
type block struct {
	*document
	keys    []read.Key[*block]
	unnamed bool // the file has a provider, or a problem with it is reported
	n       *source.Node
	r       source.Resource
	word    string         // the provider's word for a location
	slots   []*source.Node // the block's own keys, in the order of their table
	flat    []source.Node  // the attributes beside them
}

// read reads one block and adds its resource to the draft.
func (b *block) read(m *language.Member) {
	n := &m.Node
	at := b.File.At(n.Line, n.Column)
	l := b.l
	b.n, b.flat = n, b.flat[:0]
	b.r = source.Resource{
		At: at, Where: func(path string) position.Position { return l.where(at, path) },
		Group: m.Group, Block: m.Block, NoMembers: m.IsEmpty, Broken: m.Failed, Index: m.Index,
	}
	b.setUnit(n, m.Group)
	b.Resource, l.current = &b.r, location{b.File, b.start, n}
	defer func() { b.Resource, l.current = nil, location{} }()
	if n.Shape != source.Object {
		b.Wrong(n, "a block of resources must be keys, got "+n.Form(),
			"use - type: "+b.SomeKind()+", with the other keys below type")
		b.Draft.Add(&b.r)
		return
	}
	b.setProvider()
	b.sort()
	if m.Absent {
		b.absent()
		return
	}
	for i, v := range b.slots {
		switch {
		case v == nil:
		case v.Bad: // its problem is reported
			b.r.Broken = true
		case v.IsNull():
			b.Wrong(v, b.keys[i].Name+" has no value", read.NoValue(b.keys[i].Name, b.keys[i].Example))
		default:
			b.keys[i].Read(b, v)
		}
	}
	b.Duplicates(n)
	b.finish()
	if summary, suggestion := m.Former(&b.r); summary != "" {
		b.Wrong(n.Get("was"), summary, suggestion)
	}
	b.Draft.Add(&b.r)
	if b.Opts.Expanded != nil {
		b.Opts.Expanded(&b.r, n, b.origin)
	}
}

// absent reads the name of a block whose when is false. Problems of the block are not reported.
func (b *block) absent() {
	r := b.r
	for i, v := range b.slots {
		if v == nil || v.Shape != source.Scalar {
			continue
		}
		switch b.keys[i].Name {
		case "type":
			r.Kind = v.Text
		case "name":
			r.Name = r.Prefix + v.Text
		case "location":
			r.Location = b.within(v.Text)
		}
	}
	b.Draft.Absent(&r)
}

// setProvider finds the provider, on which the word for the location depends.
func (b *block) setProvider() {
	b.r.Provider, b.r.Tags = b.Provider, b.tags
	if n := b.n.Get("provider"); n != nil && !n.IsNull() {
		b.r.Provider = b.ProviderName(n)
	}
	if b.r.Provider == b.Provider {
		b.r.Location = b.Location
	}
	word, known := b.l.locationWords[b.r.Provider]
	if !known {
		word = b.l.opts.LocationOf(b.r.Provider).Word
		b.l.locationWords[b.r.Provider] = word
	}
	b.word = word
}

// sort tells the block's own keys from the kind's attributes.
func (b *block) sort() {
	b.slots = append(b.slots[:0], make([]*source.Node, len(b.keys))...)
kids:
	for i := 0; i+1 < len(b.n.Kids); i += 2 {
		k := &b.n.Kids[i]
		name := k.Text
		if name == b.word {
			name = "location"
		}
		for j := range b.keys {
			if b.keys[j].Name != name {
				continue
			}
			switch {
			case b.slots[j] == nil:
				b.slots[j] = &b.n.Kids[i+1]
			case name == "location" && k.Text != "location" && b.n.Get("location") != nil,
				k.Text == "location" && b.word != "location" && b.n.Get(b.word) != nil:
				b.Wrong(k, "duplicate location: "+b.word+" is another word for it", "remove location or "+b.word)
			}
			continue kids
		}
		b.flat = append(b.flat, *k, b.n.Kids[i+1])
	}
}

// finish decides what depends on several keys.
func (b *block) finish() {
	r := &b.r
	if r.Name == "" && r.Prefix != "" && r.Kind != "" && b.n.Get("name") == nil {
		r.Name = r.Prefix + r.Kind
	}
	if b.n.Get("type") == nil {
		b.Wrong(b.n, "the block has no type", cmp.Or(read.AsComponent(b.n), b.typeFor()))
	}
	if r.Provider == "" && b.n.Get("provider") == nil {
		if !b.unnamed {
			b.Resource = nil
			b.Wrong(b.start, "the file has no provider", "add provider: "+strings.Join(b.Opts.Schemas.Providers(), " or "))
			b.Resource, b.unnamed = &b.r, true
		}
		r.Broken = true
	}
	if r.Provider != "" && r.Kind != "" && !r.NoMembers && (b.n.Get("name") == nil || b.n.Get("name").IsNull()) {
		// One block for each kind and file may be named by its kind.
		key := b.File.Name + "\x00" + r.Prefix + "\x00" + r.Kind
		if first, again := b.l.nameless[key]; again {
			b.Wrong(b.n, fmt.Sprintf("a second %s without a name: the first is on line %d", r.Kind, first.Line),
				"add a name to both")
		} else {
			b.l.nameless[key] = r.At
		}
	}
	spec := b.n.Get("spec")
	if spec == nil {
		r.Attrs = source.Node{Shape: source.Object, Line: b.n.Line, Column: b.n.Column, Kids: b.flat}
	} else if len(b.flat) > 0 {
		b.Wrong(&b.flat[0], source.Quote(b.flat[0].Text)+" is next to spec, which holds all attributes", "move it into spec")
	}
	b.ExpandAll(&r.Attrs)
}

// typeFor suggests a type for a block without one.
func (b *block) typeFor() string {
	if kind := b.n.Get("kind"); kind != nil && slices.Contains(b.KindNames(), kind.Text) {
		return "write type: " + kind.Text + " instead of kind: " + kind.Text
	}
	if names := b.KindNames(); len(names) <= 16 {
		return "add type: " + strings.Join(names, " or ")
	}
	return "add type: KIND, such as type: " + b.SomeKind() + "; see `ovi kinds`"
}

func (b *block) readType(n *source.Node) {
	if n.Shape != source.Scalar {
		b.Wrong(n, "type must be a word, got "+n.What(), "use type: "+strings.Join(b.KindNames(), " or "))
		return
	}
	b.r.Kind = n.Text
}

// readExpanded has nothing left to do: the language reads these keys before the block is read.
func (b *block) readExpanded(*source.Node) {}

// readBlockProvider has nothing left to do; see setProvider.
func (b *block) readBlockProvider(*source.Node) {}

func (b *block) readName(n *source.Node) {
	if name, ok := b.Text(n, "name"); ok { // a name that is known in part would be judged as a whole
		b.r.Name = b.r.Prefix + name
	}
}

func (b *block) readWas(n *source.Node) {
	if was, ok := b.Text(n, "was"); ok {
		b.r.Was = source.FormerInside(b.r.Prefix, was)
	}
}

func (b *block) readCount(n *source.Node) {
	b.r.Counted = true
	b.r.Count, _ = b.Whole(n, "count", 0, source.MaxCount)
}

// readBlockLocation reads the location of a block, which is in the group of the document if it names none.
func (b *block) readBlockLocation(n *source.Node) {
	b.r.Location = b.within(b.locationName(n, b.word))
}

// within returns a location in the group of the document, unless it names a group itself.
func (b *block) within(location string) string {
	group := b.Within
	if b.r.Provider != b.Provider {
		group = language.AccountFor(b.l.language, b.r.Provider, b.l.opts.LocationOf(b.r.Provider))
	}
	if group != "" && location != "" && !strings.Contains(location, "/") {
		return group + "/" + location
	}
	return location
}

func (b *block) readTags(n *source.Node) {
	b.r.Tags, b.r.OwnTags = b.document.readTags(n, b.document.tags), true
}

func (b *block) readBlessed(n *source.Node) { b.r.Blessed, _ = b.Boolean(n, "blessed") }

func (b *block) readOwner(n *source.Node) { b.r.Owner, _ = b.Text(n, "owner") }

func (b *block) readReplace(n *source.Node) {
	s, ok := b.Text(n, "replace")
	if !ok {
		return
	}
	switch s := resource.Strategy(s); s {
	case resource.DestroyFirst, resource.CreateFirst, resource.Swap, resource.StartFirst:
		b.r.Replace = s
	default:
		b.Wrong(n, "unknown way to replace "+source.Quote(string(s)), "use destroy-first, create-first, swap or start-first")
	}
}

func (b *block) readState(n *source.Node) {
	s, _ := b.Text(n, "state")
	b.r.State = resource.State(s)
}

func (b *block) readIgnore(n *source.Node) {
	b.r.Ignore = texts(b.Reader, n, "ignore", "[tags.LastScan]")
}

func (b *block) readDependsOn(n *source.Node) {
	b.r.DependsOn = append(dependencies(b.Reader, n, b.r.Prefix), b.r.DependsOn...)
}

func (b *block) readSpec(n *source.Node) {
	if n.Shape != source.Object {
		b.Wrong(n, "spec must be a block of keys, got "+n.Form(), "use KEY: VALUE lines")
		return
	}
	b.Duplicates(n)
	b.r.Attrs = *n
}
