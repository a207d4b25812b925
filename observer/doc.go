// Package observer observes many scopes in parallel and returns one live state. A scope that could
// not be read has an error instead of a snapshot. A provider that panics, hangs or ignores its
// context affects its own scope only. The package keeps no state and draws no conclusions.
package observer
