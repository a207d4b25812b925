// Package fleet has the table of the example, for tests.
package fleet

import _ "embed"

// Clusters creates Kindler's table clusters, as its scripts and its web backend do, and inserts six rows.
//
//go:embed clusters.sql
var Clusters string
