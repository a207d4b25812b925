// Package metrics counts what goes by on the stream of events: actions by outcome, how long
// they took, looks and their failures. It promises that counting never blocks on I/O and
// never fails; it knows nothing of who reads the counts.
package metrics
