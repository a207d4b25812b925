package decider

import (
	"regexp"

	"github.com/ovi-project/ovi/resource"
)

// called returns the name by which a command finds a recorded resource, for a suggestion.
func (f Facts) called(r resource.Ref) string {
	if f.Called == nil {
		return r.Short()
	}
	return f.Called(r)
}

// commandOn matches a command that a suggestion gives for a recorded resource of the same stack, without its stack.
var commandOn = regexp.MustCompile("(`ovi (?:unbless|retry|forget|move|move --exchange)) ([^ :`/-][^ :`/]*)/([^ :`/]+)")

// tellNames puts the names by which commands find recorded resources into the suggestions.
func tellNames(all []Decision, f Facts) {
	if f.Called == nil {
		return
	}
	for i := range all {
		d := &all[i]
		name := func(command string) string {
			m := commandOn.FindStringSubmatch(command)
			r := d.Ref
			r.Kind, r.Name = m[2], m[3]
			return m[1] + " " + f.Called(r)
		}
		d.Suggestion = commandOn.ReplaceAllStringFunc(d.Suggestion, name)
		for k := range d.Blockers {
			d.Blockers[k].Suggestion = commandOn.ReplaceAllStringFunc(d.Blockers[k].Suggestion, name)
		}
	}
}
