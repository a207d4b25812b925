package resource

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/ovi-project/ovi/resource/cmdline"
	"github.com/ovi-project/ovi/resource/position"
	"github.com/ovi-project/ovi/resource/rules"
)

// Desired is the configuration of one resource. Attrs hold the configured attributes, checked and in the kind's
// canonical form, plus the defaults that are compared; what is not in them is not compared.
type Desired struct {
	Ref       Ref
	Attrs     Attrs
	Tags      Tags
	DependsOn []Ref    // resources that must exist first; References in Attrs are among them
	Blessed   bool     // protected; false does not remove a blessing
	Ignore    []string // paths and patterns that are not compared on this resource
	At        position.Position

	// State is whether it runs, for kinds with a State. "" means not compared.
	State State
	// Was is the former name of the resource: the resource recorded under it, which is no longer configured, is
	// this one. It is no part of the configuration that is applied.
	Was Ref
	// Lookup says which existing resource it is, if others own it: ovi reads it and resolves references to it, and
	// does nothing else with it. It has no attributes then.
	Lookup *Lookup
	// Replace chooses one of the kind's strategies; "" is the kind's default.
	Replace Strategy
	// Owner is the owner mark; "" is the engine's.
	Owner string
	// Set has the resources of its block; nil means that it is alone. It is no part of the configuration
	// that is applied.
	Set *Set
	// Defaulted are the attributes that hold the Default of their schema because the source
	// does not mention them. They are not compared on an adopted resource.
	Defaulted []string
	// Part names the part of the source that configures it: a file, a row. It does not count as configuration.
	Part string
}

// Lookup identifies an existing resource: by its ID, by its name in another stack of the store, or as the only one that
// has a name at its system and all of these tags.
type Lookup struct {
	ID   string
	Of   Ref
	Name string `json:",omitempty"`
	Tags Tags   `json:",omitempty"`
}

// Observed is the live state of one resource. A provider reports its natural name, its ID and
// the evidence (UID, Marks, Attested); comparator.Bind derives Ref, Ownership, Role and Adopted from
// that and the bindings.
type Observed struct {
	Ref       Ref    // the natural name, or the ID where there is none; once bound, its recorded stack and name
	ID        string // the system's own identifier
	UID       string // distinguishes it from an earlier resource of that ID; "" where IDs are never reused
	Marks     Marks  // ovi's tags or labels on it; zero if it has none that can be read
	Attested  bool   // its marks date from its creation and were not copied
	Adopted   bool   // Proven by an adoption: of it only what a file mentions is compared, not the defaults
	Natural   string // the natural name, if Ref has another
	Ownership Ownership
	Role      Role      // in a replacement in progress
	OwnedBy   string    // another system that manages it, such as an autoscaling group
	Condition Condition // of a resource that is not whole
	Health    Health    // whether it is in service, whatever the result of the last request
	Message   string    // a few words on the condition or the health
	Last      *Request  // the last request to it, if its system reports that; nil if not
	Since     time.Time // when it was created, if the provider reports it
	Attrs     Attrs
	Tags      Tags
}

// SetUnreadable marks an observed resource as one of which only its existence is known.
func (o *Observed) SetUnreadable(why string) {
	o.Condition, o.Health, o.Message = Unreadable, Unclear, why
}

// Health says whether a resource is in service, in the words that all providers share.
type Health string

// The healths. Pending is a resource that is starting, changing or being deleted.
const (
	Healthy Health = "healthy"
	Pending Health = "pending"
	Stopped Health = "stopped"
	Failing Health = "failing"
	Unclear Health = "unknown"
)

// Reported reports whether an unmanaged resource counts as one.
func (o *Observed) Reported() bool {
	return o.Message != ProviderDefault && o.Message != PartOfAnother && o.Message != OwnedElsewhere
}

