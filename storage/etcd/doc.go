// Package etcd implements a store in etcd, for several hosts. Revisions, guards and leases are
// etcd's own (https://etcd.io/docs/latest/learning/api_guarantees/): reads are linearizable,
// a commit is durable on a majority when it returns, and an answer that was lost is
// ErrUnknown, not failure.
//
// Layout, under the prefix of the store:
//
//	c/format          version of this layout
//	c/head            written by every commit of unleased keys: its mod revision is the store's
//	                  revision, so that other users of the cluster and claims do not move it
//	c/compacted       the revision below which reads are refused
//	c/staged          a commit too large for one etcd transaction that is being applied
//	c/big/<revision>  the span of etcd revisions such a commit took
//	d/<key>           the keys, leased or not
//	s/<id>/<n>        the operations of a large commit, in parts
//
// A commit that fits in one etcd transaction is one. A larger one (etcd's defaults: 128
// operations, 1.5 MiB) is first written in parts under s/. One transaction then checks its
// guards and puts c/staged: that decides it. The operations are applied part by part, each
// under a guard on c/staged, and a last transaction moves c/head and deletes c/staged. While
// c/staged exists no other client commits unleased keys, and readers read at the revision of
// c/head before it: they see the commit completely or not at all. A client that finds c/staged
// while its writer has crashed, or has stopped (etcd has not changed for a second), finishes
// it. Every part is applied once.
package etcd
