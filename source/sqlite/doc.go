// Package sqlite reads the table clusters of a SQLite database: one row declares one Kubernetes
// cluster. The table is Kindler's, unchanged; docs/clusters.md lists its columns.
//
// Load, Version and Reads write nothing, not even to a database of an older form: the columns that
// it lacks have their defaults. Report writes the status columns, and adds those that are missing;
// Remove deletes rows. Neither writes a column that declares something. The package starts no
// cluster and observes none: it knows schemas, not providers.
package sqlite
