// Package accepted keeps what sources configure, so that a plan can use it while a source or a part of it cannot be
// read: Events returns what to record of the configurations that were read, and Restore completes those that were not.
package accepted
