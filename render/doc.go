// Package render shows plans, progress and the audit log to people (text in the width of their
// terminal) and to programs (JSON lines, YAML).
//
// No value is truncated, a sign and its ref are never on two lines, only a terminal gets color,
// a pipe gets whole lines only, and of a secret at most six digits of its keyed digest are
// shown. The package knows nothing of providers, stores or the engine: it gets plans, events
// and records, and a writer.
package render
