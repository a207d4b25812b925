package api

import (
	"github.com/ovi-project/ovi/resource"
)

// CreateFirst is for resources of which two can exist side by side.
func CreateFirst() []resource.Strategy {
	return []resource.Strategy{resource.CreateFirst, resource.DestroyFirst}
}

// DestroyFirst returns the only strategy of kinds whose names or addresses are exclusive.
func DestroyFirst() []resource.Strategy { return []resource.Strategy{resource.DestroyFirst} }

// OtherVPC reports that a resource moves to a VPC whose id is known and is another one.
func OtherVPC(d resource.Desired, have resource.Observed) bool {
	next, known := Text(d.Attrs, "vpc")
	was, _ := Text(have.Attrs, "vpc")
	return known && was != "" && next != was
}

// OtherSubnet reports that a resource moves to a subnet whose id is known and is another one. It may be one of another
// VPC, which has the same addresses.
func OtherSubnet(d resource.Desired, have resource.Observed) bool {
	next, known := Text(d.Attrs, "subnet")
	was, _ := Text(have.Attrs, "subnet")
	return known && was != "" && next != was
}

// SameText reports that an attribute is not configured or already has its value.
func SameText(d resource.Desired, have resource.Observed, name string) bool {
	v, set := d.Attrs.Get(name)
	now, _ := have.Attrs.Get(name)
	return !set || resource.Equal(v, now)
}

// Is reports whether a configured text attribute has a value.
func Is(d *resource.Desired, name, want string) bool {
	s, _ := Text(d.Attrs, name)
	return s == want
}
