package resource

import (
	"fmt"
	"strconv"
	"strings"
)

// ParseBudget reads a blast radius: "10" things, or "10%" of the stack's things.
func ParseBudget(s string) (Budget, error) {
	digits, percent := strings.CutSuffix(strings.TrimSpace(s), "%")
	n, err := strconv.Atoi(strings.TrimSpace(digits))
	if err != nil || n < 0 || percent && n > 100 {
		return Budget{}, fmt.Errorf("resource: %q is no limit: write a number of things, such as 10, or a share, such as 10%%", s)
	}
	return Budget{Set: true, Count: n, Percent: percent}, nil
}

// String is the form ParseBudget reads; "" is no limit.
func (b Budget) String() string {
	switch {
	case !b.Set:
		return ""
	case b.Percent:
		return strconv.Itoa(b.Count) + "%"
	}
	return strconv.Itoa(b.Count)
}

// Allows says that n of owned things may be destroyed. A share is exact: of 5 things 10 %
// allows none.
func (b Budget) Allows(n, owned int) bool {
	switch {
	case !b.Set || n == 0:
		return true
	case b.Percent:
		return n*100 <= b.Count*owned
	}
	return n <= b.Count
}
