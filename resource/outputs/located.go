package outputs

import (
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// Located adds the location to a reference, such as ec2/web.address, that names none: if no resource in the location of
// the document has the name, and exactly one resource of the stack elsewhere has it. Outputs belong to the whole
// stack, and not to one location. Other references are not changed.
func Located(text string, known map[resource.Ref]bool, here resource.Scope) string {
	kind, inside, is := strings.Cut(text, "/")
	if !is || kind == StackKind || strings.Contains(inside, "/") {
		return text
	}
	names := strings.TrimSuffix(inside, "?")
	for end := len(names); end > 0; end = strings.LastIndexByte(names[:end], '.') { // a name can have dots
		if known[resource.Ref{Provider: here.Provider, Location: here.Location, Kind: kind, Name: names[:end]}] {
			return text
		}
		var found []resource.Ref
		for r := range known {
			if r.Kind == kind && r.Name == names[:end] {
				found = append(found, r)
			}
		}
		switch len(found) {
		case 0:
		case 1:
			return found[0].Provider + "/" + found[0].Location + "/" + text
		default:
			return text
		}
	}
	return text
}
