package config

import (
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config/read"
)

// lookupItem is the lookup of a block.
type lookupItem struct{ *block }

func lookupKeys() []read.Key[*lookupItem] {
	text := func(name, example, doc string, to func(*source.Lookup) *string) read.Key[*lookupItem] {
		return read.Key[*lookupItem]{
			Name: name, Example: example, Form: read.FormText, Doc: doc,
			Read: func(l *lookupItem, n *source.Node) { *to(l.r.Lookup), _ = l.Text(n, name) },
		}
	}
	return []read.Key[*lookupItem]{
		text("id", "vpc-0abc1234", "The ID of the resource, in the location of the block: what `ovi status` and the "+
			"provider call it.", func(l *source.Lookup) *string { return &l.ID }),
		text("stack", "network", "Another stack of the same store, which owns the resource. It needs `ref`.",
			func(l *source.Lookup) *string { return &l.Stack }),
		text("ref", "vpc/main", "The resource in that stack: TYPE/NAME in the location of the block, or "+
			"PROVIDER/LOCATION/TYPE/NAME.", func(l *source.Lookup) *string { return &l.Ref }),
		text("name", "orders-db", "The name of the resource at its system, in the location of the block. It is not a tag: a "+
			"kind that has only the tag Name is found by its tags. Exactly one resource must have the name.",
			func(l *source.Lookup) *string { return &l.Name }),
		{
			Name: "tags", Example: "{environment: prod}", Form: read.FormTags,
			Read: func(l *lookupItem, n *source.Node) { l.r.Lookup.Tags = l.document.readTags(n, nil) },
			Doc: "Tags of the resource, all of which it has with these values; it may have more. Exactly one resource in " +
				"the location of the block must have them; resources of this stack do not count. With `name`, both must fit.",
		},
	}
}

func (b *block) readLookup(n *source.Node) {
	b.r.Lookup = &source.Lookup{}
	read.Keys(b.Reader, &lookupItem{b}, lookupKeys(), n, "lookup")
}
