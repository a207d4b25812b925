// Package report tells a source what became of the resources that it declares: the status columns
// of a table. It listens to the events of the ledger and writes beside the actions, so that a
// source that is locked or slow delays none of them. It knows no source and no provider.
package report
