package config

import (
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config/read"
)

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
