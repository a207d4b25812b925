package source

import (
	"strings"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/position"
)

// entry is the part of a Resource that is kept.
type entry struct {
	at    position.Position
	where func(string) position.Position
}

// user is a resource that uses others.
type user struct {
	ref   resource.Ref
	where func(path string) position.Position
}

// group is a name with a count.
type group struct {
	count int
	entry int32
}

func appendDefaulted(out []string, prefix string, attrs *Node, schema []resource.Attribute) []string {
	for i := range schema {
		s := &schema[i]
		mentioned := attrs.Get(s.Name)
		switch {
		case mentioned == nil && s.Default != nil:
			out = append(out, prefix+s.Name)
		case mentioned != nil && s.Type == resource.TObject:
			out = appendDefaulted(out, prefix+s.Name+".", mentioned, s.Fields)
		}
	}
	return out
}

func isNumber(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}
