// Package comparator compares configuration with live state. Bind determines which observed
// resources the audit log proves to be ovi's; Compare finds the differences. Both are pure: the
// same input gives the same output, in whatever order the input is. Compare merges two sorted
// lists, and its allocations grow with the number of differences, not of resources.
//
// Compare draws no conclusion from a scope or kind that was not read in full: its configured resources are
// unreachable, never missing. A resource without a live binding is never the stack's, whatever its marks
// say. Package decider decides which action a difference needs.
package comparator
