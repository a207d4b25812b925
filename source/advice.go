package source

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// rule tells what an attribute can be, without any value.
func rule(a *resource.Attribute) string {
	switch {
	case a == nil:
		return "see `ovi kinds`"
	case len(a.Enum) > 0:
		return "use one of " + strings.Join(a.Enum, ", ")
	case a.Min != nil && a.Type == resource.TInt:
		return "use a number " + between(a)
	case a.Example != "":
		return forExample(cmp.Or(a.Name, "an element"), a.Example)
	case a.Pattern != "":
		return "use a value that matches " + a.Pattern
	}
	if a.Type == resource.TString {
		return "see `ovi kinds`"
	}
	return "use " + a.Type.String()
}

func between(a *resource.Attribute) string {
	switch {
	case a.Max == nil:
		return fmt.Sprintf("of at least %d", *a.Min)
	case a.Min == nil:
		return fmt.Sprintf("of at most %d", *a.Max)
	}
	return fmt.Sprintf("from %d to %d", *a.Min, *a.Max)
}

func such(a *resource.Attribute) string {
	if a.Example == "" {
		return ""
	}
	return ", for example " + a.Example
}

func forExample(word, example string) string {
	if example == "" {
		return ""
	}
	return "for example, " + word + ": " + example
}
