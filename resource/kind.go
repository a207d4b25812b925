package resource

import "time"

// Kind is the schema of one kind of resource: its attributes, the effect of changing each, and
// its documentation. Kinds are values; their functions do no I/O.
type Kind struct {
	Provider string
	Name     string // [a-z][a-z0-9_]*
	Doc      string // one line, then paragraphs
	Attrs    []Attribute
	// NamePattern (a regular expression) and NameDoc restrict the names of resources.
	NamePattern string
	NameDoc     string
	// NoTags: resources of this kind have no user tags.
	NoTags bool
	// NameTag is the tag ("Name"), or NameAttr the read-only attribute, that has what users call a
	// resource which its system knows by an ID. "": its natural name is what users call it.
	NameTag, NameAttr string
	// Canonical brings checked attributes to the form Observe gives, and checks rules across
	// attributes. Nil: there is nothing to do.
	Canonical func(Attrs) (Attrs, []Problem)
	// CrossCheck checks rules across resources (a subnet's range lies in its network's) and
	// rules on a resource's location, name and tags. It gets all configured resources of this
	// kind in one stack, sorted by ref; find returns any configured resource of that stack, nil
	// if there is none or its configuration is invalid. It is pure. Nil: there are no such rules.
	// It is called once more with the resources that have other problems: of that only the findings
	// with Alone count.
	CrossCheck func(configured []*Desired, find func(Ref) *Desired) []Finding

	// Exact: Observe reports only what was configured, so an attribute, or a field of an Object,
	// that is observed and not configured was removed from the configuration or added outside
	// ovi: it is removed. Without Exact it is not compared, as on an adopted resource.
	Exact bool
	// EffectOf returns the effect of a change on have, where it can be heavier than that of its
	// attribute or of its state: an older version of the system may have to replace what a newer one
	// changes, and what was created in part cannot be started. Nil: it never is.
	EffectOf func(have Observed, c Change) Effect
	// Carrier is when marks can be written on a resource of this kind.
	Carrier Carrier
	// ByAttrs: a resource without marks is recognized after an interrupted create by its attributes, which
	// name it: its natural name is not that of its ref. Otherwise by its natural name and its attributes.
	ByAttrs bool
	// ReusedIDs: a new resource can have the ID of a deleted one, and there is no UID (a
	// bucket's name). A binding proves ownership only while the marks hold the recorded key.
	ReusedIDs bool
	// Replace lists the strategies that can replace have by desired, the default first. Nil:
	// destroy-first alone.
	Replace func(desired Desired, have Observed) []Strategy
	// State is the state of resources whose configuration sets none: StateRunning or StateStopped. It is
	// compared with the health; see DiffState. "": resources of this kind have no state.
	State State
	// Grace is how long a resource may stay Pending before that is a failure; 0: DefaultGrace.
	Grace time.Duration
	// Outlives are kinds that a resource of this kind may refer to, and that are deleted before it
	// where both are: deleting an instance detaches its volumes, also those in use.
	Outlives []string
	// Renames: an update gives a resource whose name on the system is not that of its ref its name
	// back. Otherwise another name is not compared.
	Renames bool
	// CheckFirst: asking the provider to check a create costs little, so an apply asks for all of
	// them before its first action.
	CheckFirst bool
	// Async: Create and Update may return a Pending resource; a later observation gives the
	// result.
	Async bool
	// Supersede: a newer configuration may be applied while an accepted one is still pending.
	Supersede bool
	// Opens returns the scope inside a resource of this kind (a cluster's objects), which exists
	// while the resource does, and is observed while it is healthy. What is configured there depends on
	// the resource by itself. Nil: there is none.
	Opens func(Ref) Scope
	// DataLoss describes the data that destroying the resource loses ("database, 40 GiB"); ""
	// is none. last is the configuration by which it is deleted: the one applied last, or none.
	// Nil: never any.
	DataLoss func(have Observed, last Attrs) string
	// NamedReplace: a replacement that loses data is made only if an operator names the resource.
	NamedReplace bool
	// Keeps: a resource whose deletion would lose data stays when it is no longer configured,
	// unless the plan prunes, and is never replaced.
	Keeps bool
}

// Strategies lists the strategies that can replace have by desired, the default first. It is
// never empty.
func (k Kind) Strategies(desired Desired, have Observed) []Strategy {
	if k.Replace != nil {
		if all := k.Replace(desired, have); len(all) > 0 {
			return all
		}
	}
	return []Strategy{DestroyFirst}
}

// Type is the type of an attribute.
type Type int

// The types. A Set is a list whose order does not matter; once checked it is sorted and holds
// each element once. An Object has Fields; List and Set have an Elem. A Map is an object with
// free keys, whose values are strings or of the type of Elem. Only the configured fields of an
// Object are compared. List, Set and Map are compared whole, so a provider must not report in
// a Map the entries that the system adds by itself.
const (
	TString Type = iota
	TInt
	TFloat
	TBool
	TList
	TSet
	TObject
	TMap
)

