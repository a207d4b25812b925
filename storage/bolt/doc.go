// Package bolt implements a store in one bbolt file, for the processes of one host.
//
// It keeps the promises of package storage: a commit that returned is durable and complete, every
// past revision is readable until it is compacted, and damage is an error, never wrong data. Leases
// are measured by this host's clock, so the file must not be on a network file system.
//
// # The file is never kept locked
//
// bbolt's lock excludes every other process, readers too, for as long as the file is open.
// So each operation takes that lock, works and releases it; long reads lock once for each
// chunk, and the lock is free while a caller works. Between operations the file may stay
// open and mapped, because mapping it and touching its pages again costs more than reading
// them: five times as much for a scan. The state of a handle is checked each time: the file
// at the path is the same, its meta pages are valid, and before a write no other process has
// written. A waiter polls every few milliseconds at most; bbolt's own wait polls every 50 ms.
//
// # Layout
//
//	bucket   key                                  value
//	meta     "state"                              magic, format, revision, counters, checksum
//	cur      key                                  its newest version (deletions too)
//	hist     revision that superseded it ‖ key    the older version, byte for byte
//	log      revision ‖ part                      the keys that it changed
//	groups   the key's first parts                number and sum of their entries in cur
//	leased   key                                  its only version
//	leases   id                                   time to live, deadline, boot
//
//	version: sum(4) flags(1) modified created [ordinal jump] [lease] value
//
// The alternatives measured were key-major (key ‖ revision), revision-major with an index in
// memory, and packed blocks. Key-major gets slower with each version of a key (2.6 to 13.6 ms
// for the newest of 10,000 keys after 500 revisions), the index would have to be rebuilt at each
// open, and blocks need one for the history of a key. With newest and older versions separate, a
// scan of all keys has the speed of bbolt however long the history is; and since the key of an
// older version starts with the revision that replaced it, history is only appended (full
// pages, one page write for many versions) and a compaction removes a contiguous range.
//
// The revision that wrote a version is the one that superseded the version before it, so
// versions form a chain without pointers; and each carries one jump further back (Myers,
// "An applicative random-access stack", 1983), so that any past version of a key is found
// in a logarithmic number of steps, also for a key that is written in every commit.
//
// # Damage
//
// bbolt has no checksums for its data pages. Here each version has a CRC32C over its key and
// itself, each group of keys a count and a sum of checksums (so that a scan detects a page that
// is missing or stale), chains must end where they say, the absence of a key is accepted only
// between two valid neighbors, and both of bbolt's meta pages must be valid. Reads run
// with faults turned into panics and panics into ErrCorrupt. What remains is in flip_test.go:
// a read of one key, or a guard on it, can be misled by a page that lost its last
// entries or was replaced by its own past, until the next scan of the group finds it.
package bolt
