// Package operate performs what operators ask for explicitly: adopt, forget, move, bless, approve, retry, lock.
//
// Each action is recorded with its operator and reason, and signed if the operator has a key. An action
// changes only the marks of a resource.
package operate
