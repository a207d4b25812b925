package lookup

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// NotFound is a resource of others that could not be looked up.
type NotFound struct {
	Ref resource.Ref // as its block names it
	Why string       // which resources were searched
	// Unread: its kind or its location could not be read, so that it may exist.
	Unread bool
	// Several: more than one resource fits.
	Several bool
	// Stale: it is not the resource of the saved plan.
	Stale bool
	// Unfit: it has a value of the wrong type.
	Unfit bool
	// Named: it is a name that only an attribute mentions.
	Named      bool
	Suggestion string
}

// Finder looks resources up in the live state of a plan.
type Finder struct {
	Live resource.LiveState
	Kind func(resource.Ref) resource.Kind
	// Recorded are the scopes that were taken from the record.
	Recorded []resource.Scope
	// Approved are the IDs that lookups found in the saved plan, Known the IDs that the last apply used.
	Approved, Known map[resource.Ref]string
}

// Target returns the ref that a block looks up: its own, for its scope, or the ref in another stack.
func Target(d *resource.Desired) resource.Ref {
	if d.Lookup.Of.IsZero() {
		return d.Ref
	}
	return d.Lookup.Of
}

// Searches reports whether all resources of the kind must be read to find the resource.
func Searches(l *resource.Lookup) bool { return l.Name != "" || len(l.Tags) > 0 }

// Find looks one resource up. Several matches are as bad as none, except that one of them is in the saved plan: then
// that one was approved.
func (f *Finder) Find(d *resource.Desired) (*resource.Observed, *NotFound) {
	at := Target(d)
	found, unclear := f.matches(d, at)
	approved, pinned := f.Approved[d.Ref]
	if pinned {
		i := slices.IndexFunc(found, func(o *resource.Observed) bool { return o.ID == approved })
		switch {
		// The approved resource still fits, and further matches do not matter.
		case i >= 0:
			found, unclear = found[i:i+1], nil
		// Only another resource fits, or everything was read and none fits. No other one is taken without an approval.
		case len(found) > 0 || f.unread(d, at) == nil && unclear == nil:
			return nil, &NotFound{
				Ref: d.Ref, Stale: true, Why: stale(d, at, found, approved), Suggestion: "create a new plan",
			}
		}
	}
	switch {
	case len(found) == 1 && found[0].Condition == resource.Unreadable:
		return nil, unreadable(d.Ref, found[0])
	case unclear != nil:
		return nil, unreadable(d.Ref, unclear)
	case len(found) > 1:
		why := fmt.Sprintf("%d resources in %s are it: %s", len(found), at.Scope(), listed(found))
		if Searches(d.Lookup) {
			why = fmt.Sprintf("%d of %s in %s have %s: %s", len(found), at.Kind, at.Scope(), criteria(d.Lookup), listed(found))
		}
		if id := f.Known[d.Ref]; id != "" { // a user can choose it by ID
			why += "; the last apply used " + id
		}
		return nil, &NotFound{
			Ref: d.Ref, Several: true, Why: why, Suggestion: "add a tag that only one of them has, or use lookup: {id: ID}",
		}
	}
	// An ID, a ref or an approval allows one resource, so one match suffices even if the kind was not read in full.
	if len(found) == 1 && (pinned || !Searches(d.Lookup)) {
		return found[0], nil
	}
	if err := f.unread(d, at); err != nil {
		if o := f.asRecorded(d, at, found); o != nil {
			return o, nil
		}
		return nil, &NotFound{Ref: d.Ref, Why: err.Error(), Unread: true}
	}
	if len(found) == 1 {
		return found[0], nil
	}
	// Everything was read, and nothing fits.
	out := &NotFound{Ref: d.Ref, Why: absence(d, at)}
	if id := f.Known[d.Ref]; id != "" && id != d.Lookup.ID {
		out.Why += "; the last apply used " + id
	}
	return nil, out
}

// matches returns the resources that fit, and one of which it is not known whether it fits.
func (f *Finder) matches(d *resource.Desired, at resource.Ref) (found []*resource.Observed, unclear *resource.Observed,
) {
	snapshot := f.Live.Scopes[at.Scope()]
	kind := resource.Kind{}
	if Searches(d.Lookup) {
		kind = f.Kind(at)
	}
	for i := range snapshot.Resources {
		o := &snapshot.Resources[i]
		switch l := d.Lookup; {
		case o.Ref.Kind != at.Kind:
		case l.ID != "":
			if o.ID == l.ID {
				found = append(found, o)
			}
		// The old resource of a replacement is about to be deleted, so only its ID finds it.
		case o.Role == resource.RoleOld, Searches(l) && !searched(d, o):
		case Searches(l):
			switch fits, known := fit(l, &kind, o); {
			case fits:
				found = append(found, o)
			case !known:
				unclear = o
			}
		case o.Ref == at && o.Managed():
			found = append(found, o)
		}
	}
	return found, unclear
}

