// Package engine walks the line: observe, record, compare, decide, claim, execute, record.
//
// Plan makes a value before anything happens; Apply does it. Nothing is done before it is
// written, what fails holds up only what depends on it, and an action that was cut off is
// answered by observing before anything new is decided there.
//
// The engine knows no provider and no source by name, draws nothing on a screen and keeps
// no memory of its own: all of that comes in, or stands in the ledger.
package engine
