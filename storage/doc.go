// Package storage defines the interface of a store: revisioned keys (MVCC), guarded
// transactions, leases, change feeds and compaction. It is independent of resources.
//
// A store is a projection: everything durable in it can be rebuilt from the log, except
// leased keys, which are temporary. The interface maps one to one on an etcd transaction
// and on one bbolt update; storagetest is the conformance suite of all implementations.
package storage
