// Package replace decides how one resource takes the place of another. Next gives the next
// step of one replacement from what exists, not from what was done: after a crash the next
// step is the one that follows an observation, and there is no special case. Downgrade and
// Order put the replacements of a plan into an order without cycles.
//
// The package is pure. The engine does the steps and records them; a provider only has verbs.
package replace
