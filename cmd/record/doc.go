// Package record has the commands that read what was recorded: status, inventory, show, why, prove, history, diff,
// claims, audit and store.
package record
