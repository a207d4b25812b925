// Package settings reads what a configuration sets for a whole stack: rules, limits of time, what is
// not compared, and options. What two documents set must be the same.
package settings
