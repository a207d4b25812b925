// Package locate finds what a plan has to observe: the locations of configured and recorded resources, and
// the scopes inside resources, with the locations that the providers resolve.
package locate