// searched reports whether a search covers a resource: the stack's own resources and parts of others are no resources
// of others.
func searched(d *resource.Desired, o *resource.Observed) bool {
	own := o.Managed() && o.Ref.Stack == d.Ref.Stack
	return !own && o.Message != resource.PartOfAnother
}

// fit reports whether a resource has the name and the tags; known is false if its tags or its name could not be read.
func fit(l *resource.Lookup, kind *resource.Kind, o *resource.Observed) (fits, known bool) {
	if l.Name != "" {
		name, read := o.Attrs.Get(kind.NameAttr)
		named := o.ID == l.Name || o.NaturalRef().Name == l.Name || kind.NameAttr != "" && name == resource.String(l.Name)
		switch {
		case named:
		case kind.NameAttr != "" && !read && o.Condition == resource.Unreadable:
			return false, false
		default:
			return false, true
		}
	}
	if len(l.Tags) > 0 && o.Condition == resource.Unreadable {
		return false, false
	}
	for _, t := range l.Tags {
		value, has := o.Tags.Get(t.Key)
		if !has && kind.NameTag != "" && t.Key == kind.NameTag {
			value, has = o.Marks.Ref.Name, true // ovi wrote it, and no user did
		}
		if !has || value != t.Value {
			return false, true
		}
	}
	return true, true
}

// unread returns nil if all resources that can match were read, otherwise why not.
func (f *Finder) unread(d *resource.Desired, at resource.Ref) error {
	if err := f.Live.Covers(at); err != nil {
		return err
	}
	if Searches(d.Lookup) && slices.Contains(f.Live.Scopes[at.Scope()].Filtered, at.Kind) {
		return fmt.Errorf("the record of %s shows managed resources only", at.Scope())
	}
	return nil
}

// asRecorded returns the resource that the last apply used, where the record of a location does not show whether
// another one fits. If the record does not have that resource, only its ID is known.
func (f *Finder) asRecorded(d *resource.Desired, at resource.Ref, found []*resource.Observed) *resource.Observed {
	id := f.Known[d.Ref]
	if id == "" || !slices.Contains(f.Recorded, at.Scope()) {
		return nil
	}
	snapshot := f.Live.Scopes[at.Scope()]
	for i := range snapshot.Resources {
		switch o := &snapshot.Resources[i]; {
		case o.Ref.Kind != at.Kind || o.ID != id:
		case slices.Contains(found, o):
			return o
		default: // it does not fit any more
			return nil
		}
	}
	ref := at.Bare()
	ref.Name = id
	return &resource.Observed{Ref: ref, ID: id}
}

// unreadable returns the failure of a lookup whose resource could not be read.
func unreadable(ref resource.Ref, o *resource.Observed) *NotFound {
	return &NotFound{Ref: ref, Unread: true, Why: fmt.Sprintf("%s could not be read: %s", o.ID, o.Message)}
}

// mostListed is the maximum number of matches in an error.
const mostListed = 10

// listed returns the IDs of matches, each managed one with its name and stack.
func listed(found []*resource.Observed) string {
	var ids []string
	for _, o := range found {
		id := o.ID
		if o.Managed() {
			id += " (" + o.Ref.Short() + " of stack " + o.Ref.Stack + ")"
		}
		ids = append(ids, id)
	}
	slices.Sort(ids)
	if n := len(ids); n > mostListed {
		ids = append(ids[:mostListed], fmt.Sprintf("and %d more", n-mostListed))
	}
	return strings.Join(ids, ", ")
}

// criteria describes what a lookup searches for.
func criteria(l *resource.Lookup) string {
	var out []string
	if l.Name != "" {
		out = append(out, "the name "+l.Name)
	}
	for i, t := range l.Tags {
		text := t.Key + "=" + t.Value
		if i == 0 {
			text = "the tag " + text
			if len(l.Tags) > 1 {
				text = "the tags " + t.Key + "=" + t.Value
			}
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

// absence returns the reason for a lookup without a match: which resources were searched.
func absence(d *resource.Desired, at resource.Ref) string {
	switch l := d.Lookup; {
	case l.ID != "":
		return "no " + at.Kind + " in " + at.Scope().String() + " has the ID " + l.ID
	case Searches(l):
		return "no " + at.Kind + " in " + at.Scope().String() + " has " + criteria(l)
	}
	return "stack " + at.Stack + " of this store has no " + at.Bare().String()
}

// stale returns the reason why a saved plan must be made again: its resource no longer fits.
func stale(d *resource.Desired, at resource.Ref, found []*resource.Observed, approved string) string {
	if len(found) == 0 {
		return "it was " + approved + " in the saved plan, and " + absence(d, at) + " now"
	}
	return "it was " + approved + " in the saved plan, and is " + listed(found) + " now"
}
