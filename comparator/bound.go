package comparator

import (
	"cmp"
	"slices"

	"github.com/ovi-project/ovi/resource"
)

// sortBound sorts resources in place; bound has the place of each one's live binding, or -1.
// Bindings are sorted by ref, so that only the others have to be. Resources are large: each is
// moved once.
func sortBound(all []resource.Observed, bound []int32) {
	if isSorted(all) {
		return
	}
	byRef := func(a, b int32) int { return cmp.Or(order(&all[a], &all[b]), int(a-b)) }
	from := merged(bound, byRef)
	if !slices.IsSortedFunc(from, byRef) {
		slices.SortFunc(from, byRef)
	}
	for start := range from {
		if from[start] < 0 {
			continue
		}
		first, at := all[start], start
		for int(from[at]) != start {
			next := int(from[at])
			all[at], from[at] = all[next], -1
			at = next
		}
		all[at], from[at] = first, -1
	}
}

// merged lists the resources in the order of their bindings, with those that have none, sorted,
// between them.
func merged(bound []int32, byRef func(a, b int32) int) []int32 {
	var at, rest []int32 // of each binding: its resource plus one
	for i, b := range bound {
		if int(b) >= len(at) {
			at = append(at, make([]int32, int(b)+1-len(at))...)
		}
		if b >= 0 && at[b] == 0 {
			at[b] = int32(i) + 1
		} else {
			rest = append(rest, int32(i))
		}
	}
	slices.SortFunc(rest, byRef)
	out := make([]int32, 0, len(bound))
	for _, i := range at {
		for i > 0 && len(rest) > 0 && byRef(rest[0], i-1) < 0 {
			out, rest = append(out, rest[0]), rest[1:]
		}
		if i > 0 {
			out = append(out, i-1)
		}
	}
	return append(out, rest...)
}

func isSorted(all []resource.Observed) bool {
	for i := 1; i < len(all); i++ {
		if order(&all[i-1], &all[i]) > 0 {
			return false
		}
	}
	return true
}
