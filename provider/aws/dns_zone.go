package aws

import (
	"context"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/route53"
	"github.com/aws/aws-sdk-go-v2/service/route53/types"

	"github.com/ovi-project/ovi/resource"
)

const (
	kindZone   = "dns_zone"
	domainAttr = "domain"
	servers    = "name_servers"
	zonePrefix = "Z"

	// domainPattern is for names as they are mostly written: Route 53 takes more characters, escaped.
	domainPattern = `(\*\.)?([A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?\.)*[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?\.?`
	domainMax     = 255
)

func kindOfZone() kind {
	return kind{
		schema: resource.Kind{
			Provider: Name, Name: kindZone,
			Doc: "The records of a domain (hosted zone of Route 53).\n\n" +
				"Zones belong to the account and not to a region: one is reported in the region of its ovi:ref tag, an unmanaged one in each. A domain is served by its zone once its registrar names the zone's name_servers. A second zone of one domain is not created: adopt the one that exists.",
			NamePattern: tagName, NameDoc: tagNameDoc, NameAttr: domainAttr, DataLoss: loseZone,
			Canonical: canonicalZone, CrossCheck: crossChecks(tagTraits{}, oneZone),
			Attrs: []resource.Attribute{
				{Name: domainAttr, Type: resource.TString, Required: true, Effect: resource.Replace, Pattern: domainPattern, Max: bound(domainMax), Example: "example.com", Doc: "The domain."},
				{
					Name: kindVPC, Type: resource.TString, Effect: resource.Replace, RefKind: kindVPC, IDPrefix: "vpc-",
					Example: "main", Doc: "The VPC that sees it. If omitted, the zone is public.",
				},
				{Name: "comment", Type: resource.TString, Max: bound(256), Example: "of the shop", Doc: "What it is for."},
				{Name: servers, Type: resource.TList, Elem: &resource.Attribute{Type: resource.TString}, Computed: true, Doc: "Its name servers, which the registrar of the domain has to name; a private zone has none."},
			},
		},
		list: listZones, read: readZone, tag: tagZone, check: checkZone,
		create: createZone, update: updateZone, remove: deleteZone,
	}
}

// loseZone: a new zone of the domain has other name servers, which its registrar must be told first.
func loseZone(o resource.Observed, _ resource.Attrs) string {
	if names := o.Attrs.Texts(servers); len(names) > 0 {
		return "the name servers " + strings.Join(names, ", ") + ", which a new zone does not have"
	}
	return ""
}

func canonicalZone(a resource.Attrs) (resource.Attrs, []resource.Problem) {
	if s, ok := text(a, domainAttr); ok {
		a = a.With(domainAttr, resource.String(domain(s)))
	}
	return a, nil
}

// domain is a name in the form in which two are compared. Route 53 reports it with a dot at its end and
// with \052 for a star ("DNS domain name format").
func domain(s string) string {
	return strings.TrimSuffix(strings.ToLower(strings.ReplaceAll(s, `\052`, "*")), ".")
}

// oneZone: public zones of one domain would exclude each other.
func oneZone(c *checking) {
	first := map[string]*resource.Desired{}
	for _, d := range c.configured {
		name, _ := text(d.Attrs, domainAttr)
		v, private := d.Attrs.Get(kindVPC)
		account, _ := accountAndRegion(d.Ref.Location)
		key := account + " " + name
		if private {
			key += " " + string(resource.AppendJSON(nil, v))
		}
		if other := first[key]; other != nil {
			c.wrong(d, domainAttr, "use one zone for a domain", "duplicate zone of %s: it is dns_zone/%s too", name, location(other))
			continue
		}
		first[key] = d
	}
}

// zone is a hosted zone with its tags and, if it is ours, with what no list has.
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

// hostedZones reads them all, those of other regions too.
func hostedZones(ctx context.Context, g *region) ([]zone, error) {
	all, err := pages(ctx, "route53.ListHostedZones", func(ctx context.Context, token *string) ([]types.HostedZone, *string, error) {
		out, err := g.dns.ListHostedZones(ctx, &route53.ListHostedZonesInput{Marker: token})
		if err != nil {
			return nil, nil, err
		}
		return out.HostedZones, out.NextMarker, nil
	})
	if err != nil {
		return nil, err
	}
	return withZoneTags(ctx, g, all)
}

