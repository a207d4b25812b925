package replace

import "github.com/ovi-project/ovi/resource"

// Node is what a plan does with one resource: a create only creates, a delete only deletes, a
// replace does both. An update counts as creating, and holds what it refers to so far.
type Node struct {
	Ref              resource.Ref
	Creates, Deletes bool
	Strategy         resource.Strategy // of a replace; "" is destroy-first
	DependsOn        []resource.Ref    // what its configuration refers to; without cycles
	Holds            []resource.Ref    // what the resource that exists refers to
	// Vacates have exclusive things that it takes: they are deleted, or updated, first.
	Vacates []resource.Ref
	// Turns are what must be created, or updated, before anything is done to it: it has its turn after
	// them. Without turns there is no cycle; with them there may be one.
	Turns []resource.Ref
}
