// Package ledger is the only way to record. It appends events to the log, projects them into the
// store in one transaction per batch, and then calls the listeners, in that order. Nothing else
// appends to the log or commits unleased keys to the store.
//
// When Record returns, its events are durable in the log and in the store, and every query
// includes them. One batch is one revision of the store, so that a replay of the log gives the
// same revisions. A log or store that cannot be written breaks the ledger: every later Record
// fails with ErrBroken until it is opened again, and callers must not act. A store that cannot be
// read for a moment is read again; if it still cannot be read, Record fails and nothing is broken,
// because nothing was appended (package record).
//
// # The store as a projection
//
// All kinds of stores have the same keys. Values are canonical JSON; package rows has their types.
// A ref in a key has its stack at the end, so that all resources of a scope are side by side.
//
//	log/<instance>            last projected record, its chain value and the time of the batch:
//	                          every batch writes it, so its history maps revisions to times
//	resource/<ref>            the last observation of a resource, managed or not
//	scan/<scope>              the last observation of a scope: when, complete or why not, how many
//	stack/<scope>/<stack>     the stack owns something in the scope
//	applied/<ref>             what was last applied to a resource (secrets as digests)
//	open/<ref>                an action whose result is not recorded
//	late/<ref>                creates that were observed not done and may still take effect
//	tries/<ref>               attempts of configurations that did not succeed
//	restarts/<ref>            the last restarts of a resource because of its state
//	fights/<ref>              the values that ovi set once more because something else set them back
//	down/<scope>              its managed resources that are not healthy, and since when
//	blessed/<ref>             protected, or no longer: by whom, since when, why
//	binding/<ref>/<id>        a resource was created or adopted under a ref; kept when it ends
//	bound/<ref>               the live bindings of a ref, and its generation
//	identity/<scope>/<kind>/<id>  the ref that an id is bound to
//	moved/<ref>               the name that the resource of a ref was given
//	outage/<ref>              what was freed for a resource that is not up
//	replace/<ref>             a replacement that has not finished
//	last_good/<ref>           the configuration with which a resource was last healthy
//	exhausted/<ref>           a configuration without attempts left
//	wave/<stack>/<kind>/<name>  how far a configuration was rolled out
//	order/<stack>/<order>/<location>/<name>  what is frozen, locked or promoted
//	pin/<instance>/<other>    the key of another instance, as pinned by an instance
//	trust/<key>               what an operator decided about a key
//	trust_required            keys are not pinned at first use
//	cosigned/<of>/<by>        how far an instance saw the log of another, signed
//	certified/<instance>      where the log has the last digest of bindings
//	plan/<stack>              the last plan of a stack: id, hash, counts
//	confirmed/<plan>          who confirmed a plan
//	approval/<digest>/<who>   an approval that rules require, of a plan's proposals
//	used/<digest>/<who>       the plan that used an approval, and which approval
//	saved/<plan>              the file that a plan was saved to
//	required/<name>           a policy that every run needs, or no longer
//	roster/signers            the public keys of people, whose signatures count
//	recovery/roster           the recovery of the roster that was asked for last
//	recovery_seen/<instance>/<digest>  when an instance found a recovery that another one recorded
//	acts_certified/<instance> where the log lists the blessings, approvals and acknowledgments last
//	decided/<ref>             the last decision, and the plan that first made it
//	acknowledged/<ref>        an accepted drift: which, by whom, until when, why
//	loaded/<stack>            the version of the configuration that was last loaded
//	led/<stack>               the version that the leading loop of a stack has loaded: starts of loops are guarded by it
//	source/<stack>/<part>     the version and digest of a part of the stack's source, as accepted last; the part
//	                          without a name has the rules and options
//	accepted/<stack>/<ref>    a resource as its source configured it when it was accepted last
//	looked_up/<ref>           the resource of others that a lookup found at the last apply
//	output/<stack>/<name>     an output of a stack, with the record of the apply that set it
//	room/<ref>                the configuration for which the resource, or another one, was deleted
//	actions/<ref>             the last events about a resource; its history has the earlier ones
//
// Unchanged content is not written again, so an observation without changes is one small record.
//
// # Packages
//
// Ledger is the facade over four packages. Package record writes, package trust determines what the log and
// signatures prove, package project turns records into transactions, and package query reads the store.
// Their types have their names here too.
//
// Reader reads the store and the log and writes neither: present state here, the past in package
// history. Package replay rebuilds, compares and copies stores.
//
// Proof says whether a binding is proven now. It derives the table of bindings from this instance's log, so
// a row that was edited in the store proves nothing. In a shared store, the rows of other instances are
// proven by signatures of trusted keys. Blessings, Approvals and Acknowledged, which lift or give
// protection, return only rows that are proven in the same way; Contradictions lists where the store
// differs.
//
// # Shared stores
//
// Several instances may record into one store (Config.Shared), each with its own log. Package record
// describes how their batches keep one order; package replay proves it. Two keys serve that order
// and are not facts:
//
//	first/<scope>             written when a stack first owns something in the scope
//	epoch                     how often the revisions were numbered again; -1 means being rebuilt
//
// A result that was logged under a claim counts only if the claim was still valid when it reached
// the store. If not, the next batch records that (Refused), and a replay omits it. A batch that only ends
// bindings counts in any case.
//
// # The data directory
//
//	wal/             the log; the key that signs it is elsewhere (Config.Home)
//	store.db         the store, unless another one was given
//	runs/            one locked file per running process, so that claims of crashed runs are freed
//
// The ledger does not know providers and decides nothing.
package ledger
