package source

import (
	"iter"
)

// Duplicates yields the keys that an object has more than once, each with the first one.
func Duplicates(n *Node) iter.Seq2[*Node, *Node] {
	return func(yield func(*Node, *Node) bool) {
		if len(n.Kids) > 2*32 { // to compare all pairs would be slow
			first := make(map[string]*Node, len(n.Kids)/2)
			for i := 0; i+1 < len(n.Kids); i += 2 {
				f, again := first[n.Kids[i].Text]
				if !again {
					first[n.Kids[i].Text] = &n.Kids[i]
				} else if !yield(&n.Kids[i], f) {
					return
				}
			}
			return
		}
		for i := 2; i+1 < len(n.Kids); i += 2 {
			for j := 0; j < i; j += 2 {
				if n.Kids[i].Text == n.Kids[j].Text {
					if !yield(&n.Kids[i], &n.Kids[j]) {
						return
					}
					break
				}
			}
		}
	}
}
