// Package report writes the results of the declared resources back to their source, such as the status
// columns of a table. It listens to the events of the ledger and writes in parallel to the actions, so that
// a locked or slow source delays none of them. It depends on no source and no provider.
package report
