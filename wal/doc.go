// Package wal is a write-ahead log. Records are durable and in order once they
// are appended, and are read back unchanged, or an error names what was changed.
//
// It promises:
//
//   - When Append returns, its records are on disk behind everything appended
//     before, whatever happens to the process or the power afterwards. The disk
//     may lose what was not synced, in any order and within sectors; it must not
//     damage bytes around those it writes.
//   - A batch is complete or absent. One that a crash cut short is removed when
//     the log is opened, and TornWrite reports it.
//   - Damage is never skipped. A changed byte, a record removed or moved, a
//     segment missing or from another log is a *CorruptError with segment, offset
//     and record number. Each record has a CRC32C, and each batch a BLAKE3 hash
//     over itself and the hash before it, so that every byte is covered.
//   - The end is known. The lock file holds the last acknowledged position, and
//     the caller can store it elsewhere (WithFrontier), so that damage in the
//     last record is not taken for a torn write.
//   - Edits and foreign records are detected. Each batch and each segment header is
//     signed with ed25519 in the write that makes it durable, and the chain covers
//     everything before it. Open accepts only a log that ends with a signature of
//     the own key (or of a trusted one), for the cost of one signature. Verify detects
//     a tail that was cut off behind a statement stored elsewhere (Anchor). Such a
//     statement has the root of a Merkle tree over all batches, and verifies also
//     once their records were trimmed. The holder of the signing key can forge
//     everything behind it; the key is stored outside the directory.
//   - After a failed write or sync nothing is acknowledged until the log is
//     opened again, which rewrites or cuts what was never acknowledged. A full
//     disk refuses appends and leaves everything readable.
//   - Processes of one host append one after the other (Lock) and catch up with
//     each other; goroutines of one process share syncs (Log.Append). Readers
//     take no lock and read acknowledged records only.
//
// It has no knowledge of what records mean, who may append and what a store
// holds. It reads the clock only to stamp batches, starts no goroutine, and
// keeps only the last segment and two lock files open.
//
// wal/FORMAT.md describes the format.
package wal
