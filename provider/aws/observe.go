package aws

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/resource"
)

// Observe reads the requested kinds of one region, in parallel and in pages; only buckets take calls of
// their own. What allOrOwn reads honors the request's filter. A kind whose list failed or was denied, if
// only a page of it, is unreachable, and the others are not affected. If no kind can be read, that is an
// error.
func (p *Provider) Observe(ctx context.Context, r provider.ObserveRequest) (resource.Snapshot, error) {
	g, err := p.at(ctx, r.Scope.Location)
	if err != nil {
		return resource.Snapshot{}, err // the observer adds the scope
	}
	out, err := provider.SnapshotOf(
		resource.Scope{Provider: api.ProviderName, Location: g.Location()}, g.Clock(), p.list(ctx, g, r))
	// An interrupted observation is an error: a snapshot would report the unread kinds as
	// unreachable.
	if ctx.Err() != nil {
		return resource.Snapshot{}, api.Classify("", context.Cause(ctx))
	}
	if err != nil {
		return resource.Snapshot{}, err
	}
	// Nil means all kinds, and a filtered snapshot must name them.
	if len(out.Complete) == len(p.kinds) && out.Filtered == nil {
		out.Complete = nil
	}
	return out, nil
}

// list reads the kinds asked for in parallel.
func (p *Provider) list(ctx context.Context, g *api.Region, r provider.ObserveRequest) []provider.Listing {
	kinds := slices.DeleteFunc(slices.Sorted(maps.Keys(p.kinds)), func(name string) bool {
		return r.Kinds != nil && !slices.Contains(r.Kinds, name)
	})
	s := &api.Sweep{Region: g, Filter: r.Filter}
	return provider.ReadKinds(ctx, r, kinds, g.Clock, func(ctx context.Context, name string) provider.Listing {
		k := p.kinds[name]
		all, err := k.List(ctx, s)
		if err == nil {
			all, err = withKnown(ctx, g, k, all, r.Known)
		}
		return provider.Listing{
			Resources: distinct(all), Filtered: r.Filter.Omits(name) && k.ByTag, Err: api.Classify("", err),
		}
	})
}

// withKnown reads resources by id if a list does not show them yet: lists lag behind, and a
// resource that is missing from them might be created a second time. If that fails, the list is not
// complete. A known resource that AWS no longer has is no failure: it was deleted, and the plan
// shows that.
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
// are named by their ids, without the slashes of an ARN, which no name has. The names do not depend on the order of
// AWS's pages, so that two observations of the same state are equal.
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
		all[i].Ref.Name, again = strings.ReplaceAll(all[i].ID, "/", "_"), true
	}
	if again {
		slices.SortFunc(all, order)
	}
	return all
}
