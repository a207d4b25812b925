// Package check reads the records of a fault run and checks what ovi promises of several instances
// on one store.
//
// It names each breach that it finds, with the records that show it. Histories are values, so
// that bad ones can be written by hand to show that each rule can fail.
//
// Two orders are used and never mixed: revisions of the store order the records, and one clock,
// that of the sandbox's process, orders the calls. The clocks of instances are stepped during a run
// and prove nothing.
package check
