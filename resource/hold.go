package resource

import "net/netip"

// Hold is an exclusive thing: one resource at a time can have it, such as the name of a bucket, a port of a
// host or a range of a network. Kind.Holds lists the holds of a resource.
type Hold struct {
	What string // names the thing in messages: "bucket", "port"
	// Of names the place in which the thing is exclusive: Within of a parent, or a word that all users share. ""
	// means the scope of the resource.
	Of   string
	Name string
	// Range is a range of addresses, or the single address of a port. The zero Range means all addresses.
	Range netip.Prefix
	// Identity: whoever has the thing is the resource, whatever its name is in the configuration.
	Identity bool
}

// Clashes reports whether two resources cannot have both holds at the same time.
func (h Hold) Clashes(o Hold) bool {
	apart := h.Range.IsValid() && o.Range.IsValid() && !h.Range.Overlaps(o.Range)
	o.Range, o.Identity = h.Range, h.Identity
	return h == o && !apart
}
