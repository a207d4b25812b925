// Package metrics counts events: actions by outcome, their duration, observations and their
// failures. Counting never blocks on I/O and never fails; the package does not know who reads
// the counts.
package metrics
