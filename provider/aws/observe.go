package aws

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/resource"
)

// Observe reads the kinds of one region that the request asks for, side by side and in pages;
// only buckets take calls of their own. What allOrOwn reads honors the request's filter. A kind whose list failed or
// was denied, if only a page of
// it, is unreachable, and the others are not affected. If no kind can be read, that is an error.
func (p *Provider) Observe(ctx context.Context, r provider.ObserveRequest) (resource.Snapshot, error) {
	g, err := p.at(ctx, r.Scope.Location)
	if err != nil {
		return resource.Snapshot{}, err // the observer adds the scope
	}
	out := resource.Snapshot{Scope: resource.Scope{Provider: api.ProviderName, Location: g.Location()}, At: g.Clock()}
	read := p.list(ctx, g, r)
	if ctx.Err() != nil {
		return resource.Snapshot{}, api.Classify("", context.Cause(ctx))
	}
	var failed error
	for _, k := range slices.Sorted(maps.Keys(read)) {
		if err := read[k].err; err != nil {
			if out.Unreachable == nil {
				out.Unreachable = map[string]error{}
			}
			out.Unreachable[k], failed = err, cmp.Or(failed, err)
			continue
		}
		out.Complete = append(out.Complete, k)
		if r.Filter != nil && p.kinds[k].ByTag {
			out.Filtered = append(out.Filtered, k)
		}
		out.Resources = append(out.Resources, read[k].resources...)
	}
	switch {
	case len(out.Complete) == 0 && failed != nil:
		return resource.Snapshot{}, failed
	case len(out.Complete) == len(p.kinds) && out.Filtered == nil:
		out.Complete = nil
	}
	out.Resources = distinct(out.Resources)
	return out, nil
}

// listing is what was read of one kind.
type listing struct {
	resources []resource.Observed
	err       error
}

// list reads the kinds asked for in parallel. One that fails does not stop the others.
func (p *Provider) list(ctx context.Context, g *api.Region, r provider.ObserveRequest) map[string]listing {
	var mu sync.Mutex
	out := map[string]listing{}
	var work errgroup.Group
	s := &api.Sweep{Region: g, Filter: r.Filter}
	for name, k := range p.kinds {
		if r.Kinds != nil && !slices.Contains(r.Kinds, name) {
			continue
		}
		work.Go(func() error {
			all, err := k.List(ctx, s)
			if err == nil {
				all, err = withKnown(ctx, g, k, all, r.Known)
			}
			mu.Lock()
			defer mu.Unlock()
			out[name] = listing{all, api.Classify("", err)}
			return nil
		})
	}
	_ = work.Wait() // the errors are in the listings
	return out
}

// withKnown asks by id for resources that a list does not show yet: lists lag behind, and what
// is missing from them may be created a second time. If that fails, the list is not complete.
func withKnown(ctx context.Context, g *api.Region, k api.Kind, listed []resource.Observed,
	known []provider.Known,
) ([]resource.Observed, error) {
	if len(known) == 0 {
		return listed, nil
	}
	ids := make(map[string]bool, len(listed))
	for i := range listed {
		ids[listed[i].ID] = true
	}
	for _, b := range known {
		if b.Kind != k.Schema.Name || ids[b.ID] {
			continue
		}
		o, err := k.Read(ctx, g, b.ID)
		if api.Absent(api.Classify("", err)) {
			continue
		}
		if err != nil {
			return nil, err
		}
		listed, ids[b.ID] = append(listed, o), true
	}
	return listed, nil
}

// distinct sorts by ref. Where several have one natural name, the oldest keeps it and the others
// are named by their ids.
func distinct(all []resource.Observed) []resource.Observed {
	order := func(a, b resource.Observed) int {
		return cmp.Or(a.Ref.Compare(b.Ref), a.Since.Compare(b.Since), cmp.Compare(a.ID, b.ID))
	}
	slices.SortFunc(all, order)
	last := resource.Ref{}
	again := false
	for i := range all {
		if all[i].Ref != last {
			last = all[i].Ref
			continue
		}
		all[i].Ref.Name, again = all[i].ID, true
	}
	if again {
		slices.SortFunc(all, order)
	}
	return all
}
