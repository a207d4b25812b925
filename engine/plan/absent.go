package plan

import (
	"strconv"
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// absentIn returns a function that returns why the configurations no longer have a resource: its condition is false,
// its count is smaller, or its key was removed. The location of a block that configures nothing was not resolved, so
// only its last part counts.
func absentIn(intents []resource.Intent) func(resource.Ref) string {
	short := func(r resource.Ref) resource.Ref {
		r.Location = r.Location[strings.LastIndexByte(r.Location, '/')+1:]
		return r
	}
	all := map[resource.Ref]string{}
	for i := range intents {
		for ref, why := range intents[i].Absent {
			all[short(ref)] = why
		}
	}
	return func(r resource.Ref) string {
		r = short(r)
		if why := all[r]; why != "" {
			return why
		}
		set := outerOf(r)
		if _, err := strconv.Atoi(strings.TrimPrefix(r.Name, set.Name+"-")); err == nil && all[set] != "" {
			return all[set]
		}
		for group := set; group.Name != ""; group = outerOf(group) {
			members := group
			members.Name += "-*"
			if why := all[members]; why != "" {
				return why
			}
		}
		return ""
	}
}

// outerOf cuts the number or key of a resource from its name.
func outerOf(r resource.Ref) resource.Ref {
	r.Name = r.Name[:max(strings.LastIndexByte(r.Name, '-'), 0)]
	return r
}