// Intent is the whole configuration of one stack. A source returns all of it or an error.
type Intent struct {
	Stack     string
	ByFolder  bool   // the stack is named by its folder, because the configuration does not name it
	Source    string // where it was read from, for the user
	From      string // identifies the source, even while it cannot be read
	Version   string // a commit, or a hash of what was read
	Release   string // the version that the source gives itself, for the user; "" means none
	Resources []Desired
	Lookups   []Desired // resources of others that Resources refer to, sorted by ref
	Scopes    []Scope   // scopes of the stack, including those without a resource
	// Partial: resources are missing because they are invalid. A resource that is not in it may be configured.
	Partial bool
	Absent  map[Ref]string `json:"-"` // reasons of blocks that configure nothing, or fewer: "when is false, ovi.yaml:57"
	// Unread says why the source could not be read now, or is invalid as a whole; empty if it could. The engine
	// then uses the last accepted configuration. Read is the recorded time of the last successful read.
	Unread string
	Read   time.Time
	// Parts are the parts of the source that could not be read now. The engine uses what it accepted of them last.
	Parts []UnreadPart
	// PartNames are all parts of the source, even if they configure nothing. Nil means the parts of the resources.
	PartNames, Environments []string        // Environments are the stacks of the environments
	Given                   []cmdline.Value // the values that the command line sets, sorted by name
	Rules                   rules.Rules
	Options                 Options
	Moved                   []Move // renames that the source declares apart from the resources
	Removed                 []Move // what stays though it is no longer configured
	Outputs                 Attrs  // values that the stack publishes; their References are resolved after an apply
}

// Move declares that the resource which is recorded as From, and is no longer configured, is To. If To is zero, ovi
// forgets the resource.
type Move struct {
	From, To Ref
	Part     string            // the part of the source that declares it
	At       position.Position `json:"-"`
}

// UnreadPart is a part of a source that could not be read or is invalid: a file, a row, a template.
type UnreadPart struct {
	Name string
	Why  string    // the error, with its position
	Read time.Time // the recorded time of the last successful read, or of the first plan that could not read it
	// Refs are the known resources of the part: the resources that it configured when it was accepted last, and the
	// resources that depend on them.
	Refs []Ref
	// Dependents are the Refs that other parts configured when they were accepted last.
	Dependents []Ref
	// Only: it can configure no other resources than Refs, as a row of a table does.
	Only bool
	// Never: it was never accepted. Unknown: so it may configure any name of the stack.
	Never, Unknown bool
	// Any: it was accepted earlier, but not all names in it can be read now, so it may configure any name of the stack.
	Any bool
}

// Options are settings of a stack; a zero field is not set.
type Options struct {
	Parallelism int
	ClaimTTL    time.Duration
	Providers   map[string]map[string]string // options.NAME.KEY
	// Timeouts are how long actions may take, by kind and then one of TimeoutActions.
	Timeouts map[string]map[string]time.Duration
}

// The actions that have timeouts. A replacement is a create and a delete, a start or stop an update.
const (
	TimeoutCreate = "create"
	TimeoutUpdate = "update"
	TimeoutDelete = "delete"
)

// TimeoutActions lists them.
func TimeoutActions() []string { return []string{TimeoutCreate, TimeoutUpdate, TimeoutDelete} }

// Snapshot is what was observed in one scope, sorted by ref.
type Snapshot struct {
	Scope     Scope
	At        time.Time // when the observation started; of a report: when it was made
	Reported  bool      // it is a report, which does not show what was done after it was made
	Resources []Observed
	// Complete are the kinds that were read in full, sorted; nil means all kinds of the provider. A
	// resource of any other kind is never missing.
	Complete []string
	// Filtered are those of Complete, which is not nil then, that were read through the filter of the
	// request: what has marks or a recorded ID was read in full. Others of them are not listed, and
	// nothing follows from that.
	Filtered []string
	// Unreachable are the kinds that could not be read in full, and why. Resources of these
	// kinds that are not listed may exist.
	Unreachable map[string]error
	// Requests are the last requests about resources that do not exist, where the system reports them; see
	// Observed.Last.
	Requests []Request
}

// Request returns the last request with a key, as the system reports it; nil if it does not.
func (s Snapshot) Request(key string) *Request {
	for i := range s.Resources {
		if r := s.Resources[i].Last; r != nil && r.Key == key {
			return r
		}
	}
	for i := range s.Requests {
		if s.Requests[i].Key == key {
			return &s.Requests[i]
		}
	}
	return nil
}

