// Package storage says what a store must promise: revisioned keys (MVCC), guarded
// transactions, leases, change feeds and compaction. It knows nothing of resources.
//
// A store is a projection: everything durable in it can be rebuilt from the log, except
// leased keys, which are meant to vanish. The interface maps one to one on an etcd
// transaction and on one bbolt update; storagetest holds the conformance suite that each
// implementation passes.
package storage
