// Package clusters has the commands for the clusters of a table: reconcile, verify, consistency and run.
package clusters
