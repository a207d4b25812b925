// Package resource holds the words everything else is said in: refs, values, the wish
// (Desired, Intent), the reality (Observed, Snapshot, World) and the schema of each kind, and
// the pure questions one can ask of them: is a wish sound (Check), what differs (Diff), what
// must come first (Levels), what are the bytes (AppendJSON, Digest).
//
// It is pure: no clock, no I/O, no goroutine, no randomness. All values are treated as
// immutable once made; functions that change something return a new value. Slices that carry
// an order (Attrs, Tags, Objects) are sorted by the constructors here and stay sorted, which
// is what lets the comparator merge instead of look up.
//
// It knows no provider, no source and no record, and never what a secret is: a Secret gives
// away its digest to everything but Reveal.
package resource
