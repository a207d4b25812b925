package config

import (
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config/read"
)

// lookupItem is the lookup of a block.
type lookupItem struct{ *block }

func lookupKeys() []read.Key[*lookupItem] {
	return []read.Key[*lookupItem]{
		{
			Name: "id", Example: "vpc-0abc1234", Form: read.FormText,
			Read: func(l *lookupItem, n *source.Node) { l.r.Lookup.ID, _ = l.Text(n, "id") },
			Doc:  "The ID of the resource, in the location of the block: what `ovi status` and the provider call it.",
		},
		{
			Name: "stack", Example: "network", Form: read.FormText,
			Read: func(l *lookupItem, n *source.Node) { l.r.Lookup.Stack, _ = l.Text(n, "stack") },
			Doc:  "Another stack of the same store, which owns the resource. It needs `ref`.",
		},
		{
			Name: "ref", Example: "vpc/main", Form: read.FormText,
			Read: func(l *lookupItem, n *source.Node) { l.r.Lookup.Ref, _ = l.Text(n, "ref") },
			Doc: "The resource in that stack: TYPE/NAME in the location of the block, or " +
				"PROVIDER/LOCATION/TYPE/NAME.",
		},
	}
}

func (b *block) readLookup(n *source.Node) {
	b.r.Lookup = &source.Lookup{}
	read.Keys(b.Reader, &lookupItem{b}, lookupKeys(), n, "lookup")
}
