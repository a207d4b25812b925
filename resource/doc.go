// Package resource declares the types that every other package shares: refs, values, the
// configuration (Desired, Intent), live state (Observed, Snapshot, LiveState), bindings, and
// the schema of each kind. Its functions are pure: Check validates a configuration, Diff
// compares it with live state, Levels orders by dependency, Kind.Resolve replaces references,
// AppendJSON and Digest give canonical bytes.
//
// The package has no clock, no I/O, no goroutine and no randomness. Values are immutable once
// made: a function that changes something returns a new value. Attrs and Tags are sorted by
// their constructors and stay sorted, so that the comparator can merge them.
//
// It does not import a provider, a source or the ledger. A Secret shows its digest to every
// formatter and encoder; only Reveal returns its value.
package resource
