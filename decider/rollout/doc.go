// Package rollout decides how far a new configuration has got: which resources follow it now,
// and which still follow, or go back to, the last configuration they were healthy with. Waves,
// budgets, rollback and quarantine are decided here and nowhere else, between observing and
// comparing.
//
// The package is pure: what is on record and what was observed come in as values, and the same
// input gives the same answer in any order.
package rollout
