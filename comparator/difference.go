package comparator

import "github.com/ovi-project/ovi/resource"

// DifferenceType is the type of a difference.
type DifferenceType string

// The six types.
const (
	Missing   DifferenceType = "missing"   // configured, and its absence was observed
	Drifted   DifferenceType = "drifted"   // configured and owned, but different
	Unwanted  DifferenceType = "unwanted"  // owned by a stack that does not configure it
	Unmanaged DifferenceType = "unmanaged" // exists, and is not proven to be ovi's
	// Conflict: configured, but what exists is not proven to be the stack's; or a bound resource's marks name
	// another.
	Conflict    DifferenceType = "conflict"
	Unreachable DifferenceType = "unreachable" // configured, but it could not be read
)

// Difference is one difference between configuration and live state. Desired, Observed and New
// point into the input.
type Difference struct {
	Type     DifferenceType
	Ref      resource.Ref       // its stack configures or owns it, or is named by its marks
	Desired  *resource.Desired  // nil for unwanted and unmanaged
	Observed *resource.Observed // nil for missing; for unreachable, unless only its content is unread
	New      *resource.Observed // in a replacement in progress: the new resource, if both exist
	// Replacing is the replacement in progress that must be finished or, if it Reverts, undone.
	Replacing *Replacing
	Reverts   bool
	Advice    string // of a resource that only fails, in a state that no action ends: what ends it
	// Renamed is the name under which the record has the resource; zero if the names agree. The record is changed
	// before anything is done to the resource.
	Renamed   resource.Ref
	Forget    bool              // of unwanted resources: the configuration says that it stays
	GivenTo   resource.Ref      // of unwanted resources: the name in another stack, which does not configure it yet
	Takes     []Take            // exclusive things that it needs and that other resources have
	Requested bool              // an operator asked for its replacement, whether it differs or not
	Changes   []resource.Change // of drifted resources; of missing ones every attribute, From nil
	// Cause is why an unreachable resource could not be read, or why the audit log does not prove
	// a conflicting or unmanaged one: an *UnreadError, *OwnershipError or *DuplicateError, or
	// the error of the provider.
	Cause error
}

// Applied is the configuration last applied to a resource, as recorded. Write-only
// attributes, and tags that are no longer configured, are compared with it.
type Applied struct {
	Attrs resource.Attrs
	Tags  resource.Tags
	// Unverified are write-only attributes that were configured, but never set by an action.
	Unverified []string
	// Recovered: an observation found what a creation without a result had created. Attributes that are set
	// after the creating call may not be set.
	Recovered bool
}

// Input is everything that Compare reads. Compare does not change it. Resources that are sorted by ref are
// merged directly; others are sorted first.
type Input struct {
	Intents []resource.Intent
	Live    resource.LiveState
	Kinds   func(provider, kind string) (resource.Kind, bool)
	// Applied is called only for resources whose tags differ or that set a write-only
	// attribute. Nil: nothing is recorded.
	Applied func(resource.Ref) (Applied, bool)
	// Blessed reports whether a resource is recorded as blessed. One whose mark differs from
	// that and the configuration has drifted. Nil means that none is.
	Blessed func(resource.Ref) bool
	Secrets resource.Digester // of secrets; see resource.DiffOptions
	Owner   string            // the owner mark that ovi writes; "" means not compared
	// MustReplace returns the paths of this configuration that the provider could not change in
	// place on this resource: a difference there forces replacement, whatever its schema says.
	// Nil: there are none.
	MustReplace func(*resource.Desired, *resource.Observed) []string
	// Replace reports that an operator asked to replace a configured resource. It must be pure. Nil: none
	// was asked for.
	Replace func(resource.Ref) bool
	// Unknown reports that a ref is of a resource of others that was not found: nothing follows from references to it.
	// Nil: there are none.
	Unknown func(resource.Ref) bool
	// MovedAway returns the name that the record gave to the resource which had a name, by a command or by the
	// configuration; false if the name was used again since. Nil means that nothing was moved.
	MovedAway func(resource.Ref) (resource.Ref, bool)
	// Renamed reports that the record has the rename of a resource from one name to another. Nil means that it
	// has none.
	Renamed func(from, to resource.Ref) bool
	// Exchanged returns the name with which the record exchanged the name of a resource, if the resource is configured as
	// the other one was: the configuration has not been edited since. Nil: no names were exchanged.
	Exchanged func(*resource.Desired) (resource.Ref, bool)
	// Arrived returns the ref in another stack from which a resource was moved to a ref that its new stack has not
	// configured yet: it is missing in a configuration that was never edited, and not removed. Nil: none has arrived.
	Arrived func(resource.Ref) (resource.Ref, bool)
	// Others returns what the last accepted configurations of the stacks that are not compared declare. Nil: they
	// declare nothing.
	Others Others
	// Plain reports that a resource was configured outside of components when its configuration was accepted last. Nil:
	// none was.
	Plain func(resource.Ref) bool
	// Known reports that the record had a resource under a name, which is no longer managed. Nil: it had none.
	Known func(resource.Ref) bool
	// Starting reports that a pending resource has not been pending for longer than the grace of its
	// kind, so that its state is no difference. Nil: none has.
	Starting func(*resource.Observed) bool
	// Replacing returns the replacement in progress of a ref. Nil: there is none.
	Replacing func(resource.Ref) (Replacing, bool)
	// Ignores reports that a change of an attribute or tag is no difference, by the drift rules
	// of its stack. It must be pure. Nil: every change counts.
	Ignores func(stack, kind string, c resource.Change) bool
}

// Result is the result of Compare.
type Result struct {
	Differences []Difference   // sorted by ref
	Unchanged   int            // configured resources without a difference
	Owned       map[string]int // by stack: observed resources that it owns
	// NotVerified are resources that set attributes which can
	// neither be read back nor are recorded.
	NotVerified []Unverified
	Kept        []Kept
	// Renames are the recorded resources that have another name in the configuration. A rename whose new name is
	// the old name of another rename comes after that one.
	Renames []Rename
}

// Kept is a resource with an attribute that is not changed, because it exceeds its configuration; see
// resource.Fit.
type Kept struct {
	Ref resource.Ref
	resource.Surplus
}

// NoteUnverified is the note on a change that sets an attribute whose value can neither be read back nor was recorded.
const NoteUnverified = "not verified"

// Unverified is a resource, and the paths that could not be compared.
type Unverified struct {
	Ref   resource.Ref
	Paths []string
	// Since: the attributes are configured since the resource was created. Only a replacement sets them, and that is not
	// proposed without knowing that they differ.
	Since bool
}

// Rename is a recorded resource that has another name in the configuration.
type Rename struct {
	From, To resource.Ref
	ID       string
	// Declared: the configuration names From. Otherwise both names have the same identity.
	Declared bool
}

// Take is an exclusive thing that a configured resource needs and that another resource has.
type Take struct {
	Hold resource.Hold
	By   resource.Ref // the resource that has it
	ID   string       // of that resource; "" if it does not exist yet and needs the same thing
	// Leaves: the other resource is ours and gives the thing up. It is no longer configured, or configured
	// without it.
	Leaves bool
}
