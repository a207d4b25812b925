// Package check reads what a fault run left behind and proves, or disproves, what ovi
// promises of several instances on one store.
//
// It promises to name each breach it finds, with the histories that show it. It does not know
// how the histories were made: they are values, so that bad ones can be written by hand to
// show that each rule can fail.
//
// Two orders are used and never mixed: revisions of the store order what is on record, and
// one clock, that of the practice cloud's process, orders the calls. Clocks of instances are
// stepped about during a run and prove nothing.
package check
