// Package apply performs plans: it claims, records, calls the providers, and records again.
//
// Every action is recorded before it starts, under its claim, and so is its result. A failure affects only
// what depends on it. An apply observes what it replaces or gives turns to; it makes no new decision.
//
// From the top: a run walks the steps, each waits for its turn, is claimed and rechecked, and performed, by
// one call or by the steps of a replacement.
package apply
