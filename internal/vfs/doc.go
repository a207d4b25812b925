// Package vfs is the file system that the log and the stores stand on.
//
// It promises just what a durable program needs to reason about: which bytes
// are safe after which call. OS is the real one. Mem keeps everything in
// memory, fails or stops at any chosen operation, and can show what a power
// cut would have left: bytes that were not synced survive or not, sector by
// sector, in any order, and a sector may be torn.
//
// It knows nothing of logs, stores or resources.
package vfs
