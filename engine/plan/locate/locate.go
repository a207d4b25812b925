package locate

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ovi-project/ovi/engine/recovery"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// Locator resolves locations.
type Locator struct{ *recovery.Recovery }

// Places lists the scopes that a plan observes.
type Places struct {
	Intents []resource.Intent // with resolved locations
	Scopes  []resource.Scope  // to observe, sorted
	Failed  map[resource.Scope]error
	Insides Insides // with resolved locations
}

// Locate resolves the locations of the intents, and adds the scopes where their stacks have
// recorded resources: otherwise the last resource that is removed from a location would never be
// deleted. A location that cannot be resolved is an unreachable scope.
//
// With maxAge, a location that is written in full and was read recently needs no provider that can be reached. An
// error means that the store cannot be read; a provider that fails is never one.
func (e *Locator) Locate(ctx context.Context, intents []resource.Intent, maxAge time.Duration) (*Places, error) {
	p := &Places{Failed: map[resource.Scope]error{}}
	moved := map[resource.Scope]resource.Scope{}
	fresh, err := e.freshScopes(ctx, maxAge)
	if err != nil {
		return nil, err
	}
	recorded, err := e.RecordedInsides(ctx)
	if err != nil {
		return nil, err
	}
	inner := e.ConfiguredInsides(intents)
	for _, s := range scopesOf(intents) {
		if _, inside := inner[s]; inside {
			continue // its location follows from the resource's location
		}
		at, err := e.locatedBy(ctx, s, fresh)
		if err != nil {
			p.Failed[s] = e.Failure(s, err)
			continue
		}
		if at != s {
			moved[s] = at
		}
		p.Scopes = append(p.Scopes, at)
	}
	known, err := e.recordedScopes(ctx, intents)
	if err != nil {
		return nil, err
	}
	for _, s := range known {
		if _, inside := recorded[s]; inside {
			p.Scopes = append(p.Scopes, s)
			continue
		}
		at, err := e.locatedBy(ctx, s, fresh)
		if errors.Is(err, provider.ErrElsewhere) {
			continue // for example of the sandbox, with a real account: this plan is not about it
		}
		if err != nil {
			p.Failed[s] = e.Failure(s, err)
			continue
		}
		if err := p.unresolved(s); err != nil {
			p.Failed[s] = err
			continue
		}
		p.Scopes = append(p.Scopes, at)
	}
	p.join(moved)
	e.locateNames(ctx, intents, fresh, moved)
	e.follow(p, intents, inner, moved)
	slices.SortFunc(p.Scopes, resource.Scope.Compare)
	p.Scopes = slices.Compact(p.Scopes)
	p.Intents = move(intents, moved)
	p.Insides = recorded
	// The configured scopes are determined again, since their resources have resolved locations here.
	maps.Copy(p.Insides, e.ConfiguredInsides(p.Intents))
	p.Intents = p.Insides.depend(p.Intents)
	p.Scopes = p.Insides.WithParents(p.Scopes)
	return p, nil
}

// Resolve returns the intents with resolved locations.
func (e *Locator) Resolve(ctx context.Context, intents []resource.Intent) ([]resource.Intent, error) {
	p, err := e.Locate(ctx, intents, 0)
	if err != nil {
		return nil, err
	}
	return p.Intents, nil
}

// locateNames resolves the locations of former names. They are not observed for that, because recorded resources are in
// recorded scopes. A location that cannot be resolved stays, so that its names are unknown.
func (e *Locator) locateNames(
	ctx context.Context, intents []resource.Intent, fresh []resource.Scope, moved map[resource.Scope]resource.Scope,
) {
	known := map[resource.Scope]bool{}
	for _, s := range scopesOf(intents) {
		known[s] = true
	}
	for _, s := range formerScopes(intents) {
		if known[s] {
			continue
		}
		known[s] = true
		if at, err := e.locatedBy(ctx, s, fresh); err == nil && at != s {
			moved[s] = at
		}
	}
}

// formerScopes lists the scopes of the names that configurations declare to be former or new.
func formerScopes(intents []resource.Intent) (out []resource.Scope) {
	for _, in := range intents {
		for i := range in.Resources {
			if was := in.Resources[i].Was; !was.IsZero() {
				out = append(out, was.Scope())
			}
		}
		for _, m := range in.Moved {
			out = append(out, m.From.Scope(), m.To.Scope())
		}
		for _, r := range in.Removed {
			out = append(out, r.From.Scope())
		}
	}
	return out
}

