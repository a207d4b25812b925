// Package project turns the records of a batch into one transaction of the store. The same store and the
// same records give the same transaction, so a replay of the log gives the same revisions. The package
// commits nothing.
package project
