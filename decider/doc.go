// Package decider turns differences into a plan. It is pure: time, memory and limits come in
// as Facts, and the same input gives the same plan, byte for byte.
//
// What is to be done about a difference is proposed by one table of rules, read from top to
// bottom: the first rule that matches decides. Policies then look at the proposals and may
// veto some; they can do nothing else. What must go after something that is held back is
// held back too. Steps puts what is left into an order that is safe to walk with many hands.
//
// The decider does not know how anything is done, where facts come from or who asked.
package decider
