package config

import (
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config/read"
)

// movedItem is an entry of `moved`.
type movedItem struct {
	*document
	source.Moved
}

func movedKeys() []read.Key[*movedItem] {
	return []read.Key[*movedItem]{
		{
			Name: "from", Example: "ec2/web", Form: read.FormText,
			Read: func(m *movedItem, n *source.Node) { m.From = m.resourceName(n, "from") },
			Doc: "The former name: TYPE/NAME in the provider and location of the document, or " +
				"PROVIDER/LOCATION/TYPE/NAME; use/NAME of a component. In another stack, STACK: is before it.",
		},
		{
			Name: "to", Example: "ec2/frontend", Form: read.FormText,
			Read: func(m *movedItem, n *source.Node) { m.To = m.resourceName(n, "to") },
			Doc:  "The new name, in the same forms.",
		},
	}
}

// resourceName reads the name of a resource outside a block.
func (d *document) resourceName(n *source.Node, key string) source.ResourceName {
	text, _ := d.Text(n, key)
	if d.unit != nil {
		text = source.FormerInside(d.unit.Prefix(), text)
	}
	return source.ResourceName{Text: text, Provider: d.Provider, Location: d.Location, At: d.File.At(n.Line, n.Column)}
}

// readMoved reads the renames that a document declares.
func (d *document) readMoved(n *source.Node) {
	d.entries(n, "moved", "{from: TYPE/NAME, to: TYPE/NAME}", func(n *source.Node) (bool, func()) {
		item := &movedItem{document: d}
		read.Keys(d.Reader, item, movedKeys(), n, "an entry of moved")
		return item.From.Text != "" && item.To.Text != "", func() { d.Draft.Moved = append(d.Draft.Moved, item.Moved) }
	})
}

// removedItem is an entry of `removed`.
type removedItem struct {
	*document
	source.Removed
	kept bool // the entry says whether it is kept
}

func removedKeys() []read.Key[*removedItem] {
	return []read.Key[*removedItem]{
		{
			Name: "ref", Example: "rds/orders", Form: read.FormText,
			Read: func(r *removedItem, n *source.Node) { r.Ref = r.resourceName(n, "ref") },
			Doc: "The resource: TYPE/NAME in the provider and location of the document, or " +
				"PROVIDER/LOCATION/TYPE/NAME.",
		},
		{
			Name: "keep", Example: "true", Form: read.FormBool,
			Read: func(r *removedItem, n *source.Node) { r.Keep, r.kept = r.Boolean(n, "keep") },
			Doc:  "Whether the resource stays: ovi forgets it, and it is unmanaged. Without that it is deleted.",
		},
	}
}

// readRemoved reads the removals that a document declares.
func (d *document) readRemoved(n *source.Node) {
	d.entries(n, "removed", "{ref: TYPE/NAME, keep: true}", func(n *source.Node) (bool, func()) {
		item := &removedItem{document: d}
		read.Keys(d.Reader, item, removedKeys(), n, "an entry of removed")
		return item.Ref.Text != "" && item.kept, func() { d.Draft.Removed = append(d.Draft.Removed, item.Removed) }
	})
}

// entries reads a list of declarations, and adds the complete ones.
func (d *document) entries(n *source.Node, list, example string, read func(*source.Node) (complete bool, add func())) {
	if n.Shape != source.List {
		d.Wrong(n, list+" must be a list, got "+n.Form(), "use "+list+": ["+example+"]")
		return
	}
	for i := range n.Kids {
		failed := d.Draft.Failed()
		complete, add := read(&n.Kids[i])
		switch {
		case d.Draft.Failed() > failed:
		case !complete:
			d.Wrong(&n.Kids[i], "an entry of "+list+" is not complete", "use "+example)
		default:
			add()
		}
	}
}
