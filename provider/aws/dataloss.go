package aws

import (
	"fmt"

	"github.com/ovi-project/ovi/resource"
)

// loseDatabase is what is lost with a database. Whether a final snapshot is taken is a matter of
// the configuration, never of what the database carries.
func loseDatabase(o resource.Observed, last resource.Attrs) string {
	if skipsSnapshot(last) {
		return gib("database", o) + ". No final snapshot is taken."
	}
	return gib("database", o) + ". A final snapshot is taken."
}

// skipsSnapshot says that a database is deleted without a final snapshot.
func skipsSnapshot(last resource.Attrs) bool {
	keep, set := flag(last, "final_snapshot")
	return set && !keep
}

func loseVolume(o resource.Observed, _ resource.Attrs) string { return gib("volume", o) }

func gib(what string, o resource.Observed) string {
	for _, name := range []string{"storage", "size"} {
		if n, ok := number(o.Attrs, name); ok {
			return fmt.Sprintf("%s, %d GiB", what, n)
		}
	}
	return what
}

// loseBucket: AWS deletes only empty buckets, and ovi empties none.
func loseBucket(resource.Observed, resource.Attrs) string {
	return "bucket. AWS refuses to delete it while it holds objects."
}
