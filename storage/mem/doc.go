// Package mem is a store in memory, the simplest implementation of package storage. Tests use
// it, and it is the reference of the state machine of storagetest. Its content ends with the
// process.
package mem
