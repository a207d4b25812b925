// Package coordinator gives the right to act on one thing at a time, among the goroutines,
// processes and hosts that share a store.
//
// It promises, for each ref: at most one instance's claim stands in the store; its token
// only grows from holder to holder; what is committed under Guard(ref, token) is committed
// while that very claim stands, or not at all; the context of a Hold ends before the claim
// can expire, also when the process was stopped, the host slept or the store is out of
// reach; and a dead holder's claims are free after their TTL without any human.
//
// It cannot promise that a call which was already on its way to a provider when its claim
// was lost has no effect: a lease alone never can (Kleppmann, "How to do distributed
// locking", 2016). That is why outcomes are guarded, and why what is left open is answered
// by observing.
//
// All claims of an instance hang on one lease with one heartbeat: a lease for each claim
// would be twice to three times slower to take, and 10,000 of them would cost 2,000 renewals
// a second. No wall-clock time of two machines is ever compared: the store judges the lease,
// the holder counts on its own clocks from before it asked, a waiter just tries again.
//
// It knows nothing of resources, providers or the log. A ref is an opaque string.
package coordinator
