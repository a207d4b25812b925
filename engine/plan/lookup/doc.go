// Package lookup finds the resources of others that configurations refer to, in live state. A lookup
// with several matches has no result, because no rule says which one is meant. The package only reads.
package lookup
