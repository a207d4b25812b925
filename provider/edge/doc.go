// Package edge is the provider of containers on the nodes of sites. Each node is a location SITE/NODE. A
// node dials in and reports what runs on it; nothing is concluded of a node whose newest report is older
// than its lease. An action is accepted when the node has it, and ends with a later report.
//
// The package knows no container runtime: nodes do, in edge/node.
package edge
