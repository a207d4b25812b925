// Package mem is a store in memory: the plainest thing that keeps the promises of package
// storage. Tests use it, and the state machine of storagetest takes it as the reference of
// what a store must do. It promises nothing beyond the life of the process.
package mem
