// Package edge has the commands for edge sites: the orchestrators, nodes, tokens, locks, rehearsals and status.
package edge
