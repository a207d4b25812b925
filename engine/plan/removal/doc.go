// Package removal explains why a configuration no longer has a resource. It is pure: the caller reads the former
// positions of blocks.
package removal
