package plan

import (
	"slices"

	"github.com/ovi-project/ovi/resource"
)

// Changing reports whether an action of any instance runs on a resource, or was accepted.
func (p *Planned) Changing(ref resource.Ref) bool {
	if o, open := p.Open[ref]; open && o.Accepted {
		return true
	}
	return slices.ContainsFunc(p.Flights, func(f Flight) bool { return f.Ref == ref })
}
