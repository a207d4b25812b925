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
	NamePattern, NameDoc string
	NoTags               bool // resources of this kind have no user tags
	// NameTag is the tag ("Name"), or NameAttr the read-only attribute, that has the user-visible name of a
	// resource which its system knows by an ID. "" means its natural name is what users call it.
	NameTag, NameAttr string
	Identifier        string // the attribute that sets the name of a resource on its system; "" means none
	// Canonical brings checked attributes to the form Observe gives, and checks rules across
	// attributes. Nil: there is nothing to do.
	Canonical func(Attrs) (Attrs, []Problem)
	// CrossCheck checks rules across resources (a subnet's range lies in its network's) and rules on a resource's
	// location, name and tags. It gets all configured resources of this kind in one stack, sorted by ref; find returns
	// any configured resource of that stack, nil if there is none or its configuration is invalid. It is pure. Nil:
	// there are no such rules. It is called once more with the resources that have other problems: of that only the
	// findings with Alone count.
	CrossCheck func(configured []*Desired, find func(Ref) *Desired) []Finding

	// Exact: Observe reports only what was configured, so an attribute, or a field of an Object,
	// that is observed and not configured was removed from the configuration or added outside
	// ovi: it is removed. Without Exact it is not compared, as on an adopted resource.
	Exact bool
	// EffectOf returns the effect of a change on have, where it can be heavier than the effect of its attribute or of
	// its state: an older version of the system may have to replace a resource that a newer one changes, and a partly
	// created resource cannot be started. Nil means that it never is.
	EffectOf func(have Observed, c Change) Effect
	// Carrier is the time at which marks can be written on a resource of this kind.
	Carrier Carrier
	// ByAttrs: a resource without marks is recognized after an interrupted create by its attributes, which name it:
	// its natural name is not the name of its ref. Otherwise by its natural name and its attributes.
	ByAttrs bool
	// ReusedIDs: a new resource can have the ID of a deleted one, and there is no UID (a
	// bucket's name). A binding proves ownership only while the marks hold the recorded key.
	ReusedIDs bool
	// Replace lists the strategies that can replace have by desired, the default first. A reference in desired that
	// does not differ has the observed value. Nil: destroy-first alone.
	Replace func(desired Desired, have Observed) []Strategy
	// State is the state of resources whose configuration sets none: StateRunning or StateStopped. It is
	// compared with the health; see DiffState. "" means that resources of this kind have no state.
	State State
	// Grace is the time for which a resource may stay Pending before that is a failure; 0 means
	// DefaultGrace.
	Grace time.Duration
	// Undeletable returns why the system refuses to delete have, and what to do first; "" if nothing is known to. applied
	// is the configuration applied last, last the one by which it is deleted. Nil: nothing is.
	Undeletable func(have Observed, applied, last Attrs) (why, first string)
	// UsedBy lists the resources of all that prevent the deletion of have without a reference to it. Nil: none does.
	UsedBy func(have Observed, all []Observed) []Observed
	// Outlives are kinds that a resource of this kind may refer to, and that are deleted before it where
	// both are: deleting an instance detaches its volumes, even the ones in use.
	Outlives []string
	// Renames means that an update restores the name of a resource whose name on the system differs from
	// its ref. Otherwise the names are not compared.
	Renames bool
	// Spans: a resource is the same in all locations in which it holds the same, so a rename may change its location.
	Spans bool
	// Everywhere: each location of an account lists the resource, and it has no marks that name its location.
	Everywhere bool
	// CheckFirst: checking a create costs little, so an apply checks all of them before its first action.
	CheckFirst bool
	// Async: Create and Update may return a Pending resource; a later observation gives the result.
	Async bool
	// Supersede: a newer configuration may be applied while an accepted one is still pending.
	Supersede bool
	// Opens returns the scope inside a resource of this kind (a cluster's objects), which exists while the resource
	// does, and is observed while it is healthy. Resources that are configured there depend on it automatically.
	Opens func(Ref) Scope
	// Advice tells an operator how to end the failing state of a resource that no action of ovi ends: a full
	// database. "" means that an action does. A plan has a note with it, and no difference of the state.
	Advice func(have Observed) string
	// Repairs means that an update makes a Broken resource whole again. The changes of its request then include one
	// of the condition.
	Repairs bool
	// DataLoss describes the data that destroying the resource loses ("database, 40 GiB"); "" is none. last is the
	// configuration by which it is deleted: the one applied last, or none. Nil: never any.
	DataLoss func(have Observed, last Attrs) string
	// NamedReplace: a replacement that loses data is made only if an operator names the resource.
	NamedReplace bool
	// Holds lists the exclusive things that a resource has by its name, attributes and state. The
	// attributes are configured, with all known references replaced by IDs, or observed. The name is the
	// configured one, or the natural name of the observed resource. A stopped resource may hold less; state
	// "" counts as running. Holds is pure. Each kind sets it; a kind whose resources exclude no other sets
	// HoldsNothing.
	Holds func(ref Ref, attrs Attrs, state State) []Hold
	// HoldsDoc names these things for users ("its bucket name, in all of AWS"). It is "" for HoldsNothing.
	HoldsDoc string
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

// Finding is a problem of one resource among others. Its path may also be "name", "region",
// "tags" or "tags.KEY".
type Finding struct {
	Ref Ref
	Problem
	// Alone: it follows from the resource's location, name, tags or the attribute at Path alone, so it
	// holds whatever other attributes are missing because they are invalid.
	Alone bool
}
