package config

import (
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config/component"
	"github.com/ovi-project/ovi/source/config/read"
)

// dependencies reads the names of depends_on, as the component with a prefix means them. A reference is a whole name.
func dependencies(r *read.Reader, n *source.Node, prefix string) []string {
	if prefix == "" || n.Shape != source.List {
		return texts(r, n, "depends_on", "[db]")
	}
	out := make([]string, 0, len(n.Kids))
	for i := range n.Kids {
		name, ok := component.Named(&n.Kids[i], prefix)
		if !ok {
			r.Wrong(&n.Kids[i], "an element of depends_on must be a name, got "+n.Kids[i].Form(), "use depends_on: [db]")
			return nil
		}
		out = append(out, name)
	}
	return out
}

// texts reads a list of strings.
func texts(r *read.Reader, n *source.Node, what, example string) []string {
	if n.Shape != source.List {
		r.Wrong(n, what+" must be a list, got "+n.Form(), "use "+what+": "+example)
		return nil
	}
	out := make([]string, 0, len(n.Kids))
	for i := range n.Kids {
		s, ok := r.Text(&n.Kids[i], "an element of "+what)
		if !ok {
			return nil
		}
		out = append(out, s)
	}
	return out
}
