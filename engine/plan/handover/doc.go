// Package handover tells a plan what the last accepted configurations of other stacks declare about resources that move
// between stacks. A stack gives a resource away by no longer configuring it, with an entry of `moved` or without one,
// and another stack takes it by an entry of `moved`, by `was`, or by a block with the name that it is given. Only what
// both configurations have counts: a stack that still configures a resource keeps it.
package handover
