package report

import (
	"cmp"
	"slices"
	"time"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source"
)

// keyOf returns a ref without stack and location, as a source names its resources.
func keyOf(r resource.Ref) resource.Ref {
	r.Stack, r.Location = "", ""
	return r
}

// Fact returns the known facts of a resource, which is given without stack and location. A resource that
// was not read is unclear. It returns false if nothing is known about the resource.
func (w *Writer) Fact(ref resource.Ref) (source.Fact, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f, known := w.fact(ref)
	return parted(f), known
}

// parted separates the failure from its suggestion.
func parted(f source.Fact) source.Fact {
	message, next := provider.Parted(f.Failure)
	f.Failure, f.Suggestion = message, cmp.Or(next, f.Suggestion)
	return f
}

// fact joins the last observation with the actions since the start; the later of the two decides about the
// state of the resource. An older failure is shown until an observation finds the resource healthy.
func (w *Writer) fact(ref resource.Ref) (source.Fact, bool) {
	f, known := w.seen.fact(ref)
	a, done := w.acted[ref]
	if !done {
		return f, known
	}
	recent := a.at.After(f.Observed)
	if recent {
		switch {
		case a.gone:
			f = source.Fact{}
		case a.after != nil:
			f = factOf(a.after, a.at)
		}
		f.Observed = a.at
	}
	f.Doing = a.doing
	if recent {
		f.Failure = cmp.Or(a.failure, f.Failure)
	} else if f.ID == "" || f.Health != resource.Healthy { // what failed is still to be done
		f.Failure = cmp.Or(f.Failure, a.failure)
	}
	return f, true
}

// factOf returns the facts of an observed resource. Nothing is known about the health of an unreadable one.
func factOf(o *resource.Observed, at time.Time) source.Fact {
	f := source.Fact{ID: o.ID, Health: o.Health, Message: o.Message, Attrs: o.Attrs, Observed: at}
	if o.Condition == resource.Unreadable {
		f.Health, f.Failure = resource.Unclear, o.Message
	}
	return f
}

// Fact returns the observed facts of a resource, which is given without stack and location. A resource that
// was not read is unclear. It returns false if nothing is known about the resource.
func (v *View) Fact(ref resource.Ref) (source.Fact, bool) {
	f, known := v.fact(ref)
	return parted(f), known
}

// Invalid returns the error of the part of the source that declares a resource, or "" if that part was read.
func (v *View) Invalid(ref resource.Ref) string {
	for i := range v.intent.Parts {
		p := &v.intent.Parts[i]
		if slices.ContainsFunc(p.Refs, func(r resource.Ref) bool { return keyOf(r) == keyOf(ref) }) {
			return p.Why
		}
	}
	return ""
}

// fact returns the observed facts. If the part of the source that declares the resource cannot be read, that
// is the failure.
func (v *View) fact(ref resource.Ref) (source.Fact, bool) {
	f, known := v.observed(ref)
	if why := v.Invalid(ref); why != "" {
		f.Failure, known = why, true
	}
	return f, known
}

// observed searches the scopes where the resource can be. A scope whose kind was not read in full makes the
// answer unclear, because the resource may be in it.
func (v *View) observed(ref resource.Ref) (source.Fact, bool) {
	scopes := v.scopes(ref)
	known := len(scopes) > 0
	var absent source.Fact
	for _, scope := range scopes {
		if o := v.find(scope, ref); o != nil {
			f := factOf(o, v.scans[scope].At)
			if !o.Managed() && f.Failure == "" {
				command := "ovi adopt --existing"
				if v.intent.Source != "" {
					command = "ovi adopt " + v.intent.Source + " --existing"
				}
				f.Failure = "it exists and is unmanaged; Suggestion: run `" + command + "`"
			}
			if why := v.unread(scope, ref.Kind); why != "" {
				f.Health, f.Failure = resource.Unclear, why
			}
			return f, true
		}
		if why := v.unread(scope, ref.Kind); why != "" {
			return source.Fact{Health: resource.Unclear, Failure: why}, true
		}
		absent.Observed = v.scans[scope].At
	}
	return absent, known
}

// scopes returns the scopes where the resource can be: the scopes of the stack's resources of its kind or,
// if it has none, the scopes of its provider that the stack names without a resource in them.
func (v *View) scopes(ref resource.Ref) []resource.Scope {
	var out, used []resource.Scope
	for i := range v.intent.Resources {
		r := v.intent.Resources[i].Ref
		used = append(used, r.Scope())
		if r.Provider == ref.Provider && r.Kind == ref.Kind && !slices.Contains(out, r.Scope()) {
			out = append(out, r.Scope())
		}
	}
	if len(out) > 0 {
		return out
	}
	for _, scope := range v.intent.Scopes {
		if scope.Provider == ref.Provider && !slices.Contains(used, scope) {
			out = append(out, scope)
		}
	}
	return out
}

// unread returns the reason why a kind was not read in full in a scope, or "" if it was.
func (v *View) unread(scope resource.Scope, kind string) string {
	scan, ok := v.scans[scope]
	switch {
	case !ok:
		return resource.ErrNotObserved.Error()
	case scan.Unreachable[kind] != "":
		return scan.Unreachable[kind]
	case scan.Error != "":
		return scan.Error
	case scan.Read(kind).IsZero():
		return resource.ErrNotObserved.Error()
	}
	return ""
}

// find finds the resource in the observation: the stack's own before an unmanaged one.
func (v *View) find(scope resource.Scope, ref resource.Ref) *resource.Observed {
	var found *resource.Observed
	all := v.live.Scopes[scope].Resources
	for i := range all {
		o := &all[i]
		if o.Ref.Kind != ref.Kind || o.Ref.Name != ref.Name {
			continue
		}
		if o.Managed() && o.Ref.Stack == v.intent.Stack {
			return o
		}
		if found == nil {
			found = o
		}
	}
	return found
}
