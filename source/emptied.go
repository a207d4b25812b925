package source

import (
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// emptied suggests what to do about a list that is too short because names in it, written NAME?, have no resources. It
// returns "" for other lists.
func emptied(n *Node, a *resource.Attribute, exact bool) string {
	if !exact || a == nil || a.Min == nil || n.Shape != List {
		return ""
	}
	var names []string
	for i := range n.Kids {
		if name, optional := strings.CutSuffix(n.Kids[i].Text, "?"); optional && n.Kids[i].Parts == nil {
			names = append(names, name)
		}
	}
	if len(names) == 0 || int64(len(n.Kids)-len(names)) >= *a.Min {
		return ""
	}
	few := strings.Join(names, "?, ") + "? names too few resources: "
	if a.Required {
		return few + "give the block a `when` that is false then"
	}
	return few + "use an expression that is null then, or a block with `when`"
}
