package decider

import (
	"cmp"
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// CompareNatural orders refs as Ref.Compare does, but compares the numbers in names by value: web-2 is before
// web-10. Plans and results list the members of a count in this order.
func CompareNatural(a, b resource.Ref) int {
	return cmp.Or(a.Scope().Compare(b.Scope()), strings.Compare(a.Kind, b.Kind), compareNames(a.Name, b.Name),
		strings.Compare(a.Stack, b.Stack))
}

// compareNames returns 0 only for equal names: if all numbers have the same value, as in web-1 and web-01, the
// bytes decide.
func compareNames(a, b string) int {
	x, y := a, b
	for x != "" && y != "" {
		m, n := leadingDigits(x), leadingDigits(y)
		order := cmp.Compare(x[0], y[0])
		if m > 0 && n > 0 {
			p, q := strings.TrimLeft(x[:m], "0"), strings.TrimLeft(y[:n], "0") // numbers of any length
			order = cmp.Or(cmp.Compare(len(p), len(q)), strings.Compare(p, q))
		} else {
			m, n = 1, 1
		}
		if order != 0 {
			return order
		}
		x, y = x[m:], y[n:]
	}
	return cmp.Or(cmp.Compare(len(x), len(y)), strings.Compare(a, b))
}

func leadingDigits(s string) int { return len(s) - len(strings.TrimLeft(s, "0123456789")) }
