// Package stackref replaces references to outputs of other stacks by their recorded values. The record of each value
// becomes part of the plan. The package only reads.
package stackref
