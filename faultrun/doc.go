// Package faultrun makes five instances of ovi, a three-member etcd and a practice cloud go
// through kills, stops, partitions, clock steps and lost answers, and then has package check
// prove from the histories that nothing was done which should not have been. Three instances
// are the loop of `ovi run`, two go from one plan and apply to the next.
//
// Where root and iproute2 are there each instance and member has a network namespace, and
// partitions drop packets; elsewhere proxies hold back what is sent. OVI_FAULTS_NET says which
// ("namespaces", "proxies"), and the test's log which it was.
//
// It is a test and nothing else: everything but this comment and package check stands in
// files that no program contains. So does the one way to switch fencing off, with which the
// run must fail.
//
//	go test -run TestFaultRun -v .                      10 s of faults, 60 things
//	OVI_FAULTS=3m go test -run TestFaultRun -v .        500 things; OVI_FAULTS_SEED, _THINGS, _KEEP
//	OVI_FAULTS=30m go test -run TestFaultRun -timeout 60m -v .
//	OVI_FIGURES=1 go test -run TestFigures -v .         the figures of docs/benchmarks.md
package faultrun
