package aws

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"golang.org/x/sync/errgroup"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// Observe reads all kinds of one region in pages; only buckets take calls of their own. A page
// that fails, or a list that is denied, fails the observation.
func (p *Provider) Observe(ctx context.Context, r provider.ObserveRequest) (resource.Snapshot, error) {
	g, err := p.at(ctx, r.Scope.Location)
	if err != nil {
		return resource.Snapshot{}, err // the observer adds the scope
	}
	at := g.clock()
	all, err := p.list(ctx, g)
	if err != nil {
		return resource.Snapshot{}, classify("", err)
	}
	return resource.Snapshot{
		Scope:     resource.Scope{Provider: Name, Location: g.location()},
		At:        at,
		Resources: distinct(all),
	}, nil
}

// list reads all kinds in parallel.
func (p *Provider) list(ctx context.Context, g *region) ([]resource.Observed, error) {
	var mu sync.Mutex
	var all []resource.Observed
	work, ctx := errgroup.WithContext(ctx)
	s := newSweep(ctx, g)
	for _, k := range p.kinds {
		work.Go(func() error {
			listed, err := k.list(ctx, s)
			mu.Lock()
			defer mu.Unlock()
			all = append(all, listed...)
			return err
		})
	}
	return all, work.Wait()
}

// sweep is one observation of a region. A list that two kinds need is read once.
type sweep struct {
	*region
	instances func() ([]ec2types.Instance, error) // that are not terminated
	volumes   func() ([]ec2types.Volume, error)
}

func newSweep(ctx context.Context, g *region) *sweep {
	return &sweep{
		region: g,
		instances: sync.OnceValues(func() ([]ec2types.Instance, error) {
			all, err := g.instances(ctx, &ec2.DescribeInstancesInput{Filters: living()})
			return slices.DeleteFunc(all, gone), err
		}),
		volumes: sync.OnceValues(func() ([]ec2types.Volume, error) { return g.volumes(ctx, &ec2.DescribeVolumesInput{}) }),
	}
}

func listVPCs(ctx context.Context, s *sweep) ([]resource.Observed, error) {
	all, err := s.vpcs(ctx, &ec2.DescribeVpcsInput{})
	return observedAs(all, err, s.observedVPC)
}

func listSubnets(ctx context.Context, s *sweep) ([]resource.Observed, error) {
	all, err := s.subnets(ctx, &ec2.DescribeSubnetsInput{})
	return observedAs(all, err, s.observedSubnet)
}

func listGroups(ctx context.Context, s *sweep) ([]resource.Observed, error) {
	all, err := s.groups(ctx, &ec2.DescribeSecurityGroupsInput{})
	return observedAs(all, err, s.observedGroup)
}

// listInstances needs the volumes too: a root volume belongs to its instance.
func listInstances(_ context.Context, s *sweep) ([]resource.Observed, error) {
	all, err := s.instances()
	if err != nil {
		return nil, err
	}
	volumes, err := s.volumes()
	if err != nil {
		return nil, err
	}
	byID := make(map[string]*ec2types.Volume, len(volumes))
	for i := range volumes {
		byID[aws.ToString(volumes[i].VolumeId)] = &volumes[i]
	}
	return observedAs(all, nil, func(i ec2types.Instance) resource.Observed { return s.observedInstance(i, byID[rootID(i)]) })
}

// listVolumes needs the instances too: a root volume is no resource.
func listVolumes(_ context.Context, s *sweep) ([]resource.Observed, error) {
	all, err := s.volumes()
	if err != nil {
		return nil, err
	}
	instances, err := s.instances()
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
	return observedAs(own, nil, s.observedVolume)
}

func listDatabases(ctx context.Context, s *sweep) ([]resource.Observed, error) {
	all, err := s.databases(ctx)
	return observedAs(slices.DeleteFunc(all, deleting), err, s.observedDB)
}

func listBuckets(ctx context.Context, s *sweep) ([]resource.Observed, error) {
	all, err := s.buckets(ctx)
	return observedAs(all, err, s.observedBucket)
}

func observedAs[T any](all []T, err error, observed func(T) resource.Observed) ([]resource.Observed, error) {
	if err != nil {
		return nil, err
	}
	out := make([]resource.Observed, len(all))
	for i := range all {
		out[i] = observed(all[i])
	}
	return out, nil
}

// leaving are volumes on their way out: deleted ones, and those that go with an instance which
// is no longer alive.
func leaving(v ec2types.Volume, alive map[string]bool) bool {
	if v.State == ec2types.VolumeStateDeleting || v.State == ec2types.VolumeStateDeleted {
		return true
	}
	return slices.ContainsFunc(v.Attachments, func(a ec2types.VolumeAttachment) bool {
		return aws.ToBool(a.DeleteOnTermination) && !alive[aws.ToString(a.InstanceId)]
	})
}

// distinct sorts by ref, ovi's own first, and gives every thing that is nobody's a ref of its
// own. Two that both carry ovi's tags for one ref stay so: which of them is meant cannot be
// known here, and the comparator concludes nothing from them.
func distinct(all []resource.Observed) []resource.Observed {
	order := func(a, b resource.Observed) int {
		return cmp.Or(a.Ref.Compare(b.Ref), unmanagedLast(a, b), a.Since.Compare(b.Since), cmp.Compare(a.ID, b.ID))
	}
	slices.SortFunc(all, order)
	again := false
	for i := 1; i < len(all); i++ {
		if o := &all[i]; o.Ref == all[i-1].Ref && o.Marks.IsZero() {
			o.Ref.Name = aside(o.Ref.Name, o.ID)
			again = true
		}
	}
	if again {
		return distinct(all)
	}
	return all
}

// aside is another name for a thing whose name is taken: its id, or that with a mark.
func aside(name, id string) string {
	if strings.HasPrefix(name, id) {
		return name + "~"
	}
	return id
}

// unmanagedLast puts ovi's own first of those with one ref.
func unmanagedLast(a, b resource.Observed) int {
	switch {
	case a.Marks.IsZero() == b.Marks.IsZero():
		return 0
	case !a.Marks.IsZero():
		return -1
	}
	return 1
}
