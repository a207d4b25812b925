package comparator

import "github.com/ovi-project/ovi/resource"

// Others returns what the last accepted configurations of other stacks declare, for resources that move between stacks.
// It must be pure.
type Others interface {
	// Declared returns the declarations of the stack of a name.
	Declared(ref resource.Ref) Declared
	// GivenTo returns the resource that its stack, which no longer configures it, gives a name in another stack.
	GivenTo(to resource.Ref) (from resource.Ref, given bool)
	// Claims lists the configured names, in other stacks, whose former name a resource has.
	Claims(from resource.Ref) []resource.Ref
}

// Declared has the declarations of a stack about a name, in its last accepted configuration.
type Declared struct {
	Accepted   bool         // the stack has such a configuration
	Configured bool         // which configures the name
	To         resource.Ref // the name in another stack that it gives the resource; zero if none
}
