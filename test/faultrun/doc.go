// Package faultrun runs five instances of ovi, a three-member etcd and a sandbox through kills,
// stops, partitions, clock steps and lost answers; package check then checks their records against
// what ovi promises. Three instances are the loop of `ovi run`, two run plan and apply in cycles.
//
// With root and iproute2 each instance and member has a network namespace, and partitions drop
// packets; elsewhere proxies block what is sent. OVI_FAULTS_NET chooses ("namespaces", "proxies"),
// and the test's log names the kind.
//
// Everything but this comment and package check is in test files, which no program contains. So is
// the one way to switch fencing off, with which the run must fail.
//
//	go test -run TestFaultRun -v .                      10 s of faults, 60 resources
//	OVI_FAULTS=3m go test -run TestFaultRun -v .        500 resources; OVI_FAULTS_SEED, _THINGS, _KEEP
//	OVI_FAULTS=30m go test -run TestFaultRun -timeout 60m -v .
//	OVI_FIGURES=1 go test -run TestFigures -v .         the figures of docs/dev/evidence.md
package faultrun
