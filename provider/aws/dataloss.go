package aws

import (
	"fmt"

	"github.com/ovi-project/ovi/resource"
)

// loseDatabase is what is lost with a database. Whether a final snapshot is taken is a matter of
// the configuration, never of what the database carries.
func loseDatabase(o resource.Observed) string {
	return gib("database", o) + ". A final snapshot is taken unless final_snapshot is false."
}

func loseVolume(o resource.Observed) string { return gib("volume", o) }

func gib(what string, o resource.Observed) string {
	for _, name := range []string{"storage", "size"} {
		if n, ok := number(o.Attrs, name); ok {
			return fmt.Sprintf("%s, %d GiB", what, n)
		}
	}
	return what
}

// loseBucket: AWS deletes only empty buckets, and ovi empties none.
func loseBucket(resource.Observed) string {
	return "bucket. AWS refuses to delete it while it holds objects."
}
