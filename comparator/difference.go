package comparator

import "github.com/ovi-project/ovi/resource"

// DifferenceType is what kind of difference it is.
type DifferenceType string

// The six sorts of difference.
const (
	Missing     DifferenceType = "missing"     // wanted, in a scope that was seen, and not there
	Drifted     DifferenceType = "drifted"     // there, ours, and not as wanted
	Unwanted    DifferenceType = "unwanted"    // there, ours, and not wanted
	Unmanaged   DifferenceType = "unmanaged"   // there, and nobody's who uses ovi
	Conflict    DifferenceType = "conflict"    // wanted, but what is there belongs to someone else; or its marks are in doubt
	Unreachable DifferenceType = "unreachable" // wanted, in a scope that was not seen
)

// Difference is one thing that is not as it is wanted. Wanted and There point into the input.
type Difference struct {
	Type     DifferenceType
	Ref      resource.Ref
	Stack    string             // whose wish, or whose thing
	Desired  *resource.Desired  // nil for unwanted and unmanaged
	Observed *resource.Observed // nil for missing and unreachable
	New      *resource.Observed // of a replacement under way: the new resource, if it exists
	NewFits  bool               // New is as configured and not failing
	Changes  []resource.Change  // of drifted things; of missing ones the whole wish, From nil
	// Cause is of unknown ones why the scope was not seen; of foreign ones, where it is not
	// simply another owner, a *DuplicateError or a *MisplacedError.
	Cause error
}

// Applied is the wish last applied to a thing, where the record knows it. It answers for
// write-only attributes and for tags that were ours and are wished no more.
type Applied struct {
	Attrs resource.Attrs
	Tags  resource.Tags
}

// Input is everything Compare looks at. It is not changed. Wishes and things that come
// sorted by ref are merged as they are; others are sorted first.
type Input struct {
	Intents []resource.Intent
	Live    resource.LiveState
	Kinds   func(provider, kind string) (resource.Kind, bool)
	// Applied is asked only about things whose tags differ or whose wish mentions a
	// write-only attribute. Nil: nothing is remembered.
	Applied func(resource.Ref) (Applied, bool)
	// Blessed says what the record knows as blessed. A wanted thing that should be blessed
	// and does not carry the mark differs by that.
	Blessed func(resource.Ref) bool            // nil: nothing
	Digest  func(plain string) resource.Digest // of texts with references; see resource.Resolver
	Owner   string                             // the owner mark that ours carry; "": not compared
	// MustReplace gives the paths of this very wish that a provider could not change on this very
	// thing: what differs there takes a new one, whatever the schema hoped. Nil: none.
	MustReplace func(*resource.Desired, *resource.Observed) []string
}

// Result is what Compare found.
type Result struct {
	Differences []Difference   // sorted by ref
	Unchanged   int            // wanted things that are as wanted
	Owned       map[string]int // things there that belong to each of the intents' stacks
	// NotVerified are configured resources with attributes that can neither be read back nor
	// are on record: whether they are as configured is not known.
	NotVerified []Unverified
}

// Unverified is a resource, and the paths that could not be compared.
type Unverified struct {
	Ref   resource.Ref
	Paths []string
}
