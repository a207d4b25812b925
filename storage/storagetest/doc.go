// Package storagetest tests the promises of package storage: Run is the conformance suite,
// Machine compares a store with the one in memory over random histories, Expiry tests the end of
// leases.
// A new store is one line in a test:
//
//	storagetest.Run(t, func(t testing.TB) storage.Store { ... })
package storagetest
