package dns

import (
	"context"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/route53"
	"github.com/aws/aws-sdk-go-v2/service/route53/types"

	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/provider/aws/identity"
	"github.com/ovi-project/ovi/resource"
)

const (
	// KindZone is the kind dns_zone.
	KindZone   = "dns_zone"
	servers    = "name_servers"
	zonePrefix = "Z"
)

func kindOfZone() api.Kind {
	return api.Kind{
		Schema: resource.Kind{
			Provider: api.ProviderName, Name: KindZone,
			Doc: "The records of a domain (hosted zone of Route 53).\n\n" +
				"Zones belong to the account and not to a region: one is reported in the region of its ovi:ref tag, an unmanaged " +
				"one in each. A domain is served by its zone once its registrar names the zone's name_servers. A second zone of " +
				"one domain is not created: adopt the one that exists.",
			NamePattern: api.TagName, NameDoc: api.TagNameDoc, NameAttr: api.DomainAttr, DataLoss: loseZone,
			Canonical: canonicalZone, CrossCheck: api.CrossChecks(api.TagTraits{}, oneZone),
			Holds: holdsZone, HoldsDoc: "its domain, in an account if it is public, else in its VPC",
			Spans: true,
			Attrs: []resource.Attribute{
				{
					Name: api.DomainAttr, Type: resource.TString, Required: true, Effect: resource.Replace, Pattern: api.DomainPattern,
					Max: api.Bound(api.DomainMax), Example: "example.com", Doc: "The domain.",
				},
				{
					Name: api.KindVPC, Type: resource.TString, Effect: resource.Replace, RefKind: api.KindVPC, IDPrefix: "vpc-",
					Example: "main", Doc: "The VPC that sees it. If omitted, the zone is public.",
				},
				{Name: "comment", Type: resource.TString, Max: api.Bound(256), Example: "of the shop", Doc: "A " +
					"description."},
				{
					Name: servers, Type: resource.TList, Elem: &resource.Attribute{Type: resource.TString}, Computed: true,
					Doc: "Its name servers, which the registrar of the domain has to name; a private zone has none.",
				},
			},
		},
		List: listZones, Read: readZone, Tag: tagZone, Check: checkZone,
		Create: createZone, Update: updateZone, Remove: deleteZone,
		Calls: api.Calls{
			Service: "route53",
			Observes: "GetChange GetHostedZone ListHostedZones ListHostedZonesByName ListResourceRecordSets " +
				"ListTagsForResources",
			Deletes:  "DeleteHostedZone",
			Untagged: ":AssociateVPCWithHostedZone ChangeTagsForResource CreateHostedZone UpdateHostedZoneComment",
			Others:   []string{"ec2:DescribeVpcs"},
		},
	}
}

// loseZone: a new zone of the domain has other name servers, which its registrar must be told
// first. Amazon Route 53 API Reference, DeleteHostedZone: this update "can require up to 48 hours
// to take effect".
func loseZone(o resource.Observed, _ resource.Attrs) string {
	if names := o.Attrs.Texts(servers); len(names) > 0 {
		return "the name servers " + strings.Join(names, ", ") + ", which a new zone does not have"
	}
	return ""
}

// canonicalZone writes the domain in lower case and without a dot at its end.
func canonicalZone(a resource.Attrs) (resource.Attrs, []resource.Problem) {
	if s, ok := api.Text(a, api.DomainAttr); ok {
		a = a.With(api.DomainAttr, resource.String(api.Domain(s)))
	}
	return a, nil
}

// holdsZone: a second public zone of a domain is refused, and a VPC sees one private zone of a domain
// (ConflictingDomainExists).
func holdsZone(ref resource.Ref, a resource.Attrs, _ resource.State) []resource.Hold {
	domain, _ := api.Text(a, api.DomainAttr)
	of, private := api.Inside(a, api.KindVPC)
	if !private {
		of = api.Account(ref)
	}
	return []resource.Hold{{What: "zone", Of: of, Name: domain, Identity: true}}
}

