package term

import (
	"fmt"
	"strings"
)

// Many is a number with its noun: "1 batch", "2 batches", "3 logs".
func Many[N ~int | ~int64 | ~uint64](n N, one string) string {
	switch {
	case n == 1:
		return "1 " + one
	case strings.HasSuffix(one, "ch"):
		one += "e"
	}
	return fmt.Sprintf("%d %ss", n, one)
}
