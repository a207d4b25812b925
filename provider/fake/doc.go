// Package fake is a provider in memory, for tests and benchmarks of everything that needs one.
// It keeps all that package provider promises, and breaks single promises on demand: see
// Faults. It refuses what a real system refuses, so that a caller's mistakes fail: references
// that are not resolved to ids, ids that do not exist, deletes of what others refer to, changes
// of immutable attributes.
//
// It knows nothing of the engine, the record or any real system.
package fake
