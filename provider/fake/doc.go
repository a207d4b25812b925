// Package fake is a provider in memory, for tests and benchmarks of everything that needs
// one. It promises all that package provider asks for, and breaks single promises on demand:
// see Faults. It also refuses what a real system refuses, so that a caller's mistakes show:
// references that are no ids, things that are needed and not there, deletes of what others
// still use, changes of immutable attributes.
//
// It knows nothing of the engine, the record or any real system.
package fake