// Without returns the snapshot with kinds that were not read, and why.
func (s Snapshot) Without(unread map[string]error) Snapshot {
	if len(unread) == 0 {
		return s
	}
	out := maps.Clone(s.Unreachable)
	if out == nil {
		out = map[string]error{}
	}
	maps.Copy(out, unread)
	s.Unreachable = out
	return s
}

// Only returns the part of a snapshot that is of these kinds, all of which are read in full.
func (s Snapshot) Only(kinds []string) Snapshot {
	out := s
	out.Complete, out.Unreachable = named(kinds), nil
	out.Filtered = slices.DeleteFunc(slices.Clone(s.Filtered), func(k string) bool { return !slices.Contains(kinds, k) })
	out.Resources = slices.DeleteFunc(slices.Clone(s.Resources), func(o Observed) bool {
		return !slices.Contains(kinds, o.Ref.Kind)
	})
	return out
}

// named joins lists of kinds. It is never nil, which would mean all kinds.
func named(lists ...[]string) []string {
	out := append([]string{}, slices.Concat(lists...)...)
	slices.Sort(out)
	return out
}

// Renewed returns the snapshot with the kinds that newer is about as they are there: a kind that newer read in
// full or could not read replaces that kind. It stays as old as it is, because the other kinds are.
func (s Snapshot) Renewed(newer Snapshot) Snapshot {
	if newer.Complete == nil {
		return newer
	}
	again := func(kind string) bool { return slices.Contains(newer.Complete, kind) || newer.Unreachable[kind] != nil }
	out := s
	out.Unreachable = maps.Clone(s.Unreachable)
	maps.DeleteFunc(out.Unreachable, func(kind string, _ error) bool { return again(kind) })
	out.Filtered = slices.DeleteFunc(slices.Clone(s.Filtered), again)
	out.Resources = slices.DeleteFunc(slices.Clone(s.Resources), func(o Observed) bool { return again(o.Ref.Kind) })
	if s.Complete == nil { // all kinds: it stays so, but for those that could not be read again
		newer.Complete, newer.Filtered = nil, nil
	} else {
		out.Complete = slices.DeleteFunc(slices.Clone(s.Complete), again)
	}
	joined := out.And(newer)
	if s.Complete == nil {
		joined.Complete, joined.Filtered = nil, s.Filtered
	}
	joined.At, joined.Reported = s.At, s.Reported
	return joined
}

// And joins snapshots of different kinds of one scope, both of which name their kinds. It is as old as the older.
func (s Snapshot) And(other Snapshot) Snapshot {
	out := s.Without(other.Unreachable)
	if other.At.Before(s.At) {
		out.At = other.At
	}
	out.Reported = s.Reported || other.Reported
	out.Complete = named(s.Complete, other.Complete)
	out.Filtered = slices.Sorted(slices.Values(slices.Concat(s.Filtered, other.Filtered)))
	out.Resources = slices.SortedStableFunc(slices.Values(slices.Concat(s.Resources, other.Resources)),
		func(a, b Observed) int { return a.Ref.Compare(b.Ref) })
	return out
}

// LiveState is the result of one observation: a snapshot of each scope that was read, an error
// for each that was not. No scope is in both. A scope in neither was not observed.
type LiveState struct {
	Scopes      map[Scope]Snapshot
	Unreachable map[Scope]error
}

// ErrNotObserved is the reason for a scope or kind that the observation did not include.
var ErrNotObserved = errors.New("it was not observed")

// Covers returns nil if the scope and kind of the ref were read in full, so that its absence is
// a fact; otherwise the reason why not. Law 1 rests on this function alone.
func (s LiveState) Covers(r Ref) error {
	if err := s.Unreachable[r.Scope()]; err != nil {
		return err
	}
	snapshot, ok := s.Scopes[r.Scope()]
	if !ok {
		return fmt.Errorf("%s: %w", r.Scope(), ErrNotObserved)
	}
	return snapshot.Covers(r.Kind)
}

// Covers returns nil if the kind was read in full, otherwise the reason why not.
func (s Snapshot) Covers(kind string) error {
	if err := s.Unreachable[kind]; err != nil {
		return err
	}
	if s.Complete != nil && !slices.Contains(s.Complete, kind) {
		return fmt.Errorf("%s of %s: %w", kind, s.Scope, ErrNotObserved)
	}
	return nil
}
