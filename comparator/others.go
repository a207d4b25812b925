package comparator

import "github.com/ovi-project/ovi/resource"

// Others returns what the last accepted configurations of other stacks declare, for resources that move between stacks.
// It must be pure.
type Others interface {
	// Declared returns the declarations of the stack of a name.
	Declared(ref resource.Ref) Declared
	// GivenTo lists the names under which the resource may be recorded that its stack, which no longer configures it,
	// gives a name in another stack. Entries for one resource come before those for a group.
	GivenTo(to resource.Ref) []resource.Ref
	// Claims lists the configured names, in other stacks, whose former name a resource has.
	Claims(from resource.Ref) []resource.Ref
	// Now returns the configured name that follows a name in its stack, or the name itself.
	Now(ref resource.Ref) resource.Ref
}

// Declared has the declarations of a stack about a name, in its last accepted configuration.
type Declared struct {
	Accepted   bool         // the stack has such a configuration
	Configured bool         // which configures the name
	To         resource.Ref // the name in another stack that it gives the resource; zero if none
}
