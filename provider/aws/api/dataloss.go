package api

import (
	"fmt"

	"github.com/ovi-project/ovi/resource"
)

// Gib describes the data of a resource with a size in GiB.
func Gib(what string, o resource.Observed) string {
	for _, name := range []string{"storage", "size"} {
		if n, ok := Number(o.Attrs, name); ok {
			return fmt.Sprintf("%s, %d GiB", what, n)
		}
	}
	return what
}
