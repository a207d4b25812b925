// Package resource holds the words everything else is said in: refs, values, the wish
// (Desired, Intent), the reality (Observed, Snapshot, World) and the schema of each kind.
//
// It is pure: no clock, no I/O, no goroutine, no randomness. All values are treated as
// immutable once made; functions that change something return a new value. Slices that carry
// an order (Attrs, Tags, Objects) are sorted by the constructors here and stay sorted, which
// is what lets the comparator merge instead of look up.
package resource
