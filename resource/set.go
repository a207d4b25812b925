package resource

import "github.com/ovi-project/ovi/resource/rules"

// Set is the resources that one block configures in one location, by its count or its for_each. Each resource has the
// set in its configuration; its name does not decide.
type Set struct {
	Name string // of the block
	// MaxUnavailable limits how many of them are interrupted, or not healthy, at one time. Unset is
	// a quarter.
	MaxUnavailable rules.Budget
}

// defaultUnavailable is the share of a set that may be unavailable where none is configured, as in a
// Kubernetes Deployment.
const defaultUnavailable = 25

// Most returns the number of resources of a set of a size that may be unavailable at one time. A share rounds down,
// but at least one always may: otherwise no resource could be changed.
func (s *Set) Most(size int) int {
	most := s.MaxUnavailable.Count
	switch b := s.MaxUnavailable; {
	case !b.Set:
		most = size * defaultUnavailable / 100
	case b.Percent:
		most = size * b.Count / 100
	}
	return min(max(most, 1), size)
}

// SetOf returns the ref of the set of a configured resource, which has the name of the block; the zero Ref if the
// resource is in none.
func SetOf(d *Desired) Ref {
	if d == nil || d.Set == nil {
		return Ref{}
	}
	of := d.Ref
	of.Name = d.Set.Name
	return of
}
