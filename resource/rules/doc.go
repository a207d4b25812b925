// Package rules declares the limits that a source sets on a stack: maintenance windows, budgets,
// approvals, expressions, and what is not compared. Rules only block actions or hide
// differences; none of them starts an action.
//
// They are values with pure functions. The package knows actions and kinds by their names only,
// imports nothing of ovi but positions, and has no clock: the time comes in.
package rules
