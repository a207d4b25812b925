// Package session is one command being run: its options, its screen, the source that its arguments name, and what it
// opens (the ledger, the store, the providers, the engine). Commands build on it; it knows none of them.
package session
