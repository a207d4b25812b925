// Package plan makes plans: it locates, observes, compares and decides, and records the result.
//
// Planned is the result: it does not change once made, and has all that an apply needs. Planning holds the
// state that is needed only to make a plan. A plan calls Locate, Observe and Ready of providers, and
// changes no resource.
package plan
