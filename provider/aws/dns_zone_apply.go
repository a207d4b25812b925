package aws

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/route53"
	"github.com/aws/aws-sdk-go-v2/service/route53/types"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// zonesOfName reads the zones of one domain, which may be several.
func zonesOfName(ctx context.Context, g *region, name string) ([]zone, error) {
	var next, id *string
	all, err := pages(ctx, "route53.ListHostedZonesByName", func(ctx context.Context, _ *string) ([]types.HostedZone, *string, error) {
		from := next
		if from == nil {
			from = &name
		}
		out, err := g.dns.ListHostedZonesByName(ctx, &route53.ListHostedZonesByNameInput{DNSName: from, HostedZoneId: id})
		if err != nil {
			return nil, nil, err
		}
		next, id = out.NextDNSName, out.NextHostedZoneId
		same := slices.DeleteFunc(out.HostedZones, func(z types.HostedZone) bool { return domain(aws.ToString(z.Name)) != name })
		if !out.IsTruncated || domain(aws.ToString(next)) != name {
			return same, nil, nil
		}
		return same, id, nil
	})
	if err != nil {
		return nil, err
	}
	return withZoneTags(ctx, g, all)
}

// hostedFor finds the zone that a request has created, or another one of the domain that sees the same. A
// private zone may have the domain of a public one.
func hostedFor(ctx context.Context, g *region, r provider.Request) (own, other *zone, err error) {
	name, _ := text(r.Desired.Attrs, domainAttr)
	_, private := r.Desired.Attrs.Get(kindVPC)
	all, err := zonesOfName(ctx, g, name)
	for i, z := range all {
		switch {
		case r.Key != "" && (z.tags[tagKey] == r.Key || aws.ToString(z.CallerReference) == "ovi|"+r.Key):
			own = &all[i]
		case z.id() != r.Have.ID && !private && (z.Config == nil || !z.Config.PrivateZone):
			other = &all[i]
		}
	}
	return own, other, err
}

func checkZone(ctx context.Context, g *region, r provider.Request) error {
	own, other, err := hostedFor(ctx, g, r)
	if err == nil && own == nil && other != nil {
		err = taken(observedZone(g, *other), r)
	}
	return err
}

// createZone names its caller reference by the key: a second call creates nothing, and finds what the first
// one created. The tags follow in a call of their own, which is repeated until it was made.
func createZone(ctx context.Context, g *region, r provider.Request) (resource.Observed, error) {
	own, other, err := hostedFor(ctx, g, r)
	switch {
	case err != nil:
		return resource.Observed{}, err
	case own == nil && other != nil:
		return resource.Observed{}, taken(observedZone(g, *other), r)
	}
	var id string
	if own != nil {
		id = own.id()
	} else if id, err = hostZone(ctx, g, r); err != nil {
		return resource.Observed{}, err
	}
	if err := tagZone(ctx, g, id, g.birthTags(r, false), nil); err != nil {
		return resource.Observed{}, err
	}
	return readZone(ctx, g, id)
}

// hostZone creates a zone once.
func hostZone(ctx context.Context, g *region, r provider.Request) (string, error) {
	a := r.Desired.Attrs
	in := &route53.CreateHostedZoneInput{
		Name: desired(a, domainAttr), CallerReference: aws.String(callerReference(g, g.birthTags(r, false))),
		HostedZoneConfig: &types.HostedZoneConfig{Comment: desired(a, "comment")},
	}
	if vpc := desired(a, kindVPC); vpc != nil {
		in.VPC = &types.VPC{VPCId: vpc, VPCRegion: types.VPCRegion(g.name)}
		in.HostedZoneConfig.PrivateZone = true
	}
	out, err := g.dns.CreateHostedZone(ctx, in)
	switch {
	case err == nil:
		return zoneID(out.HostedZone.Id), awaitDNS(ctx, g, out.ChangeInfo)
	case !hasCode(err, "HostedZoneAlreadyExists"):
		return "", classify("", err)
	}
	var id string
	lost := g.awaitSeen(ctx, g.wait.Appear, "the zone of an earlier attempt", func(ctx context.Context) error {
		own, _, err := hostedFor(ctx, g, r)
		if err == nil && own == nil {
			return errWait
		}
		if err == nil {
			id = own.id()
		}
		return err
	})
	return id, lost
}

