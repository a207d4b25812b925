// Package observer looks at many scopes side by side and gathers one world. A scope is seen
// completely or not at all; what failed is named with its error, and a provider that panics
// or hangs costs its own scope only. It has no memory and draws no conclusions.
package observer
