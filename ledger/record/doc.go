// Package record writes the ledger. It appends events to the log, projects them into the store in one
// transaction per batch, and then calls the listeners, in that order.
//
// A Writer queues requests and writes those that wait as one batch, under the append lock of the log. It
// signs them and asks package trust whether they are allowed before it appends anything. A read of a store
// that does not answer for a moment is repeated, and an error that remains leaves the ledger as it was; the
// ledger breaks only if the log and the store may differ. Every other error is final and returned at once,
// because other writers wait for the lock.
package record
