// Package comparator tells the wish from the reality. Compare is one pure function: same
// input, same output, whatever the order of the input. It merges two sorted lists, and what
// it allocates grows with what differs, not with what there is.
//
// It concludes nothing from what was not seen: of a scope that failed, or that nobody looked
// at, it only says which wishes are unknown. It takes nothing for a stack's own that does not
// carry that stack's mark. It does not know what is to be done about a difference.
package comparator
