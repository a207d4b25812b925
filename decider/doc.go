// Package decider turns differences into a plan. It is pure: time, history and limits are passed
// in as Facts, and the same input gives the same plan, byte for byte.
//
// One table of rules proposes an action for each difference: the first rule that matches decides.
// Policies then review the proposals and may block some; they can do nothing else. A decision that
// must follow a blocked one is blocked too. Steps orders the remaining actions so that they can
// run in parallel.
//
// The decider does not know how actions are performed or where facts come from.
package decider
