// Package observer observes many scopes in parallel and collects one live state. What a scope does
// not cover is named with its error, and a provider that panics, hangs or ignores its context
// affects its own scope only. It keeps no state and draws no conclusions.
package observer
