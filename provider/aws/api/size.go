package api

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// sizePattern matches the last part of instance types and classes.
var sizePattern = regexp.MustCompile(
	`^(nano|micro|small|medium|large|[0-9]*xlarge|metal(-[0-9]+xl)?|tpc[0-9].*|mem[0-9].*)$`)

// ValidSize finds a misspelled size of an instance type, such as t3.mirco, or of an instance class, such as
// db.t3.mirco. A word that resembles no size passes, because AWS adds types.
func ValidSize(v resource.Value) []resource.Problem {
	text, _ := v.(resource.String)
	i := strings.LastIndexByte(string(text), '.')
	if i < 0 || sizePattern.MatchString(string(text[i+1:])) {
		return nil
	}
	sizes := []string{"nano", "micro", "small", "medium", "large", "xlarge", "metal"}
	for _, n := range []int{2, 3, 4, 6, 8, 9, 10, 12, 16, 18, 24, 32, 48} {
		sizes = append(sizes, fmt.Sprintf("%dxlarge", n))
	}
	near, ok := resource.Nearest(string(text[i+1:]), sizes)
	if !ok {
		return nil
	}
	return []resource.Problem{{
		Summary:    fmt.Sprintf("unknown size %q", text[i+1:]),
		Suggestion: fmt.Sprintf("use %s.%s", text[:i], near),
	}}
}