// oneZone: public zones of one domain would exclude each other. The account is part of the key and
// the region is not, because a zone belongs to its account.
func oneZone(c *api.Checking) {
	first := map[string]*resource.Desired{}
	for _, d := range c.Configured {
		name, _ := api.Text(d.Attrs, api.DomainAttr)
		v, private := d.Attrs.Get(api.KindVPC)
		account, _ := api.AccountAndRegion(d.Ref.Location)
		key := account + " " + name
		if private {
			key += " " + string(resource.AppendJSON(nil, v))
		}
		if other := first[key]; other != nil {
			c.Wrong(d, api.DomainAttr, "use one zone for a domain", "duplicate zone of %s: it is dns_zone/%s too", name,
				api.WhereConfigured(other))
			continue
		}
		first[key] = d
	}
}

// zone is a hosted zone with its tags and, if it is ours, with what no list has. servers and vpcs
// are empty until wholeZone has read the zone. A private zone has no servers.
type zone struct {
	types.HostedZone
	tags    map[string]string
	servers []string
	vpcs    []string
}

func (z zone) id() string { return zoneID(z.Id) }

// zoneID is an ID as it is used everywhere but in answers of Route 53.
func zoneID(id *string) string { return strings.TrimPrefix(aws.ToString(id), "/hostedzone/") }

// zonesTagged is how many zones' tags one call reads.
const zonesTagged = 10

// withZoneTags reads the tags. What was deleted since fails the whole call for its group: then each is read
// alone, and what is absent is left away. Every other error fails the list: a zone without its tags
// would pass for unmanaged.
func withZoneTags(ctx context.Context, g *api.Region, all []types.HostedZone) ([]zone, error) {
	var out []zone
	for len(all) > 0 {
		some := all[:min(zonesTagged, len(all))]
		all = all[len(some):]
		tagged, err := zoneTags(ctx, g, some)
		if api.Absent(err) {
			tagged, err = nil, nil
			for i := range some {
				one, gone := zoneTags(ctx, g, some[i:i+1])
				if gone != nil && !api.Absent(gone) {
					return nil, gone
				}
				tagged = append(tagged, one...)
			}
		}
		if err != nil {
			return nil, err
		}
		out = append(out, tagged...)
	}
	return out, nil
}

// zoneTags reads the tags of at most zonesTagged zones by one call. If one of the zones does not
// exist, the whole call fails with an error that is absent.
func zoneTags(ctx context.Context, g *api.Region, some []types.HostedZone) ([]zone, error) {
	in := &route53.ListTagsForResourcesInput{ResourceType: types.TagResourceTypeHostedzone}
	for i := range some {
		in.ResourceIds = append(in.ResourceIds, zoneID(some[i].Id))
	}
	all, err := g.DNS.ListTagsForResources(ctx, in)
	if err != nil {
		return nil, api.Classify("", err)
	}
	tags := map[string]map[string]string{}
	for _, s := range all.ResourceTagSets {
		own := map[string]string{}
		for _, t := range s.Tags {
			own[aws.ToString(t.Key)] = aws.ToString(t.Value)
		}
		tags[aws.ToString(s.ResourceId)] = own
	}
	out := make([]zone, len(some))
	for i := range some {
		out[i] = zone{HostedZone: some[i], tags: zoneMarks(some[i], tags[zoneID(some[i].Id)])}
	}
	return out, nil
}

// zoneMarks are the tags of a zone. It gets them by a call of its own, after it was created: until
// then what created it is in its caller reference, so that no zone of ours is without marks at any
// moment. The caller reference cannot be changed after the creation, so the tags have priority: an
// adoption changes only them.
func zoneMarks(z types.HostedZone, tags map[string]string) map[string]string {
	if len(tags) > 0 {
		return tags
	}
	const parts = 5
	p := strings.Split(aws.ToString(z.CallerReference), "|")
	if len(p) != parts || p[0] != "ovi" {
		return tags
	}
	return map[string]string{
		api.TagManaged: "true", api.TagKey: p[1], api.TagOwner: p[2], api.TagStack: p[3],
		api.TagRef: p[4],
	}
}

// callerReference makes a second call of a create create nothing, whoever makes it and when. A
// reference has at most 128 characters. If the marks do not fit, or contain the separator, the key
// alone is used: then an interrupted creation is found by the key only. zoneMarks reads the long
// form.
func callerReference(g *api.Region, tags map[string]string) string {
	const most = 128
	out := strings.Join([]string{"ovi", tags[api.TagKey], tags[api.TagOwner], tags[api.TagStack], tags[api.TagRef]}, "|")
	if len(out) > most || strings.Count(out, "|") != 4 {
		return "ovi|" + tags[api.TagKey]
	}
	return out
}

