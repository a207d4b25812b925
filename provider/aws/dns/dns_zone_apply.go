package dns

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
	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/resource"
)

// zonesOfName reads the zones of one domain, which may be several. ListHostedZonesByName continues
// with the next domain, so the list ends at the first zone of another domain.
func zonesOfName(ctx context.Context, g *api.Region, name string) ([]zone, error) {
	var next, id *string
	all, err := api.Pages(ctx, "route53.ListHostedZonesByName",
		func(ctx context.Context, _ *string) ([]types.HostedZone, *string, error) {
			from := next
			if from == nil {
				from = &name
			}
			out, err := g.DNS.ListHostedZonesByName(ctx, &route53.ListHostedZonesByNameInput{DNSName: from, HostedZoneId: id})
			if err != nil {
				return nil, nil, err
			}
			next, id = out.NextDNSName, out.NextHostedZoneId
			same := slices.DeleteFunc(out.HostedZones,
				func(z types.HostedZone) bool { return api.Domain(aws.ToString(z.Name)) != name })
			if !out.IsTruncated || api.Domain(aws.ToString(next)) != name {
				return same, nil, nil
			}
			return same, id, nil
		})
	if err != nil {
		return nil, err
	}
	return withZoneTags(ctx, g, all)
}

// hostedFor finds the zone that a request has created, or another one of the domain that sees the
// same. A private zone may have the domain of a public one. Two public zones of a domain can exist
// in Route 53, and only the one that the registrar names is served; so a second one is refused
// here.
func hostedFor(ctx context.Context, g *api.Region, r provider.Request) (own, other *zone, err error) {
	name, _ := api.Text(r.Desired.Attrs, api.DomainAttr)
	_, private := r.Desired.Attrs.Get(api.KindVPC)
	all, err := zonesOfName(ctx, g, name)
	for i, z := range all {
		switch {
		case r.Key != "" && (z.tags[api.TagKey] == r.Key || aws.ToString(z.CallerReference) == "ovi|"+r.Key):
			own = &all[i]
		case z.id() != r.Have.ID && !private && (z.Config == nil || !z.Config.PrivateZone):
			other = &all[i]
		}
	}
	return own, other, err
}

// checkZone reports a public zone of the same domain that this request did not create. A private
// zone is not checked here: Route 53 refuses a second one of its domain in a VPC
// (ConflictingDomainExists).
func checkZone(ctx context.Context, g *api.Region, r provider.Request) error {
	own, other, err := hostedFor(ctx, g, r)
	if err == nil && own == nil && other != nil {
		err = api.Taken(observedZone(g, *other), r)
	}
	return err
}

// createZone names its caller reference by the key: a second call creates nothing, and finds what the first
// one created. The tags follow in a call of their own, which is repeated until it was made.
func createZone(ctx context.Context, g *api.Region, r provider.Request) (resource.Observed, error) {
	own, other, err := hostedFor(ctx, g, r)
	switch {
	case err != nil:
		return resource.Observed{}, err
	case own == nil && other != nil:
		return resource.Observed{}, api.Taken(observedZone(g, *other), r)
	}
	var id string
	if own != nil {
		id = own.id()
	} else if id, err = hostZone(ctx, g, r); err != nil {
		return resource.Observed{}, err
	}
	if err := tagZone(ctx, g, id, g.BirthTags(r, false), nil); err != nil {
		return resource.Observed{}, err
	}
	return readZone(ctx, g, id)
}

// hostZone creates a zone once. Amazon Route 53 API Reference, CreateHostedZone: the caller
// reference "allows failed CreateHostedZone requests to be retried without the risk of executing
// the operation twice". A second call with it fails with HostedZoneAlreadyExists, and the first
// zone is searched for. If the wait for the name servers fails, the zone exists, and the next
// attempt finds it by its key without another wait.
func hostZone(ctx context.Context, g *api.Region, r provider.Request) (string, error) {
	a := r.Desired.Attrs
	in := &route53.CreateHostedZoneInput{
		Name: api.DesiredText(a, api.DomainAttr), CallerReference: aws.String(callerReference(g, g.BirthTags(r, false))),
		HostedZoneConfig: &types.HostedZoneConfig{Comment: api.DesiredText(a, "comment")},
	}
	if vpc := api.DesiredText(a, api.KindVPC); vpc != nil {
		in.VPC = &types.VPC{VPCId: vpc, VPCRegion: types.VPCRegion(g.Name)}
		in.HostedZoneConfig.PrivateZone = true
	}
	out, err := g.DNS.CreateHostedZone(ctx, in)
	switch {
	case err == nil:
		return zoneID(out.HostedZone.Id), awaitDNS(ctx, g, out.ChangeInfo)
	case !api.HasCode(err, "HostedZoneAlreadyExists"):
		return "", api.Classify("", err)
	}
	var id string
	lost := g.AwaitSeen(ctx, g.Wait.Appear, "the zone of an earlier attempt", func(ctx context.Context) error {
		own, _, err := hostedFor(ctx, g, r)
		if err == nil && own == nil {
			return api.ErrWait
		}
		if err == nil {
			id = own.id()
		}
		return err
	})
	return id, lost
}

