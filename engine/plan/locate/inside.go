package locate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/engine/parts"
	"github.com/ovi-project/ovi/engine/recovery"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// Insides maps the scopes that exist inside resources to these resources.
type Insides map[resource.Scope]resource.Ref

// addInside adds the scope that a resource opens, if its kind opens one.
func (e *Locator) addInside(in Insides, ref resource.Ref) {
	if k := e.Kind(ref); k.Opens != nil {
		in[k.Opens(ref)] = ref
	}
}

// openers returns the providers with a kind that opens a scope.
func (e *Locator) openers() map[string]bool {
	out := map[string]bool{}
	for name, p := range e.Providers {
		if slices.ContainsFunc(p.Kinds(), func(k resource.Kind) bool { return k.Opens != nil }) {
			out[name] = true
		}
	}
	return out
}

// ConfiguredInsides are the scopes inside configured resources.
func (e *Locator) ConfiguredInsides(intents []resource.Intent) Insides {
	out, openers := Insides{}, e.openers()
	for _, in := range intents {
		for i := range in.Resources {
			if ref := in.Resources[i].Ref; openers[ref.Provider] {
				e.addInside(out, ref)
			}
		}
	}
	return out
}

// RecordedInsides are the scopes inside resources that are or were bound, in any scope that was ever
// read: a scope may outlive the record of its resource.
func (e *Locator) RecordedInsides(ctx context.Context) (Insides, error) {
	out, openers := Insides{}, e.openers()
	if len(openers) == 0 {
		return out, nil
	}
	scans, err := e.Ledger.Scans(ctx, 0)
	if err != nil {
		return nil, fmt.Errorf("read the locations: %w", err)
	}
	for _, s := range scans {
		if !openers[s.Scope.Provider] {
			continue
		}
		bindings, err := e.Ledger.Bindings(ctx, s.Scope)
		if err != nil {
			return nil, err
		}
		for i := range bindings {
			e.addInside(out, bindings[i].Ref)
		}
	}
	return out, nil
}

// WithParents adds the scopes of the resources that open the given ones. The outer resource must be
// observed, because its state decides whether its inside can be read.
func (in Insides) WithParents(scopes []resource.Scope) []resource.Scope {
	for i := 0; i < len(scopes); i++ { // it grows
		if parent, inside := in[scopes[i]]; inside && !slices.Contains(scopes, parent.Scope()) {
			scopes = append(scopes, parent.Scope())
		}
	}
	slices.SortFunc(scopes, resource.Scope.Compare)
	return slices.Compact(scopes)
}

// level returns the number of resources that a scope is inside of. The bound protects from a circle
// of resources that open each other's scopes.
func (in Insides) level(s resource.Scope) (n int) {
	for parent, inside := in[s]; inside && n < len(in); parent, inside = in[s] {
		s, n = parent.Scope(), n+1
	}
	return n
}

// depend makes what is configured inside a configured resource depend on it. It copies what it
// changes. Without it a plan could create what is inside before the outer resource, or delete it
// after.
func (in Insides) depend(intents []resource.Intent) []resource.Intent {
	if len(in) == 0 {
		return intents
	}
	configured := map[resource.Ref]bool{}
	for _, x := range intents {
		for i := range x.Resources {
			configured[x.Resources[i].Ref] = true
		}
	}
	out := slices.Clone(intents)
	for i := range out {
		out[i].Resources = slices.Clone(out[i].Resources)
		for k := range out[i].Resources {
			d := &out[i].Resources[k]
			parent, inside := in[d.Ref.Scope()]
			// An outer resource that is not configured has no step to wait for.
			if !inside || !configured[parent] || slices.Contains(d.DependsOn, parent) {
				continue
			}
			d.DependsOn = append(slices.Clone(d.DependsOn), parent)
			slices.SortFunc(d.DependsOn, resource.Ref.Compare)
		}
	}
	return out
}

// ErrAbsent is the reason for a scope inside a resource that does not exist.
var ErrAbsent = errors.New("it does not exist")

// Reach returns nil if the inside of a resource can be read, ErrAbsent if it surely does not exist, or
// the reason why nothing is known of it.
func Reach(parent resource.Ref, live resource.LiveState, opens []recovery.OpenAction) error {
	name := parent.Short()
	i := slices.IndexFunc(opens, func(o recovery.OpenAction) bool { return o.Ref == parent })
	switch {
	case i >= 0 && opens[i].Running:
		return &comparator.InFlightError{Of: parent, Action: string(opens[i].Action)}
	case i >= 0:
		return fmt.Errorf("an action on %s is in progress, or has no recorded result", name)
	}
	var have *resource.Observed
	exists := false
	snapshot := live.Scopes[parent.Scope()]
	for i := range snapshot.Resources {
		switch o := &snapshot.Resources[i]; {
		case o.Ref == parent && o.Managed():
			have = o
		// It has the name of the outer resource, and no proof that it is ours.
		case o.Ref.Bare() == parent.Bare() || o.NaturalRef() == parent.Bare():
			exists = true
		}
	}
	unread := live.Covers(parent)
	switch {
	case have == nil && exists:
		return fmt.Errorf("%s exists, and is not managed", name)
	case have == nil && unread != nil:
		return fmt.Errorf("%s could not be read: %w", name, unread)
	// The kind was read in full, and has no such resource.
	case have == nil:
		return ErrAbsent
	// Two resources have its name, and the inside may be in either.
	case have.Role != "":
		return fmt.Errorf("%s is being replaced", name)
	case have.Condition == resource.Unreadable:
		return fmt.Errorf("%s could not be read: %s", name, have.Message)
	case have.Health != resource.Healthy:
		return fmt.Errorf("%s is %s%s", name, have.Health, parts.Because(have.Message))
	}
	return nil
}

// Split separates the requests of a level from the requests of deeper levels. A deeper scope can be
// read only after the resource that opens it.
func (in Insides) Split(requests []provider.ObserveRequest, level int) (now, deeper []provider.ObserveRequest) {
	for _, r := range requests {
		if in.level(r.Scope) <= level {
			now = append(now, r)
		} else {
			deeper = append(deeper, r)
		}
	}
	return now, deeper
}

// ParentKinds adds the kinds of the resources of a scope that open others. A plan that reads an
// inside then reads its outer resource too.
func (in Insides) ParentKinds(s resource.Scope, kinds map[string]bool) {
	for _, parent := range in {
		if parent.Scope() == s {
			kinds[parent.Kind] = true
		}
	}
}

// follow resolves the configured scopes inside resources, the outermost first, by the resolved
// locations of these.
func (e *Locator) follow(p *Places, intents []resource.Intent, inner Insides, moved map[resource.Scope]resource.Scope) {
	var all []resource.Scope
	for _, s := range scopesOf(intents) {
		if _, inside := inner[s]; inside {
			all = append(all, s)
		}
	}
	slices.SortStableFunc(all, func(a, b resource.Scope) int { return inner.level(a) - inner.level(b) })
	for _, s := range all {
		parent := inner[s]
		// The location of the inside follows from one that could not be resolved.
		if err := p.Failed[parent.Scope()]; err != nil {
			p.Failed[s] = err
			continue
		}
		parent = mover(moved).ref(parent)
		k := e.Kind(parent)
		to := k.Opens(parent)
		if to != s {
			moved[s] = to
		}
		p.Scopes = append(p.Scopes, to)
	}
}
