// Package session reads the source that the arguments of a command name, and opens the ledger, the providers and the
// engine for it. The commands build on it; it knows none of them.
package session
