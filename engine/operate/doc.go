// Package operate performs what operators ask for explicitly: adopt, forget, move, bless, approve, retry, lock.
//
// Each action is recorded with who asked for it and why, and signed if the operator has a key. An action
// changes nothing of a resource but its marks.
package operate
