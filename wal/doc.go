// Package wal is a write-ahead log that can be trusted: records go in, durable
// and in order, and come out again as they were, or an error says where they
// are not.
//
// What it promises:
//
//   - What Append returned for is on disk, behind everything appended before
//     it, whatever happens to the process or the power afterwards. The disk may
//     lose what was not synced, in any order and within sectors; it must not
//     damage bytes around those it writes.
//   - A batch is whole or absent. One that a crash cut short is removed when
//     the log is opened, and reported by Torn.
//   - Damage is never skipped. A changed byte, a record removed or moved, a
//     segment missing or from elsewhere is a *CorruptError with segment, offset
//     and record number. Each record has a CRC32C, and each batch a BLAKE3 hash
//     over itself and the hash before it, so no byte stands outside.
//   - The end is known. The last acknowledged place also stands in the lock
//     file, and the caller can keep it elsewhere (WithFrontier), so that damage
//     in the last record does not pass for a torn append.
//   - Edits can be proven. Checkpoints signed with ed25519 stand in the log, at
//     least one in each sealed segment; Verify checks them all, and finds a tail
//     that was cut off behind a checkpoint kept elsewhere (Checkpoint.String).
//     Who has the signing key can forge; it lies outside the directory.
//   - After a failed write or sync nothing more is acknowledged until the log
//     is opened again: then what nobody acknowledged is written once more or
//     cut. A full disk refuses appends and leaves everything readable.
//   - Processes of one host append in turn (Lock), each knowing what the others
//     appended; goroutines of one process share syncs (Log.Append). Readers take
//     no lock and see acknowledged records only.
//
// What it does not know: what records mean, who may append, what belongs into a
// store. It reads the clock only to stamp batches, starts no goroutine, and
// keeps nothing of the directory open but the last segment and two lock files.
//
// The format is drawn in docs/wal-format.md.
package wal
