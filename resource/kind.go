package resource

import "time"

// Kind is the schema of one kind of thing: what can be wished of it, what changing each
// attribute means, and how it is documented. Kinds are values; they do no I/O.
type Kind struct {
	Provider string
	Name     string // [a-z][a-z0-9_]*
	Doc      string // one line, then paragraphs
	Attrs    []Attribute
	// NamePattern (regular expression) and NameDoc restrict the names of things.
	NamePattern string
	NameDoc     string
	// NoTags: things of this kind carry no user tags.
	NoTags bool
	// Canonical brings checked attributes to the form Observe gives, and reports what no
	// single attribute can say (rules across attributes). Nil leaves them as they are.
	Canonical func(Attrs) (Attrs, []Problem)
	// CrossCheck reports what no single set of attributes can say: rules between things (a part
	// lies in its whole), and rules about a thing's place, name and tags. It is given all
	// wishes of this kind in one stack, sorted by ref, and finds any wish of that stack; nil
	// is one that is not there or could not be read. It is pure. Nil: there are no such rules.
	CrossCheck func(configured []*Desired, find func(Ref) *Desired) []Finding

	// Carrier says when ovi's marks can be written on a resource of this kind.
	Carrier Carrier
	// ReusedIDs: another resource can get the id of one that was deleted, and there is no UID
	// (a bucket's name): a binding proves only while the marks hold the recorded key.
	ReusedIDs bool
	// Replace lists the strategies that can replace have by desired, the default first. Nil:
	// destroy-first alone.
	Replace func(desired Desired, have Observed) []Strategy
	// State: Desired.State is compared with the health ("running", "stopped").
	State bool
	// Grace is how long a Pending resource is no failure; 0: until its action ends.
	Grace time.Duration
	// Async: Create and Update may return a resource that is Pending; a later observation
	// tells how it ended.
	Async bool
	// Supersede: a newer configuration may be applied while an accepted one is still pending.
	Supersede bool
	// Opens gives the scope inside a resource of this kind (a cluster's inside), which exists
	// when the resource does. Nil: there is none.
	Opens func(Ref) Scope
	// DataLoss says what data is lost if the resource is destroyed ("database, 40 GiB"); "" is
	// none. Nil: never any.
	DataLoss func(Observed) string
}

// Strategies lists how have can be replaced by desired, the default first; never empty.
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

// The types. A Set is a list compared without regard to order; in a checked wish it is sorted
// and holds each element once. An Object has Fields; List and Set have an Elem. A Map is an
// object with free keys, and strings for values unless Elem says otherwise. Of an Object only
// the fields that a wish mentions are compared; List, Set and Map are mentioned whole, and
// what is in them too many differs: a provider must not observe in a Map what the system put
// there by itself.
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

// Effect is what changing an attribute does to a thing that exists.
type Effect int

// The effects, mildest first.
const (
	InPlace Effect = iota // changed while it runs
	Restart               // changed, but the thing is interrupted
	Replace               // immutable: a new thing must take the place of the old one
)

// Attribute is the schema of one attribute.
type Attribute struct {
	Name     string
	Type     Type
	Doc      string
	Required bool
	// Default stands in the wish when the attribute is not mentioned, and is compared.
	Default Value
	// CreateDefault is used when a thing is made and the attribute is not mentioned; it is
	// not compared afterwards.
	CreateDefault Value
	Effect        Effect
	// WriteOnly: the provider cannot read it back (or not for a whole scope in pages). It
	// is compared with the wish last applied, where the record knows it; see
	// DiffOptions.Applied. Inside the elements of a List or Set it is not compared.
	WriteOnly bool
	// Secret: the value is a Secret in wishes and a Digest everywhere else.
	Secret bool
	// SecretInFile: a Secret that may also be written in its source, such as a script, which
	// often holds one.
	SecretInFile bool
	// Computed: only observed, never wished.
	Computed bool
	// RefKind: the value names a thing of this kind (of the same provider and place), or
	// is a provider's id that begins with IDPrefix.
	RefKind  string
	IDPrefix string
	// Anywhere: the value may be an id of another location or provider.
	Anywhere bool
	Elem     *Attribute  // of List and Set
	Fields   []Attribute // of Object
	Enum     []string    // allowed strings
	Min, Max *int64      // bounds of an Int; of a String or List: its length
	Pattern  string      // regular expression a String must match as a whole
	Example  string      // as in a configuration
	Unit     string      // of a number, as it is shown: "GiB"
	// Valid reports what type, bounds and pattern can't say of a value that satisfies them,
	// with paths relative to it ("" is the value itself). Nil: there is nothing more to say.
	Valid func(Value) []Problem
}

// Problem is one thing wrong with a wish. Path is relative to the thing ("root_volume.size").
type Problem struct {
	Path       string
	Summary    string // what is wrong
	Suggestion string // what to write instead, if known
}

// Finding is a problem of one wish among others. Its path may also be "name", "region", "tags"
// or "tags." with a key behind it.
type Finding struct {
	Ref Ref
	Problem
}

// On is what a change is about.
type On string

// What changes are about. The zero On is an attribute.
const (
	OnAttribute On = ""
	OnTag       On = "tag"   // Path is "tags.KEY"
	OnMark      On = "mark"  // Path is "ref", "stack", "owner" or "blessed"
	OnState     On = "state" // Path is "state"
)

// Change is one attribute, tag, mark or state that differs. From is nil where nothing was
// there, To is nil where something is to be removed.
type Change struct {
	On       On
	Path     string
	From, To Value
	Effect   Effect
	// KnownAfterApply: To is a Reference to a thing that does not exist yet or is to be replaced;
	// its id is known only after that.
	KnownAfterApply bool
	Note            string // for people: "also flushes the pending change of size"
}
