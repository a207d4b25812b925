package aws

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"golang.org/x/sync/errgroup"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// Observe reads the kinds of one region that the request asks for, side by side and in pages;
// only buckets take calls of their own. What allOrOwn reads honors the request's filter. A kind whose list failed or was denied, if only a page of
// it, is unreachable, and the others are not affected. If no kind can be read, that is an error.
func (p *Provider) Observe(ctx context.Context, r provider.ObserveRequest) (resource.Snapshot, error) {
	g, err := p.at(ctx, r.Scope.Location)
	if err != nil {
		return resource.Snapshot{}, err // the observer adds the scope
	}
	out := resource.Snapshot{Scope: resource.Scope{Provider: Name, Location: g.location()}, At: g.clock()}
	read := p.list(ctx, g, r)
	if ctx.Err() != nil {
		return resource.Snapshot{}, classify("", context.Cause(ctx))
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
		if r.Filter != nil && p.kinds[k].byTag {
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
func (p *Provider) list(ctx context.Context, g *region, r provider.ObserveRequest) map[string]listing {
	var mu sync.Mutex
	out := map[string]listing{}
	var work errgroup.Group
	s := &sweep{region: g, filter: r.Filter}
	for name, k := range p.kinds {
		if r.Kinds != nil && !slices.Contains(r.Kinds, name) {
			continue
		}
		work.Go(func() error {
			all, err := k.list(ctx, s)
			if err == nil {
				all, err = withKnown(ctx, g, k, all, r.Known)
			}
			mu.Lock()
			defer mu.Unlock()
			out[name] = listing{all, classify("", err)}
			return nil
		})
	}
	_ = work.Wait() // the errors are in the listings
	return out
}

// withKnown asks by id for resources that a list does not show yet: lists lag behind, and what
// is missing from them may be created a second time. If that fails, the list is not complete.
func withKnown(ctx context.Context, g *region, k kind, listed []resource.Observed, known []provider.Known) ([]resource.Observed, error) {
	if len(known) == 0 {
		return listed, nil
	}
	ids := make(map[string]bool, len(listed))
	for i := range listed {
		ids[listed[i].ID] = true
	}
	for _, b := range known {
		if b.Kind != k.schema.Name || ids[b.ID] {
			continue
		}
		o, err := k.read(ctx, g, b.ID)
		if absent(classify("", err)) {
			continue
		}
		if err != nil {
			return nil, err
		}
		listed, ids[b.ID] = append(listed, o), true
	}
	return listed, nil
}

// sweep is one observation of a region. A list that two kinds need is read once.
type sweep struct {
	*region
	filter *provider.Filter // nil: all is listed
	lists  sync.Map         // by name: the reads of once
}

// once reads a list of a sweep that several kinds need: who asks first reads it for all.
func once[T any](s *sweep, name string, read func() ([]T, error)) ([]T, error) {
	v, _ := s.lists.LoadOrStore(name, sync.OnceValues(read))
	return v.(func() ([]T, error))()
}

func listVPCs(ctx context.Context, s *sweep) ([]resource.Observed, error) {
	all, err := networks(ctx, s)
	return observedAs(s, all, err, observedVPC)
}

func listSubnets(ctx context.Context, s *sweep) ([]resource.Observed, error) {
	all, err := allOrOwn(s, kindSubnet, "subnet-id", func(x ec2types.Subnet) string { return aws.ToString(x.SubnetId) }, func(f []ec2types.Filter) ([]ec2types.Subnet, error) {
		return subnets(ctx, s.region, &ec2.DescribeSubnetsInput{Filters: f})
	})
	return observedAs(s, all, err, observedSubnet)
}

func listGroups(ctx context.Context, s *sweep) ([]resource.Observed, error) {
	all, err := firewalls(ctx, s)
	return observedAs(s, all, err, observedGroup)
}

// listInstances needs the volumes too: a root volume belongs to its instance.
func listInstances(ctx context.Context, s *sweep) ([]resource.Observed, error) {
	all, err := allInstances(ctx, s)
	if err != nil {
		return nil, err
	}
	volumes, err := roots(ctx, s, all)
	if err != nil {
		return nil, err
	}
	byID := make(map[string]*ec2types.Volume, len(volumes))
	for i := range volumes {
		byID[aws.ToString(volumes[i].VolumeId)] = &volumes[i]
	}
	return observedAs(s, all, nil, func(g *region, i ec2types.Instance) resource.Observed { return observedInstance(g, i, byID[rootID(i)]) })
}

// listVolumes needs the instances too: a root volume is no resource.
func listVolumes(ctx context.Context, s *sweep) ([]resource.Observed, error) {
	all, err := allVolumes(ctx, s)
	if err != nil {
		return nil, err
	}
	instances, err := users(ctx, s, all)
	if err != nil {
		return nil, err
	}
	alive, roots := make(map[string]bool, len(instances)), make(map[string]bool, len(instances))
	for _, i := range instances {
		alive[aws.ToString(i.InstanceId)], roots[rootID(i)] = true, true
	}
	var own []ec2types.Volume
	for _, v := range all {
		if !roots[aws.ToString(v.VolumeId)] && !leaving(v, alive) {
			own = append(own, v)
		}
	}
	return observedAs(s, own, nil, observedVolume)
}

func listDatabases(ctx context.Context, s *sweep) ([]resource.Observed, error) {
	all, err := databases(ctx, s.region)
	return observedAs(s, slices.DeleteFunc(all, deleting), err, observedDB)
}

func listBuckets(ctx context.Context, s *sweep) ([]resource.Observed, error) {
	all, err := buckets(ctx, s.region)
	return observedAs(s, all, err, observedBucket)
}

func observedAs[T any](s *sweep, all []T, err error, observed func(*region, T) resource.Observed) ([]resource.Observed, error) {
	if err != nil {
		return nil, err
	}
	out := make([]resource.Observed, len(all))
	for i := range all {
		out[i] = observed(s.region, all[i])
	}
	return out, nil
}

// leaving are volumes that are being deleted, and those that are deleted with an instance which
// is no longer alive.
func leaving(v ec2types.Volume, alive map[string]bool) bool {
	if v.State == ec2types.VolumeStateDeleting || v.State == ec2types.VolumeStateDeleted {
		return true
	}
	return slices.ContainsFunc(v.Attachments, func(a ec2types.VolumeAttachment) bool {
		return aws.ToBool(a.DeleteOnTermination) && !alive[aws.ToString(a.InstanceId)]
	})
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
