package resource

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// Position is where a wish stands in its source. The zero Position is "not from a file".
type Position struct {
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
}

// Desired is the wish for one thing. Attrs hold what was mentioned, checked and brought to
// the kind's canonical form, plus the defaults that are compared; what is not in them is not
// compared.
type Desired struct {
	Ref       Ref
	Attrs     Attrs
	Tags      Tags
	DependsOn []Ref    // things that must exist first; References in Attrs are among them
	Blessed   bool     // wanted protected; the lack of it takes no blessing away
	Ignore    []string // paths and patterns not to compare, of this thing alone
	At        Position

	// State is "running", "stopped" or "" (not compared), for kinds whose State is set.
	State string
	// Replace chooses among the strategies of the kind; "" is the kind's first.
	Replace Strategy
	// Owner is the owner mark; "" is the one that the engine writes.
	Owner string
	// Defaulted are the attributes that hold the Default of their schema because the source
	// does not mention them. They are not compared on an adopted resource.
	Defaulted []string
}

// Observed is the live state of one resource. A provider reports its natural name, its id and
// the evidence (UID, Marks, Attested); comparator.Bind concludes from them and from the record
// whose it is.
type Observed struct {
	Ref       Ref    // the natural name, or the id where there is none; once bound, its name on record
	ID        string // the system's own name for it
	UID       string // tells it from an earlier resource of that ID; "" where ids are never used again
	Marks     Marks  // ovi's tags or labels on it; zero where it carries none that can be read
	Attested  bool   // its marks date from its creation and were not copied
	Ownership Ownership
	Stack     string    // the stack that owns it, if Proven
	Role      Role      // of a replacement under way
	OwnedBy   string    // another system that manages it, such as an autoscaling group
	Unread    string    // why its content could not be read: it exists, and nothing more is known
	Health    Health    // its condition
	Message   string    // a few words on the health
	Since     time.Time // when it was created, where the provider says; else zero
	Attrs     Attrs
	Tags      Tags
}

// Health is how a thing is, in words all providers share.
type Health string

// The healths. Pending is on its way to healthy or to its end.
const (
	Healthy Health = "healthy"
	Pending Health = "pending"
	Stopped Health = "stopped"
	Failing Health = "failing"
	Unclear Health = "unknown"
)

// ProviderDefault is the Message of an unmanaged resource that the provider created by itself,
// such as a default network: it is not worth reporting.
const ProviderDefault = "default"

// Intent is everything one stack wants, read completely: a source gives the whole or an error.
type Intent struct {
	Stack     string
	Source    string // where it was read from, for people
	Version   string // digest of what was read (a commit, a hash)
	Resources []Desired
	Scopes    []Scope // places the stack speaks of, also when nothing stands in them
	Rules     Rules
	Options   Options
}

// Rules are the limits a source sets to what may be done. They only veto.
type Rules struct {
	SkipDestructive bool
	MaxDestroy      Budget
	Ignore          []IgnoreRule
	Windows         []Window       // what they cover happens only while one is open
	Approvals       []ApprovalRule // what they cover needs people's yes
	Expressions     []Expression
}

// Budget is a blast radius: at most so many things destroyed in one plan, or at most so many
// percent of the stack's things. Set false is no limit.
type Budget struct {
	Set     bool `json:"set,omitempty"`
	Count   int  `json:"count,omitempty"`
	Percent bool `json:"percent,omitempty"`
}

// IgnoreRule leaves paths out of the comparison: of one kind, or of all with an empty Kind.
// A path is an attribute's name, a dotted path or a pattern of path.Match ("tags.aws:*").
type IgnoreRule struct {
	Kind  string
	Paths []string
}

// Options are how the stack wants to be worked on; zero is "not said".
type Options struct {
	Parallelism int
	ClaimTTL    time.Duration
	Providers   map[string]map[string]string // options.NAME.KEY
}

// Snapshot is what was observed in one scope, sorted by ref.
type Snapshot struct {
	Scope     Scope
	At        time.Time // when the observation began; of a report: when it was made
	Resources []Observed
	// Complete are the kinds that were read in full, sorted; nil: all kinds of the provider. Of
	// a kind that is not among them nothing is missing.
	Complete []string
	// Unreachable are the kinds that could not be read in full, and why. What is listed of
	// them exists; what is not listed may exist.
	Unreachable map[string]error
}

// LiveState is what one observation read: a snapshot for each scope that was read, an error
// for each that was not. No scope is in both. Of a scope in neither nothing is known.
type LiveState struct {
	Scopes      map[Scope]Snapshot
	Unreachable map[Scope]error
}

// ErrNotObserved is why nothing is known of a scope or kind that was not asked for.
var ErrNotObserved = errors.New("it was not observed")

// Covers returns nil where the absence of the ref is a fact: its scope and kind were read in
// full. Else it says why nothing may be concluded. It is the one question of law 1.
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

// Covers returns nil where the kind was read in full.
func (s Snapshot) Covers(kind string) error {
	if err := s.Unreachable[kind]; err != nil {
		return err
	}
	if s.Complete != nil && !slices.Contains(s.Complete, kind) {
		return fmt.Errorf("%s of %s: %w", kind, s.Scope, ErrNotObserved)
	}
	return nil
}
