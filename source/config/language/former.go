package language

import (
	"strings"

	"github.com/ovi-project/ovi/source"
)

// Former completes the former name of a member of a for_each, if it is written as the name of the block: the part of
// the name that is the member's own follows it. It returns the problem if there is no such part.
func (m *Member) Former(r *source.Resource) (summary, suggestion string) {
	if !m.wasBlock || r.Was == "" || r.Name == "" {
		return "", ""
	}
	own, is := strings.CutPrefix(r.Name, r.Group)
	if !is || r.Group == "" {
		return "was is the former name of the block, and the name of the block has ${each.key} in another place",
			`write the former name of each member, as in was: "` + m.Node.Get("was").Text + `-${each.key}"`
	}
	r.Was += own
	return "", ""
}
