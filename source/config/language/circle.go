package language

import (
	"slices"
	"strings"
)

// trail has the names of the values that are being evaluated, the outermost first.
type trail struct{ under []string }

// begin adds a value. The function that it returns removes the value.
func (t *trail) begin(prefix, name string) (end func()) {
	t.under = append(t.under, namedIn(prefix, name))
	return func() { t.under = t.under[:len(t.under)-1] }
}

// onItself explains that a value which is being evaluated depends on itself, with all values in between.
func (t *trail) onItself(prefix, name string) string {
	name = namedIn(prefix, name)
	text := name + " depends on itself"
	if circle := t.under[max(slices.Index(t.under, name), 0):]; len(circle) > 1 {
		text += ": " + strings.Join(append(slices.Clone(circle), name), " -> ")
	}
	return text
}

// namedIn returns the name of a value with the use block of its component, whose prefix is given.
func namedIn(prefix, name string) string {
	if use := strings.TrimSuffix(prefix, "-"); use != "" {
		return "use/" + use + " " + name
	}
	return name
}