// awaitDNS waits until a change has reached all name servers, which takes a minute. During the wait
// of propagation, a change that GetChange does not know yet counts as pending.
func awaitDNS(ctx context.Context, g *api.Region, change *types.ChangeInfo) error {
	if change == nil || change.Status == types.ChangeStatusInsync {
		return nil
	}
	id := aws.String(strings.TrimPrefix(aws.ToString(change.Id), "/change/"))
	return g.AwaitSeen(ctx, g.Wait.Compute, "the name servers of Route 53 to have the change "+*id,
		func(ctx context.Context) error {
			out, err := g.DNS.GetChange(ctx, &route53.GetChangeInput{Id: id})
			if err == nil && out.ChangeInfo.Status != types.ChangeStatusInsync {
				return api.ErrWait
			}
			return api.Classify("", err)
		})
}

// zoneTagged is how many tags one call sets or removes.
const zoneTagged = 10

// tagZone sets and removes tags of a zone, and keeps the others. ChangeTagsForResource sets and
// removes at most 10 tags per call (Amazon Route 53 API Reference) and may be repeated.
func tagZone(ctx context.Context, g *api.Region, id string, set map[string]string, drop []string) error {
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
		in := &route53.ChangeTagsForResourceInput{
			ResourceType: types.TagResourceTypeHostedzone, ResourceId: aws.String(id),
			RemoveTagKeys: keys,
		}
		if err := changeZoneTags(ctx, g, in); err != nil {
			return err
		}
	}
	return nil
}

// changeZoneTags repeats a change of tags while Route 53 processes another change of the zone.
func changeZoneTags(ctx context.Context, g *api.Region, in *route53.ChangeTagsForResourceInput) error {
	return g.Patiently(ctx, g.Wait.Appear, func() error {
		_, err := g.DNS.ChangeTagsForResource(ctx, in)
		return api.Classify("", err)
	}, priorRequest)
}

// priorRequest: Route 53 makes one change of a zone at a time. Amazon Route 53 API Reference,
// PriorRequestNotComplete: until then "it will reject subsequent requests for the same hosted
// zone".
const priorRequest = "PriorRequestNotComplete"

// updateZone changes the comment, the only attribute of a zone that is not fixed. An empty comment
// is not sent, and Route 53 then deletes the existing one (Amazon Route 53 API Reference,
// UpdateHostedZoneComment).
func updateZone(ctx context.Context, g *api.Region, r provider.Request) (resource.Observed, error) {
	if api.Changed(r, "comment") {
		_, err := g.DNS.UpdateHostedZoneComment(ctx,
			&route53.UpdateHostedZoneCommentInput{
				Id:      aws.String(r.Have.ID),
				Comment: api.DesiredText(r.Desired.Attrs, "comment"),
			})
		if err != nil {
			return resource.Observed{}, api.Classify("", err)
		}
	}
	return readZone(ctx, g, r.Have.ID)
}

// deleteZone: a zone that has records stays, and they are named; ovi deletes none that it does not
// own. Amazon Route 53 API Reference, DeleteHostedZone: a zone can be deleted only if it has no
// records besides its own SOA and NS records. A zone with DNSSEC signing is refused by the same
// code, and the error may name no record then.
func deleteZone(ctx context.Context, g *api.Region, r provider.Request) error {
	id := r.Have.ID
	err := g.Patiently(ctx, g.Wait.Appear, func() error {
		_, err := g.DNS.DeleteHostedZone(ctx, &route53.DeleteHostedZoneInput{Id: aws.String(id)})
		return api.Classify("", err)
	}, priorRequest)
	if !api.HasCode(err, "HostedZoneNotEmpty") {
		return api.UnlessAbsent(err)
	}
	all, bad := records(ctx, g, id)
	// The refusal says more than a failed list.
	if bad != nil {
		return err
	}
	var names []string
	const some = 5
	domain, _ := api.Text(r.Have.Attrs, api.DomainAttr)
	for _, s := range all {
		if api.Domain(aws.ToString(s.Name)) == domain && (s.Type == types.RRTypeNs || s.Type == types.RRTypeSoa) {
			continue
		}
		if names = append(names, api.Domain(aws.ToString(s.Name))+" "+string(s.Type)); len(names) > some {
			names[some] = "others"
			break
		}
	}
	return api.InUse("route53.DeleteHostedZone",
		fmt.Errorf("the zone %s has records that are not deleted with it: %s", id, strings.Join(names, ", ")),
		"delete them, then apply again; ovi deletes none that it does not manage")
}
