package resource

import "time"

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
}

// Observed is the reality of one thing.
type Observed struct {
	Ref     Ref       // from ovi's tag; of an unmanaged thing: its natural name, or its id
	ID      string    // the provider's own name for it
	Managed bool      // it carries ovi's tags
	Stack   string    // the stack that owns it, if managed
	Owner   string    // the ovi:owner tag
	Blessed bool      // it carries the blessed tag
	Key     string    // the idempotency key it was made with, where the provider keeps one
	Health  Health    // how it is
	Detail  string    // a few words on the health, for people
	Since   time.Time // when it was made, where the provider says; else zero
	Attrs   Attrs
	Tags    Tags
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

// ProviderDefault is the Detail of an unmanaged thing that the provider put there by itself, such
// as a default network: nobody made it, so nobody need be told that it is there.
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
}

// Snapshot is everything in one scope. A provider that could not read a part gives an error,
// never a part.
type Snapshot struct {
	Scope     Scope
	At        time.Time // when the look began
	Resources []Observed
}

// LiveState is what one look saw: a snapshot for each scope seen, an error for each that failed.
// No scope is in both. Of a scope that is in neither nothing is known.
type LiveState struct {
	Scopes      map[Scope]Snapshot
	Unreachable map[Scope]error
}
