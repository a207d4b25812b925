package aws

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	ec2types "github.com/aws/aws-sdk-go-v2/service/ec2/types"
	rdstypes "github.com/aws/aws-sdk-go-v2/service/rds/types"
	"golang.org/x/sync/errgroup"

	"github.com/ovi-project/ovi/resource"
)

// lists is one look at a region, as AWS tells it.
type lists struct {
	vpcs      []ec2types.Vpc
	subnets   []ec2types.Subnet
	groups    []ec2types.SecurityGroup
	instances []ec2types.Instance
	volumes   []ec2types.Volume
	databases []rdstypes.DBInstance
	buckets   []bucket
}

// Observe reads everything of the kinds in one region, by lists alone: pages, never a call
// for each thing, but for buckets. A page that fails, or a list that is denied, fails it all.
func (p *Provider) Observe(ctx context.Context, s resource.Scope) (resource.Snapshot, error) {
	g, err := p.at(ctx, s.Location)
	if err != nil {
		return resource.Snapshot{}, err // the observer says of what
	}
	at := g.clock()
	seen, err := g.list(ctx)
	if err != nil {
		return resource.Snapshot{}, classify("", err)
	}
	return resource.Snapshot{
		Scope:     resource.Scope{Provider: Name, Location: g.location()},
		At:        at,
		Resources: distinct(g.gather(seen)),
	}, nil
}

// list reads all lists side by side.
func (g *region) list(ctx context.Context) (*lists, error) {
	var l lists
	work, ctx := errgroup.WithContext(ctx)
	for _, list := range []func() error{
		func() (err error) { l.vpcs, err = g.vpcs(ctx, &ec2.DescribeVpcsInput{}); return err },
		func() (err error) { l.subnets, err = g.subnets(ctx, &ec2.DescribeSubnetsInput{}); return err },
		func() (err error) { l.groups, err = g.groups(ctx, &ec2.DescribeSecurityGroupsInput{}); return err },
		func() (err error) {
			l.instances, err = g.instances(ctx, &ec2.DescribeInstancesInput{Filters: living()})
			return err
		},
		func() (err error) { l.volumes, err = g.volumes(ctx, &ec2.DescribeVolumesInput{}); return err },
		func() (err error) { l.databases, err = g.databases(ctx); return err },
		func() (err error) { l.buckets, err = g.buckets(ctx); return err },
	} {
		work.Go(list)
	}
	return &l, work.Wait()
}

// gather reads the lists as things. Root disks belong to their instances.
func (g *region) gather(l *lists) []resource.Observed {
	out := make([]resource.Observed, 0, len(l.vpcs)+len(l.subnets)+len(l.groups)+len(l.instances)+len(l.volumes)+len(l.databases)+len(l.buckets))
	for _, v := range l.vpcs {
		out = append(out, g.observedVPC(v))
	}
	for _, s := range l.subnets {
		out = append(out, g.observedSubnet(s))
	}
	for _, s := range l.groups {
		out = append(out, g.observedGroup(s))
	}
	byID := make(map[string]*ec2types.Volume, len(l.volumes))
	for i := range l.volumes {
		byID[aws.ToString(l.volumes[i].VolumeId)] = &l.volumes[i]
	}
	alive := make(map[string]bool, len(l.instances))
	for _, i := range l.instances {
		if gone(i) {
			continue
		}
		alive[aws.ToString(i.InstanceId)] = true
		root := rootID(i)
		out = append(out, g.observedInstance(i, byID[root]))
		delete(byID, root)
	}
	for _, v := range l.volumes {
		if byID[aws.ToString(v.VolumeId)] != nil && !leaving(v, alive) {
			out = append(out, g.observedVolume(v))
		}
	}
	for _, d := range l.databases {
		if !deleting(d) {
			out = append(out, g.observedDB(d))
		}
	}
	for _, b := range l.buckets {
		out = append(out, g.observedBucket(b))
	}
	return out
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
		if o := &all[i]; o.Ref == all[i-1].Ref && !o.Managed {
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
	case a.Managed == b.Managed:
		return 0
	case a.Managed:
		return -1
	}
	return 1
}
