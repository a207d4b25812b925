package comparator

import "github.com/ovi-project/ovi/resource"

// Sort is what kind of difference it is.
type Sort string

// The six sorts of difference.
const (
	Missing   Sort = "missing"   // wanted, in a scope that was seen, and not there
	Drifted   Sort = "drifted"   // there, ours, and not as wanted
	Unwanted  Sort = "unwanted"  // there, ours, and not wanted
	Unmanaged Sort = "unmanaged" // there, and nobody's who uses ovi
	Foreign   Sort = "foreign"   // wanted, but what is there belongs to someone else
	Unknown   Sort = "unknown"   // wanted, in a scope that was not seen
)

// Difference is one thing that is not as it is wanted. Wanted and There point into the input.
type Difference struct {
	Sort    Sort
	Ref     resource.Ref
	Stack   string             // whose wish, or whose thing
	Wanted  *resource.Desired  // nil for unwanted and unmanaged
	There   *resource.Observed // nil for missing and unknown
	Changes []resource.Change  // of drifted things; of missing ones the whole wish, From nil
	Cause   error              // of unknown ones: why the scope was not seen
}

// Applied is what was last applied to a thing, where the record knows it. It answers for
// write-only attributes and for tags that were ours and are wished no more.
type Applied struct {
	Attrs resource.Attrs
	Tags  resource.Tags
}

// Input is everything Compare looks at. It is not changed.
type Input struct {
	Intents []resource.Intent
	World   resource.World
	Kinds   func(provider, kind string) (resource.Kind, bool)
	Applied func(resource.Ref) (Applied, bool) // nil: nothing is remembered
	// Blessed says what the record knows as blessed; the blessed tag counts as well.
	Blessed func(resource.Ref) bool // nil: nothing
}

// Result is what Compare found.
type Result struct {
	Differences []Difference   // sorted by ref
	Unchanged   int            // wanted things that are as wanted
	Owned       map[string]int // things there that belong to each of the intents' stacks
}
