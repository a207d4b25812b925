package rows

import (
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// ManyScopes is the number of scopes from which one pass over all rows is cheaper than one read a scope:
// opening the store costs more than the rows of a small scope.
const ManyScopes = 8

// Within returns the common prefix of the keys of all these scopes, after the prefix of the table.
func Within(scopes []resource.Scope) string {
	if len(scopes) == 0 {
		return ""
	}
	common := scopes[0].String()
	for _, s := range scopes[1:] {
		name := s.String()
		for !strings.HasPrefix(name, common) {
			common = common[:len(common)-1]
		}
	}
	return common
}