// withZoneTags reads the tags. What was deleted since fails the whole call for its group: then each is read
// alone, and what is absent is left away.
func withZoneTags(ctx context.Context, g *region, all []types.HostedZone) ([]zone, error) {
	var out []zone
	for len(all) > 0 {
		some := all[:min(zonesTagged, len(all))]
		all = all[len(some):]
		tagged, err := zoneTags(ctx, g, some)
		if absent(err) {
			tagged, err = nil, nil
			for i := range some {
				one, gone := zoneTags(ctx, g, some[i:i+1])
				if gone != nil && !absent(gone) {
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

func zoneTags(ctx context.Context, g *region, some []types.HostedZone) ([]zone, error) {
	in := &route53.ListTagsForResourcesInput{ResourceType: types.TagResourceTypeHostedzone}
	for i := range some {
		in.ResourceIds = append(in.ResourceIds, zoneID(some[i].Id))
	}
	all, err := g.dns.ListTagsForResources(ctx, in)
	if err != nil {
		return nil, classify("", err)
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

// zoneMarks are the tags of a zone. It gets them by a call of its own, after it was created: until then what
// created it is in its caller reference, so that no zone of ours is without marks at any moment.
func zoneMarks(z types.HostedZone, tags map[string]string) map[string]string {
	if len(tags) > 0 {
		return tags
	}
	const parts = 5
	p := strings.Split(aws.ToString(z.CallerReference), "|")
	if len(p) != parts || p[0] != "ovi" {
		return tags
	}
	return map[string]string{tagManaged: "true", tagKey: p[1], tagOwner: p[2], tagStack: p[3], tagRef: p[4]}
}

// callerReference makes a second call of a create create nothing, whoever makes it and when.
func callerReference(g *region, tags map[string]string) string {
	const most = 128
	out := strings.Join([]string{"ovi", tags[tagKey], tags[tagOwner], tags[tagStack], tags[tagRef]}, "|")
	if len(out) > most || strings.Count(out, "|") != 4 {
		return "ovi|" + tags[tagKey]
	}
	return out
}

// wholeZone adds what only the read of one zone has: name servers and VPCs.
func wholeZone(ctx context.Context, g *region, z zone) (zone, error) {
	out, err := g.dns.GetHostedZone(ctx, &route53.GetHostedZoneInput{Id: z.Id})
	if err != nil {
		return z, classify("", err)
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

// listZones asks for each managed zone what the list omits.
func listZones(ctx context.Context, s *sweep) ([]resource.Observed, error) {
	all, err := hosted(ctx, s)
	if err != nil {
		return nil, err
	}
	var out []resource.Observed
	for _, z := range all {
		if ofOtherRegion(s.region, z.tags) {
			continue
		}
		if z.tags[tagManaged] == "true" {
			if z, err = wholeZone(ctx, s.region, z); absent(err) {
				continue
			}
			if err != nil {
				return nil, err
			}
		}
		out = append(out, observedZone(s.region, z))
	}
	return out, nil
}

func observedZone(g *region, z zone) resource.Observed {
	o := resource.Observed{ID: z.id(), Health: resource.Healthy}
	a := attrs{domainAttr: resource.String(domain(aws.ToString(z.Name)))}
	if z.Config != nil {
		a.text("comment", z.Config.Comment)
	}
	if len(z.vpcs) == 1 {
		a.text(kindVPC, &z.vpcs[0])
	}
	if len(z.servers) > 0 {
		a.texts(servers, z.servers)
	}
	o.Attrs = a.done()
	if z.LinkedService != nil {
		o.OwnedBy = aws.ToString(z.LinkedService.ServicePrincipal)
	}
	owned := o.OwnedBy
	g.identify(&o, kindZone, domain(aws.ToString(z.Name)), z.tags)
	if owned != "" {
		o.OwnedBy = owned
	}
	return o
}

func readZone(ctx context.Context, g *region, id string) (resource.Observed, error) {
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

func hosted(ctx context.Context, s *sweep) ([]zone, error) {
	return once(s, kindZone, func() ([]zone, error) { return hostedZones(ctx, s.region) })
}