// Effect is what changing an attribute does to an existing resource.
type Effect int

// The effects, mildest first.
const (
	InPlace Effect = iota // changed while the resource runs
	Restart               // changed with a restart
	Replace               // immutable: changing it replaces the resource
)

// Attribute is the schema of one attribute.
type Attribute struct {
	Name     string
	Type     Type
	Doc      string
	Required bool
	// Default is the configured value of an omitted attribute; it is compared.
	Default Value
	// CreateDefault is used for an omitted attribute when the resource is created; it is not
	// compared afterwards.
	CreateDefault Value
	// DefaultUnless names an attribute with which there is no CreateDefault: what it names decides instead.
	DefaultUnless string
	Effect        Effect
	// WriteOnly: the provider cannot read it back, or not in a list of the whole scope. It is
	// compared with the configuration last applied; see DiffOptions.Applied. Inside the
	// elements of a List or Set it is not compared.
	WriteOnly bool
	// AfterCreate: WriteOnly, of the resource itself, and set by a call after the one that creates it. If the
	// result of a creation is not recorded, it may not be set, and is set again.
	AfterCreate bool
	// Recorded: it is set at creation and stays so in the system. A change of the configuration is
	// an update that only the record keeps; nothing else is compared. Its Effect is InPlace.
	Recorded bool
	// Secret: the value is a Secret in configurations and a Digest everywhere else.
	Secret bool
	// SecretInFile: a Secret that may be written in its source, such as a script.
	SecretInFile bool
	// Computed: the provider reports it; it cannot be configured.
	Computed bool
	// ChangesWith are the attributes, "state" among them, whose update gives a Computed one another value: what
	// refers to it is updated in the same apply. "*" are all attributes.
	ChangesWith []string
	// RefKind: the value is the name of a resource of this kind in the same location, or an ID
	// of the provider that starts with IDPrefix.
	RefKind  string
	IDPrefix string
	// Anywhere: the value may be an ID of another location or provider.
	Anywhere bool
	Elem     *Attribute  // of List and Set
	Fields   []Attribute // of Object
	Enum     []string    // allowed strings
	Min, Max *int64      // bounds of an Int; of a String or List: its length
	Pattern  string      // regular expression that a whole String must match
	Example  string      // as written in a configuration
	Unit     string      // of a number, as it is shown: "GiB"
	// Fits reports how an observed value that is not the configured one relates to it. Nil: it
	// Differs.
	Fits func(desired, observed Value) Fit
	// Omit reports that a configuration written for what exists omits an observed value, because the
	// system chooses it where none is configured. Nil: it is written.
	Omit func(Value) bool
	// Note is shown with each change of it: what the change does not do.
	Note string
	// Valid checks rules that type, bounds and pattern cannot express, on a value that
	// satisfies those; its paths are relative to the value ("" is the value itself). Nil: there
	// are none.
	Valid func(Value) []Problem
}

// Fit is how an observed value relates to a configured one.
type Fit int

// The fits. What Exceeds a configuration cannot be taken back, as a disk cannot shrink: it is no
// difference, and the plan names it. What is Equivalent is as configured: 17.7 where 17 is.
const (
	Differs Fit = iota
	Exceeds
	Equivalent
)

// Problem is one error in a configuration. Path is relative to the resource ("root_volume.size").
type Problem struct {
	Path       string
	Summary    string // what is wrong
	Suggestion string // what to do, if known
}

// Finding is a problem of one resource among others. Its path may also be "name", "region",
// "tags" or "tags.KEY".
type Finding struct {
	Ref Ref
	Problem
	// Alone: it follows from the resource's location, name, tags or the attribute at Path alone, so it
	// holds whatever other attributes are missing because they are invalid.
	Alone bool
}

// On is the part of a resource that a change is made to.
type On string

// The parts. The zero On is an attribute.
const (
	OnAttribute On = ""
	OnTag       On = "tag"   // Path is "tags.KEY"
	OnMark      On = "mark"  // Path is "managed", "ref", "stack", "owner" or "blessed"
	OnState     On = "state" // Path is "state"
	OnName      On = "name"  // Path is "name": what the system calls it; see Kind.Renames
)

// Change is one attribute, tag, mark, state or name that differs. From is nil for one that is not
// set, To is nil for one to remove.
type Change struct {
	On       On
	Path     string
	From, To Value
	Effect   Effect
	// KnownAfterApply: To depends on a resource that does not exist yet or will be replaced.
	KnownAfterApply bool
	Note            string // for the user: "also applies the pending change of size"
}

// Name is the path as users read it: that of a mark is "ovi:owner".
func (c Change) Name() string {
	if c.On == OnMark {
		return "ovi:" + c.Path
	}
	return c.Path
}
