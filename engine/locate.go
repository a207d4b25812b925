package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// located is what a plan looks at.
type located struct {
	intents []resource.Intent // with located refs
	scopes  []resource.Scope  // to look at, sorted
	failed  map[resource.Scope]error
}

// locate tells the places people write from those that are, and adds the scopes where the
// record knows things of the stacks: else the last thing removed from a scope would never be
// deleted. A place that cannot be located is a scope that was not seen.
//
// With maxAge the record answers for locations that it knows well enough, so that a plan needs
// no provider to be reachable.
func (e *Engine) locate(ctx context.Context, intents []resource.Intent, maxAge time.Duration) (*located, error) {
	p := &located{failed: map[resource.Scope]error{}}
	moved := map[resource.Scope]resource.Scope{}
	fresh, err := e.freshScopes(ctx, maxAge)
	if err != nil {
		return nil, err
	}
	for _, s := range scopesOf(intents) {
		there, err := e.locatedBy(ctx, s, fresh)
		if err != nil {
			p.failed[s] = locateError(err)
			continue
		}
		if there != s {
			moved[s] = there
		}
		p.scopes = append(p.scopes, there)
	}
	known, err := e.recordedScopes(ctx, intents)
	if err != nil {
		return nil, err
	}
	for _, s := range known {
		there, err := e.locatedBy(ctx, s, fresh)
		if errors.Is(err, provider.ErrElsewhere) {
			continue // of the sandbox, say, seen from a real account: not ours to judge here
		}
		if err != nil {
			p.failed[s] = locateError(err)
			continue
		}
		p.scopes = append(p.scopes, there)
	}
	p.join(moved)
	slices.SortFunc(p.scopes, resource.Scope.Compare)
	p.scopes = slices.Compact(p.scopes)
	p.intents = move(intents, moved)
	return p, nil
}

func locateError(err error) error { return fmt.Errorf("the account cannot be read: %w", err) }

// join takes a place that could not be located for the one place it can be by the record, if
// that failed too: else one blind region would be told of as two. In both nothing is done.
func (p *located) join(moved map[resource.Scope]resource.Scope) {
	for s := range p.failed {
		var same []resource.Scope
		for there := range p.failed {
			if there.Provider == s.Provider && strings.HasSuffix(there.Location, "/"+s.Location) {
				same = append(same, there)
			}
		}
		if len(same) == 1 {
			moved[s] = same[0]
			delete(p.failed, s)
		}
	}
}

// freshScopes are the locations that were read in full within an age.
func (e *Engine) freshScopes(ctx context.Context, maxAge time.Duration) (out []resource.Scope, err error) {
	if maxAge <= 0 {
		return nil, nil
	}
	scans, err := e.cfg.Ledger.Scans(ctx, 0)
	if err != nil {
		return nil, fmt.Errorf("the age of what is known: %w", err)
	}
	now := e.cfg.Clock()
	for _, s := range scans {
		if s.Complete && now.Sub(s.Confirmed) <= maxAge {
			out = append(out, s.Scope)
		}
	}
	return out, nil
}

// locatedBy finds a location among those that are fresh on record, if it can be only one of
// them; else it asks the provider.
func (e *Engine) locatedBy(ctx context.Context, s resource.Scope, fresh []resource.Scope) (resource.Scope, error) {
	var found []resource.Scope
	for _, f := range fresh {
		if f.Provider == s.Provider && (f.Location == s.Location || strings.HasSuffix(f.Location, "/"+s.Location)) {
			found = append(found, f)
		}
	}
	if len(found) == 1 {
		return found[0], nil
	}
	return e.located(ctx, s)
}

// located asks the provider where a place really is, if it tells them apart.
func (e *Engine) located(ctx context.Context, s resource.Scope) (resource.Scope, error) {
	l, ok := e.cfg.Providers[s.Provider].(provider.Locator)
	if !ok {
		return s, nil
	}
	location, err := l.Locate(ctx, s.Location)
	return resource.Scope{Provider: s.Provider, Location: location}, err
}

// recordedScopes are the scopes where the stacks own something, or left an action open.
func (e *Engine) recordedScopes(ctx context.Context, intents []resource.Intent) ([]resource.Scope, error) {
	var out []resource.Scope
	stacks := stacksOf(intents)
	for _, stack := range stacks {
		scopes, err := e.cfg.Ledger.Scopes(ctx, stack)
		if err != nil {
			return nil, fmt.Errorf("where stack %s has things: %w", stack, err)
		}
		out = append(out, scopes...)
	}
	opens, err := e.cfg.Ledger.OpenActions(ctx)
	if err != nil {
		return nil, fmt.Errorf("open actions: %w", err)
	}
	for _, o := range opens {
		if slices.Contains(stacks, o.Stack) {
			out = append(out, o.Ref.Scope())
		}
	}
	slices.SortFunc(out, resource.Scope.Compare)
	return slices.Compact(out), nil
}

// scopesOf are the scopes that intents speak of.
func scopesOf(intents []resource.Intent) []resource.Scope {
	seen := map[resource.Scope]bool{}
	for _, i := range intents {
		for _, s := range i.Scopes {
			seen[s] = true
		}
		var last resource.Scope
		for k := range i.Resources {
			if s := i.Resources[k].Ref.Scope(); s != last {
				seen[s], last = true, s
			}
		}
	}
	var out []resource.Scope
	for s := range seen {
		out = append(out, s)
	}
	slices.SortFunc(out, resource.Scope.Compare)
	return out
}

// move rewrites the refs of the intents to where their places are. What is not moved is not
// copied.
func move(intents []resource.Intent, moved map[resource.Scope]resource.Scope) []resource.Intent {
	if len(moved) == 0 {
		return intents
	}
	m := mover(moved)
	out := slices.Clone(intents)
	for i := range out {
		out[i].Scopes = slices.Clone(out[i].Scopes)
		for k, s := range out[i].Scopes {
			out[i].Scopes[k] = m.scope(s)
		}
		objects := make([]resource.Desired, len(out[i].Resources))
		for k, d := range out[i].Resources {
			d.Ref, d.Attrs = m.ref(d.Ref), m.attrs(d.Attrs)
			if len(d.DependsOn) > 0 {
				d.DependsOn = slices.Clone(d.DependsOn)
				for n := range d.DependsOn {
					d.DependsOn[n] = m.ref(d.DependsOn[n])
				}
			}
			objects[k] = d
		}
		// Places may sort otherwise than what people wrote for them.
		slices.SortStableFunc(objects, func(a, b resource.Desired) int { return a.Ref.Compare(b.Ref) })
		out[i].Resources = objects
	}
	return out
}

type mover map[resource.Scope]resource.Scope

func (m mover) scope(s resource.Scope) resource.Scope {
	if there, ok := m[s]; ok {
		return there
	}
	return s
}

func (m mover) ref(r resource.Ref) resource.Ref {
	r.Location = m.scope(r.Scope()).Location
	return r
}

func (m mover) attrs(in resource.Attrs) resource.Attrs {
	return resource.MapRefs(in, func(r resource.Reference) resource.Value {
		return resource.Reference{Ref: m.ref(r.Ref), Path: r.Path}
	}).(resource.Attrs)
}
