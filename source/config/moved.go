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
				"PROVIDER/LOCATION/TYPE/NAME; STACK:TYPE/NAME in another stack.",
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
	return source.ResourceName{Text: text, Provider: d.Provider, Location: d.Location, At: d.File.At(n.Line, n.Column)}
}

// readMoved reads the renames that a document declares.
func (d *document) readMoved(n *source.Node) {
	if n.Shape != source.List {
		d.Wrong(n, "moved must be a list, got "+n.Form(), "use moved: [{from: TYPE/NAME, to: TYPE/NAME}]")
		return
	}
	for i := range n.Kids {
		item := &movedItem{document: d}
		failed := d.Draft.Failed()
		read.Keys(d.Reader, item, movedKeys(), &n.Kids[i], "an entry of moved")
		switch {
		case d.Draft.Failed() > failed:
		case item.From.Text == "" || item.To.Text == "":
			d.Wrong(&n.Kids[i], "an entry of moved needs from and to", "use {from: TYPE/NAME, to: TYPE/NAME}")
		default:
			d.Draft.Moved = append(d.Draft.Moved, item.Moved)
		}
	}
}
