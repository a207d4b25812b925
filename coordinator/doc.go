// Package coordinator grants claims: the exclusive right to act on one resource at a time, among
// the goroutines, processes and hosts that share a store.
//
// It promises, for each ref: the store holds the claim of at most one instance; its token only grows from
// holder to holder; a commit under Guard(ref, token) is applied while that claim exists, or not at all; the
// context of a Hold ends before the claim can expire, even if the process was stopped, the host slept or
// the store is unreachable; and the claims of a crashed holder expire after their TTL without an operator.
//
// It cannot promise that a call to a provider that was under way when its claim was lost has no effect: a
// lease alone never can (Kleppmann, "How to do distributed locking", 2016). Therefore outcomes are guarded,
// and open actions are resolved by observing.
//
// All claims of an instance share one lease with one heartbeat: a lease for each claim would take
// two to three times as long to acquire, and 10,000 of them would cost 2,000 renewals a second. No
// wall-clock times of two machines are ever compared: the store measures the lease, the holder
// counts on its own clocks from before its request, a waiter tries again.
//
// It is independent of resources, providers and the log. A ref is an opaque string.
package coordinator
