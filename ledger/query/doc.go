// Package query reads the store and the log of a ledger and writes neither. It returns the present state;
// package history returns the past.
package query