// wholeZone adds what only the read of one zone has: name servers and VPCs.
func wholeZone(ctx context.Context, g *api.Region, z zone) (zone, error) {
	out, err := g.DNS.GetHostedZone(ctx, &route53.GetHostedZoneInput{Id: z.Id})
	if err != nil {
		return z, api.Classify("", err)
	}
	z.HostedZone = *out.HostedZone
	if out.DelegationSet != nil {
		z.servers = out.DelegationSet.NameServers
	}
	for _, v := range out.VPCs {
		z.vpcs = append(z.vpcs, aws.ToString(v.VPCId))
	}
	return z, nil
}

// listZones asks for each managed zone what the list omits. A managed zone of another region is
// skipped, so that one zone is not reported twice.
func listZones(ctx context.Context, s *api.Sweep) ([]resource.Observed, error) {
	all, err := hosted(ctx, s)
	if err != nil {
		return nil, err
	}
	var out []resource.Observed
	for _, z := range all {
		if identity.OfOtherRegion(s.Region, z.tags) {
			continue
		}
		if z.tags[api.TagManaged] == "true" {
			if z, err = wholeZone(ctx, s.Region, z); api.Absent(err) {
				continue
			}
			if err != nil {
				return nil, err
			}
		}
		out = append(out, observedZone(s.Region, z))
	}
	return out, nil
}

// observedZone converts an answer of Route 53. A zone with several VPCs shows none: a configuration
// has one at most. A zone that a service of AWS created names that service as its owner.
func observedZone(g *api.Region, z zone) resource.Observed {
	o := resource.Observed{ID: z.id(), Health: resource.Healthy}
	a := api.Attrs{api.DomainAttr: resource.String(api.Domain(aws.ToString(z.Name)))}
	if z.Config != nil {
		a.Text("comment", z.Config.Comment)
	}
	if len(z.vpcs) == 1 {
		a.Text(api.KindVPC, &z.vpcs[0])
	}
	if len(z.servers) > 0 {
		a.Texts(servers, z.servers)
	}
	o.Attrs = a.Build()
	if z.LinkedService != nil {
		o.OwnedBy = aws.ToString(z.LinkedService.ServicePrincipal)
	}
	// Identify sets the owner by the tags. The linked service has priority: "you can't edit or
	// delete it using Route 53" (Amazon Route 53 API Reference, HostedZone).
	owned := o.OwnedBy
	g.Identify(&o, KindZone, api.Domain(aws.ToString(z.Name)), z.tags)
	if owned != "" {
		o.OwnedBy = owned
	}
	return o
}

// readZone returns one zone with all that it has, whatever region its tags name: the caller knows
// its ID.
func readZone(ctx context.Context, g *api.Region, id string) (resource.Observed, error) {
	z, err := wholeZone(ctx, g, zone{HostedZone: types.HostedZone{Id: aws.String(id)}})
	if err != nil {
		return resource.Observed{}, err
	}
	tagged, err := zoneTags(ctx, g, []types.HostedZone{z.HostedZone})
	if err != nil {
		return resource.Observed{}, err
	}
	z.tags = tagged[0].tags
	return observedZone(g, z), nil
}

// hosted returns the zones of a sweep, those of other regions too. Zones and records both need the list, and it is read
// once. Route 53 is not regional: each region of the account lists the same zones.
func hosted(ctx context.Context, s *api.Sweep) ([]zone, error) {
	return api.Once(s, KindZone, func() ([]zone, error) {
		all, err := api.Pages(ctx, "route53.ListHostedZones",
			func(ctx context.Context, token *string) ([]types.HostedZone, *string, error) {
				out, err := s.DNS.ListHostedZones(ctx, &route53.ListHostedZonesInput{Marker: token})
				if err != nil {
					return nil, nil, err
				}
				return out.HostedZones, out.NextMarker, nil
			})
		if err != nil {
			return nil, err
		}
		return withZoneTags(ctx, s.Region, all)
	})
}
