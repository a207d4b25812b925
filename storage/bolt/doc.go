// Package bolt keeps a store in one bbolt file, for the processes of one host.
//
// It promises what package storage asks: a commit that returned is durable and whole, any
// past revision reads as it was until it is compacted, and damage is an error, never wrong
// data. It knows nothing of resources, and nothing of other hosts: leases are judged by
// this host's clock, so the file must not lie on a network file system.
//
// # The file is never kept locked
//
// bbolt's lock keeps every other process out, readers too, for as long as the file is open.
// So each operation takes that lock, works and lets it go; long reads come back for each
// chunk, and nothing is held while a caller works. Between operations the file may stay
// open and mapped, because mapping it and touching its pages anew costs more than reading
// them: five times as much for a scan. What a handle remembers is checked each time: the
// file at the path is the same, its meta pages are whole, and before a write nobody else
// has written. A waiter looks every few milliseconds at most; bbolt's own waiting looks
// every 50 ms.
//
// # Layout
//
//	bucket   key                                  value
//	meta     "state"                              magic, format, revision, counters, sum
//	cur      key                                  its newest version (deletions too)
//	hist     revision that superseded it ‖ key    the older version, byte for byte
//	log      revision ‖ part                      the keys that it changed
//	groups   the key's first parts                number and sum of their entries in cur
//	leased   key                                  its only version
//	leases   id                                   time to live, deadline, boot
//
//	version: sum(4) flags(1) modified created [ordinal jump] [lease] value
//
// Measured beside it were key-major (key ‖ revision), revision-major with an index in
// memory, and packed blocks. Key-major gets slower with each version of a key (2.6 to
// 13.6 ms for the newest of 10,000 things after 500 revisions), the index would have to be
// rebuilt at each open, and blocks have no history of one key without one. Newest and older
// versions apart keep the scan of the world as fast as bbolt scans anything, however long
// the history; and since an older version is filed under the revision that replaced it,
// history is only ever appended (full pages, one page write for many versions) and a
// compaction drops a contiguous beginning.
//
// The revision that wrote a version is the one that superseded the version before it, so
// versions form a chain without pointers; and each carries one jump further back (Myers,
// "An applicative random-access stack", 1983), so that any past version of a key is found
// in a logarithmic number of steps, also for a key that is written in every commit.
//
// # Damage
//
// bbolt has no sums for its data pages. Here each version carries a CRC32C over its key and
// itself, each group of keys a count and a sum of sums (a scan of a group that lost or aged
// a page is found out), chains must end where they say, that a key is absent is believed
// between two sound neighbours only, and both of bbolt's meta pages must be whole. Reads run
// with faults turned into panics and panics into ErrCorrupt. What remains is in flip_test.go:
// a read of one key, or a guard on it, can be misled by a page that lost its last
// entries or was replaced by its own past, until the next scan of the group finds it.
package bolt
