// Package proof makes files that prove the history of a resource by the signed audit log alone: what was
// configured and observed, the policies that reviewed its plans, who approved them, the calls, and for each
// batch of records the hashes that lead from it to a signed checkpoint.
//
// wal/FORMAT.md has the format. tools/verify checks such a file with that page only, and imports
// nothing of ovi. A file is made from the log; the store is not read.
package proof
