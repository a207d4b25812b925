// Package decider turns differences into a plan. It is pure. What is to be done about a
// difference is proposed by one table of rules; policies then veto, and can do nothing else.
package decider
