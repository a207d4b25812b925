package resource

// Type is the type of an attribute.
type Type int

// The types. A Set is a list whose order does not matter; once checked it is sorted and holds each element once. An
// Object has Fields; List and Set have an Elem. A Map is an object with free keys, whose values are strings or of the
// type of Elem. Only the configured fields of an Object are compared. List, Set and Map are compared whole, so a
// provider must not report in a Map the entries that the system adds automatically.
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

// Attribute is the schema of one attribute.
type Attribute struct {
	Name     string
	Type     Type
	Doc      string
	Required bool
	// Default is the configured value of an omitted attribute; it is compared.
	Default Value
	// CreateDefault is used for an omitted attribute when the resource is created; it is not compared afterwards.
	CreateDefault Value
	// DefaultUnless names an attribute with which there is no CreateDefault: what it names decides instead.
	DefaultUnless   string
	HarmlessDefault bool // Default and CreateDefault expose, weaken and discard nothing: a plan omits them
	Effect          Effect
	// WriteOnly: the provider cannot read it back, or not in a list of the whole scope. It is compared with the
	// configuration last applied; see DiffOptions.Applied. Inside the elements of a List or Set it is not compared.
	WriteOnly bool
	// AfterCreate: WriteOnly, and set by a call after the one that creates the resource. If the result
	// of a creation is not recorded, it may not be set, and is set again.
	AfterCreate bool
	// Recorded: it is set at creation and stays so in the system. A change of the configuration is an update that
	// only the record keeps; nothing else is compared. Its Effect is InPlace.
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
	// RefKind: the value is the name of a resource of this kind in the same location, or an ID of the provider that
	// starts with IDPrefix.
	RefKind  string
	IDPrefix string
	// RefPath is the attribute of the resource that a name means; "" is its ID. Pattern then matches values that are no
	// names, and the kind is not read for this attribute alone.
	RefPath string
	// Parent is an attribute of the named resources ("vpc"): naming one with another value there needs a replacement.
	Parent string
	Weak   bool // the system deletes a resource that it names; otherwise that is in use
	// AnyName: IDs of RefKind are names, and NamesAttr of a resource lists more. A name without a block is looked up,
	// unless the regular expression SystemNames matches it. The kind is not read for this attribute alone.
	AnyName                bool
	NamesAttr, SystemNames string
	// Anywhere: the value may be an ID of another location or provider.
	Anywhere bool
	Elem     *Attribute  // of List and Set
	Fields   []Attribute // of Object
	Enum     []string    // allowed strings
	Min, Max *int64      // bounds of an Int, or of the length of a String or List
	Pattern  string      // regular expression that a whole String must match
	Example  string      // as written in a configuration
	Unit     string      // of a number on screens: "GiB"
	// Fits reports how an observed value that is not the configured one relates to it. Nil means that it Differs.
	Fits func(desired, observed Value) Fit
	// Omit reports that a configuration written for existing resources omits an observed value, because the system
	// chooses it if none is configured. Nil means that it is written.
	Omit func(Value) bool
	// Note is shown with each change of it: what the change does not do.
	Note string
	// Valid checks rules that type, bounds and pattern cannot express, on a value that satisfies those; its paths are
	// relative to the value ("" is the value itself). Nil: there are none.
	Valid func(Value) []Problem
}

// Fit is how an observed value relates to a configured one.
type Fit int

// The fits. A value that Exceeds its configuration cannot be reduced, as a disk cannot shrink: it is not a
// difference, and the plan names it. An Equivalent value matches the configuration: 17.7 matches 17.
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

// find looks an attribute up in a schema. An attribute that is not in it compares as a plain value.
func find(schema []Attribute, name string) *Attribute {
	for i := range schema {
		if schema[i].Name == name {
			return &schema[i]
		}
	}
	return &Attribute{}
}

func elem(s *Attribute) *Attribute {
	if s.Elem == nil {
		return &Attribute{}
	}
	return s.Elem
}

// elemOf returns the schema for comparing the values of a map: the schema of its Elem, if it has a Fits.
func elemOf(s *Attribute) *Attribute {
	if s.Elem != nil && s.Elem.Fits != nil {
		return s.Elem
	}
	return &Attribute{}
}

// configurable reports whether an attribute could have been configured and can be read back.
func configurable(schema []Attribute, name string) bool {
	for i := range schema {
		if schema[i].Name == name {
			return !schema[i].Computed && !schema[i].WriteOnly && !schema[i].Recorded
		}
	}
	return false
}

func join(prefix, name string) string {
	if prefix == "" {
		return name
	}
	return prefix + "." + name
}

func attrsOr(v Value) Attrs {
	a, _ := v.(Attrs)
	return a
}
