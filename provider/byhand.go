package provider

import "github.com/ovi-project/ovi/resource"

// Verb is a call of a provider that changes something.
type Verb string

// The verbs.
const (
	VerbCreate   Verb = "create"
	VerbUpdate   Verb = "update"
	VerbDelete   Verb = "delete"
	VerbSetAside Verb = "set_aside"
	VerbSwitch   Verb = "switch"
	VerbRestore  Verb = "restore"
)

// Operation is one planned call of a provider, with references that may not be known yet.
type Operation struct {
	Verb    Verb
	Desired resource.Desired // of VerbDelete its Ref alone
	// Have is the resource that exists, or existed when the change was planned; nil if there is none.
	Have *resource.Observed
	// Beside: the resource is created or switched to beside the one that it replaces, Have.
	Beside  bool
	Changes []resource.Change // of VerbUpdate
	// Find returns the configuration of another resource, to which Desired may refer.
	Find func(resource.Ref) (resource.Desired, bool)
}
