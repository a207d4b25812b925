package rules

import (
	"fmt"
	"strconv"
	"strings"
)

// Budget limits how many resources one plan destroys: a number, or a percentage of the stack's
// resources. Without Set there is no limit.
type Budget struct {
	Set     bool `json:"set,omitempty"`
	Count   int  `json:"count,omitempty"`
	Percent bool `json:"percent,omitempty"`
}

// ParseBudget parses a limit on destroyed resources: "10" of them, or "10%" of the stack's.
func ParseBudget(s string) (Budget, error) {
	digits, percent := strings.CutSuffix(strings.TrimSpace(s), "%")
	n, err := strconv.Atoi(strings.TrimSpace(digits))
	if err != nil || n < 0 || percent && n > 100 {
		return Budget{}, fmt.Errorf("rules: invalid limit %q: use a number of resources, such as 10, or a percentage, "+
			"such as 10%%", s)
	}
	return Budget{Set: true, Count: n, Percent: percent}, nil
}

// String returns the form that ParseBudget reads; "" for no limit.
func (b Budget) String() string {
	switch {
	case !b.Set:
		return ""
	case b.Percent:
		return strconv.Itoa(b.Count) + "%"
	}
	return strconv.Itoa(b.Count)
}

// Allows reports whether n of the owned resources may be destroyed. A percentage is exact: 10%
// of 5 resources allows none.
func (b Budget) Allows(n, owned int) bool {
	switch {
	case !b.Set || n == 0:
		return true
	case b.Percent:
		return n*100 <= b.Count*owned
	}
	return n <= b.Count
}
