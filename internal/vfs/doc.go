// Package vfs is the file system of the log and the stores.
//
// It promises what a durable program relies on: which bytes are durable after
// which call. OS is the real one. Mem keeps everything in memory, fails or stops
// at any chosen operation, and simulates power cuts: bytes that were not synced
// survive or not, sector by sector, in any order, and a sector may be torn.
//
// It is independent of logs, stores and resources.
package vfs