// Failure says that an account cannot be read. A provider whose locations are not accounts names the
// unreachable place in its own error.
func (e *Locator) Failure(s resource.Scope, err error) error {
	if _, ok := e.Providers[s.Provider].(provider.Describer); ok {
		return err
	}
	return fmt.Errorf("the account cannot be read: %w", err)
}

// join treats a location that could not be resolved as the recorded location that it matches, if
// that failed too and is the only match: otherwise one unreachable region would be reported twice.
// Nothing is done in either.
func (p *Places) join(moved map[resource.Scope]resource.Scope) {
	for s := range p.Failed {
		var same []resource.Scope
		for other := range p.Failed {
			if other.Provider == s.Provider && strings.HasSuffix(other.Location, "/"+s.Location) {
				same = append(same, other)
			}
		}
		// A location that fits several recorded ones could be any of them.
		if len(same) == 1 {
			moved[s] = same[0]
			delete(p.Failed, s)
		}
	}
}

// freshScopes are the locations that were read in full within an age.
func (e *Locator) freshScopes(ctx context.Context, maxAge time.Duration) (out []resource.Scope, err error) {
	if maxAge <= 0 {
		return nil, nil
	}
	scans, err := e.Ledger.Scans(ctx, 0)
	if err != nil {
		return nil, fmt.Errorf("read the age of observations: %w", err)
	}
	now := e.Clock()
	for _, s := range scans {
		if s.Complete && now.Sub(s.Confirmed) <= maxAge {
			out = append(out, s.Scope)
		}
	}
	return out, nil
}

// locatedBy asks the provider to resolve a location: the record of an account does not show the credentials. Only a
// location that is written in full and was read recently can do without an answer.
func (e *Locator) locatedBy(ctx context.Context, s resource.Scope, fresh []resource.Scope) (resource.Scope, error) {
	at, err := e.Located(ctx, s)
	// The record must not replace the answer that a location is not one of the credentials: the plan would act in a
	// place that the credentials do not belong to.
	cause := provider.CauseOf(err)
	refused := cause == provider.Denied || cause == provider.Configuration || errors.Is(err, provider.ErrElsewhere)
	if err != nil && !refused && slices.Contains(fresh, s) {
		return s, nil
	}
	return at, err
}

// unresolved returns why a recorded location may be a configured one that could not be resolved; nil if it is not.
// Nothing is concluded of it then: its resources may be configured.
func (p *Places) unresolved(s resource.Scope) error {
	for f, err := range p.Failed {
		if f.Provider == s.Provider && strings.HasSuffix(s.Location, "/"+f.Location) {
			return err
		}
	}
	return nil
}

// Located asks the provider to resolve a location, if it is a Locator. Any other provider has no unresolved locations.
func (e *Locator) Located(ctx context.Context, s resource.Scope) (resource.Scope, error) {
	l, ok := e.Providers[s.Provider].(provider.Locator)
	if !ok {
		return s, nil
	}
	location, err := l.Locate(ctx, s.Location)
	return resource.Scope{Provider: s.Provider, Location: location}, e.Conceal(err)
}

// recordedScopes are the scopes where the stacks own something, or left an action open. An open
// action counts although its stack owns nothing yet: its create may have succeeded.
func (e *Locator) recordedScopes(ctx context.Context, intents []resource.Intent) ([]resource.Scope, error) {
	var out []resource.Scope
	stacks := StacksOf(intents)
	for _, stack := range stacks {
		scopes, err := e.Ledger.Scopes(ctx, stack)
		if err != nil {
			return nil, fmt.Errorf("read the locations of stack %s: %w", stack, err)
		}
		out = append(out, scopes...)
	}
	opens, err := e.Ledger.OpenActions(ctx)
	if err != nil {
		return nil, fmt.Errorf("open actions: %w", err)
	}
	for _, o := range opens {
		if slices.Contains(stacks, o.Ref.Stack) {
			out = append(out, o.Ref.Scope())
		}
	}
	slices.SortFunc(out, resource.Scope.Compare)
	return slices.Compact(out), nil
}

// scopesOf lists the scopes of the intents. The order is fixed, so that two plans read and record
// in the same order.
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

// StacksOf returns the stacks of intents, sorted.
func StacksOf(intents []resource.Intent) []string {
	var out []string
	for _, i := range intents {
		out = append(out, i.Stack)
	}
	slices.SortFunc(out, strings.Compare)
	return slices.Compact(out)
}
