// Package gitlock keeps the folders of other repositories that a configuration uses. The file ovi.lock names a commit
// and a digest for each of them, a cache has their files, and a fetcher brings them.
//
// A folder is read from the cache alone, as one file whose bytes have the digest of the lock: a changed file is an
// error, and nothing in a folder becomes a path of the operating system. Both files are written apart and renamed, so
// that another process finds them whole or not at all. Only the fetcher uses the network.
package gitlock
