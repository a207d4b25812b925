// Package ledger is the one way to record. It appends events to the log, projects them into
// the store in one transaction a batch, and then tells the listeners, in that order. Nothing
// else appends to the log or commits unleased keys to the store.
//
// When Record returned, its events are durable, in the log and in the store, and every query
// sees them. One batch of events is one revision of the store, so that a replay of the log
// gives the same revisions again. A log or store that could not be written breaks the ledger:
// every later Record fails with ErrBroken until it is opened anew, and whoever was about to
// act must not. A store that cannot be read for a moment is waited for; one that still cannot
// be read fails the Record and breaks nothing, for nothing was appended (see patience.go).
//
// # The store as a projection
//
// The same keys stand in every kind of store; values are canonical JSON.
//
//	log/<instance>          last applied sequence and chain value, and the time of the batch:
//	                        written by every batch, so its history maps revisions to times
//	thing/<ref>             what was last seen of a thing, managed or not
//	scan/<scope>            the last look at a scope: when, complete or why not, how many
//	stack/<stack>/<scope>   the stack owns something in the scope
//	applied/<ref>           what was last applied to a thing (secrets as digests)
//	open/<ref>              an action that began and has not ended
//	tries/<ref>             failures in a row of one wish
//	blessed/<ref>           protected: by whom, since when, why
//	plan/<stack>            the last plan of a stack: id, hash, counts
//	approved/<plan>         who said yes to doing a plan
//	consent/<digest>/<who>  an approval that rules ask for, of what a plan proposes
//	decided/<ref>           the last decision on a thing, and in which plan it was first made
//	acked/<ref>             a drift that may stay for a while: which, by whom, until when, why
//	loaded/<stack>          the version of the wishes that was last read
//	binding/<ref>/<id>      what proves that a resource was created or adopted under a ref; kept
//	                        when it ends
//	bound/<ref>             the live bindings of a ref, and how many there were
//	identity/<scope>/<kind>/<id>  the ref that an id is bound to
//	acts/<ref>              the last events about a thing; the ones before are its history
//
// # Asking
//
// How log/<instance> stood at a revision tells which batch of whose log made it, and when. So
// times are found by bisection (clock), and the records of one thing by opening the log at the
// batches that its keys name (gatherer), each held against the chain value that the store has
// of it. The log is read through only for what the store has forgotten.
//
// Several instances may record into one store (Config.Shared), each with its own log: see
// shared.go for how their batches stay in one order, Merge for the proof, and Logs for what a
// store that was lost comes back from. Two more keys then keep order, and are no facts:
//
//	first/<scope>           touched when a stack first owns something there
//	era                     how often the revisions were numbered anew, -1: it is being rebuilt
//
// Unchanged content is not written again, so a quiet world costs one small record a scan.
//
// An outcome that was logged under a claim counts only if the claim still stood when it
// reached the store; if not, the next batch says so (Refused), and a replay leaves it out.
//
// # The data directory
//
//	wal/, wal.key    the log and the key that signs it
//	store.db         the store, unless another one was given
//	runs/            a locked file for each living process, so that nobody waits for the dead
//
// The ledger knows nothing of providers and decides nothing.
package ledger
