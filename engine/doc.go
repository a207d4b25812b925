// Package engine plans and applies: observe, record, compare, decide, claim, execute, record.
//
// Plan returns a value before anything happens; Apply performs it. Every action is recorded before
// it starts. A failure affects only what depends on it. An action without a recorded result is
// recovered by an observation before anything new is decided for its resource.
//
// The engine knows no provider and no source by name, prints nothing and keeps no state of its
// own: the caller passes everything in, and the ledger keeps it.
package engine
