// Package identity says who may speak for a node of a site. The authority of a site signs one certificate for
// each node, against a token that is for one node, for fifteen minutes and for one use. A certificate is for
// the name that the authority gave, whatever its request says; a node that was revoked is refused from its next
// frame on.
package identity