// awaitDNS waits until a change has reached all name servers, which takes a minute.
func awaitDNS(ctx context.Context, g *region, change *types.ChangeInfo) error {
	if change == nil || change.Status == types.ChangeStatusInsync {
		return nil
	}
	id := aws.String(strings.TrimPrefix(aws.ToString(change.Id), "/change/"))
	return g.awaitSeen(ctx, g.wait.Compute, "the name servers of Route 53 to have the change "+*id, func(ctx context.Context) error {
		out, err := g.dns.GetChange(ctx, &route53.GetChangeInput{Id: id})
		if err == nil && out.ChangeInfo.Status != types.ChangeStatusInsync {
			return errWait
		}
		return classify("", err)
	})
}

// zoneTagged is how many tags one call sets or removes.
const zoneTagged = 10

func tagZone(ctx context.Context, g *region, id string, set map[string]string, drop []string) error {
	for keys := range slices.Chunk(slices.Sorted(maps.Keys(set)), zoneTagged) {
		in := &route53.ChangeTagsForResourceInput{ResourceType: types.TagResourceTypeHostedzone, ResourceId: aws.String(id)}
		for _, k := range keys {
			in.AddTags = append(in.AddTags, types.Tag{Key: aws.String(k), Value: aws.String(set[k])})
		}
		if err := changeZoneTags(ctx, g, in); err != nil {
			return err
		}
	}
	for keys := range slices.Chunk(drop, zoneTagged) {
		in := &route53.ChangeTagsForResourceInput{ResourceType: types.TagResourceTypeHostedzone, ResourceId: aws.String(id), RemoveTagKeys: keys}
		if err := changeZoneTags(ctx, g, in); err != nil {
			return err
		}
	}
	return nil
}

func changeZoneTags(ctx context.Context, g *region, in *route53.ChangeTagsForResourceInput) error {
	return g.patiently(ctx, g.wait.Appear, func() error {
		_, err := g.dns.ChangeTagsForResource(ctx, in)
		return classify("", err)
	}, priorRequest)
}

// priorRequest: Route 53 makes one change of a zone at a time.
const priorRequest = "PriorRequestNotComplete"

func updateZone(ctx context.Context, g *region, r provider.Request) (resource.Observed, error) {
	if changed(r, "comment") {
		_, err := g.dns.UpdateHostedZoneComment(ctx, &route53.UpdateHostedZoneCommentInput{Id: aws.String(r.Have.ID), Comment: desired(r.Desired.Attrs, "comment")})
		if err != nil {
			return resource.Observed{}, classify("", err)
		}
	}
	return readZone(ctx, g, r.Have.ID)
}

// deleteZone: a zone that has records stays, and they are named; ovi deletes none that it does not own.
func deleteZone(ctx context.Context, g *region, r provider.Request) error {
	id := r.Have.ID
	err := g.patiently(ctx, g.wait.Appear, func() error {
		_, err := g.dns.DeleteHostedZone(ctx, &route53.DeleteHostedZoneInput{Id: aws.String(id)})
		return classify("", err)
	}, priorRequest)
	if !hasCode(err, "HostedZoneNotEmpty") {
		return unlessAbsent(err)
	}
	all, bad := records(ctx, g, id)
	if bad != nil {
		return err
	}
	var names []string
	const some = 5
	for _, s := range all {
		if domain(aws.ToString(s.Name)) == recordOf(r.Have) && (s.Type == types.RRTypeNs || s.Type == types.RRTypeSoa) {
			continue
		}
		if names = append(names, domain(aws.ToString(s.Name))+" "+string(s.Type)); len(names) > some {
			names[some] = "others"
			break
		}
	}
	return conflict("route53.DeleteHostedZone", fmt.Errorf("the zone %s has records that are not deleted with it: %s", id, strings.Join(names, ", ")),
		"delete them, then apply again; ovi deletes none that it does not manage")
}

func recordOf(zone resource.Observed) string {
	name, _ := text(zone.Attrs, domainAttr)
	return name
}
