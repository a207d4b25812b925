package dns

import (
	"context"
	"net/netip"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/route53"
	"github.com/aws/aws-sdk-go-v2/service/route53/types"

	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/resource"
)

const (
	// KindRecord is the kind dns_record.
	KindRecord = "dns_record"
	recordType = "record_type"
	valuesAttr = "values"
	zoneAttr   = "zone"
)

func kindOfRecord() api.Kind {
	return api.Kind{
		Schema: resource.Kind{
			Provider: api.ProviderName, Name: KindRecord,
			Doc: "A record of a dns_zone: all values of one name and type.\n\n" +
				"Route 53 keeps no tags on records: that ovi owns one is known from the record of its creation or adoption " +
				"alone, and one that exists is never taken over. Its ID is ZONE/NAME/TYPE, as in " +
				"Z0123456789ABC/www.example.com/A. An unmanaged record is reported in every region; those with a routing policy " +
				"are not managed.",
			NamePattern: api.TagName, NameDoc: api.TagNameDoc, NoTags: true, Carrier: resource.NoMarks,
			ByAttrs: true, Everywhere: true,
			Canonical: canonicalRecord, CrossCheck: api.CrossChecks(api.TagTraits{}, recordsInZones, oneRecord),
			Holds: holdsRecord, HoldsDoc: "its domain and type in its zone; a CNAME, its domain for all types",
			Attrs: []resource.Attribute{
				{
					Name: zoneAttr, Type: resource.TString, Required: true, Effect: resource.Replace, RefKind: KindZone,
					IDPrefix: zonePrefix, Example: "main", Doc: "The zone that has it.",
				},
				{
					Name: api.DomainAttr, Type: resource.TString, Required: true, Effect: resource.Replace, Pattern: api.DomainPattern,
					Max: api.Bound(api.DomainMax), Example: "www.example.com",
					Doc: "Its whole name; *.example.com for all that have no record of their own.",
				},
				{
					Name: recordType, Type: resource.TString, Required: true, Effect: resource.Replace,
					Enum: recordTypes(), Example: "A", Doc: "Its type.",
				},
				{
					Name: valuesAttr, Type: resource.TSet, Min: api.Bound(1),
					Elem: &resource.Attribute{Type: resource.TString, Max: api.Bound(4000)}, Example: "[192.0.2.1]",
					Doc: "Its values, as in a zone file; of TXT the text alone, without quotes. Set it or alias.",
				},
				{
					Name: "ttl", Type: resource.TInt,
					HarmlessDefault: true, CreateDefault: resource.Int(300), Min: api.Bound(0), Max: api.Bound(2147483647),
					Unit:    "s",
					Example: "60", Doc: "For how long others may keep it, in seconds. An alias has none.",
				},
				{
					Name: api.AliasAttr, Type: resource.TObject, Fields: aliasFields(),
					Example: "{dns_name: ${load_balancer/web.dns_name}, zone_id: ${load_balancer/web.zone_id}}",
					Doc: "The AWS resource to which the record is an alias, such as a load balancer; A and " +
						"AAAA records only. Use references.",
				},
			},
		},
		List: listRecords, Read: readRecord, Tag: tagRecord, Check: checkRecord,
		Create: createRecord, Update: updateRecord, Remove: deleteRecord,
		Calls: api.Calls{
			Service:  "route53",
			Observes: "GetChange ListHostedZones ListResourceRecordSets ListTagsForResources",
			Untagged: "ChangeResourceRecordSets",
		},
	}
}

// aliasFields are the parts of an alias. A load_balancer has its values for both names as
// attributes.
func aliasFields() []resource.Attribute {
	return []resource.Attribute{
		{
			Name: "dns_name", Type: resource.TString, Required: true, Fits: sameTarget, Example: "${load_balancer/web.dns_name}",
			Doc: "The DNS name of the AWS resource.",
		},
		{
			Name: "zone_id", Type: resource.TString, Required: true, Example: "${load_balancer/web.zone_id}",
			Doc: "The hosted zone of that name.",
		},
		{
			Name: "check_health", Type: resource.TBool, Example: "true",
			Doc: "Whether answers omit it while what it stands for is not healthy. If omitted, false.",
		},
	}
}

// sameTarget: Route 53 stores names in lower case, and the console writes load balancers' names
// with dualstack. A value that is not a text, such as a reference, differs.
func sameTarget(desired, observed resource.Value) resource.Fit {
	want, ok := desired.(resource.String)
	have, is := observed.(resource.String)
	plain := func(s resource.String) string { return strings.TrimPrefix(api.Domain(string(s)), "dualstack.") }
	if ok && is && plain(want) == plain(have) {
		return resource.Equivalent
	}
	return resource.Differs
}

// canonicalRecord: a record has values or stands for something, and values have one form. A value
// that is a reference is not checked. The values are sorted, because their order means nothing.
func canonicalRecord(a resource.Attrs) (resource.Attrs, []resource.Problem) {
	if s, ok := api.Text(a, api.DomainAttr); ok {
		a = a.With(api.DomainAttr, resource.String(api.Domain(s)))
	}
	kind, _ := api.Text(a, recordType)
	v, set := a.Get(valuesAttr)
	_, alias := a.Get(api.AliasAttr)
	if set == alias {
		return a, []resource.Problem{{
			Path: valuesAttr, Summary: "a record needs either values or alias",
			Suggestion: "set one of the two",
		}}
	}
	if alias {
		if _, ttl := a.Get("ttl"); ttl {
			return a, []resource.Problem{{Path: "ttl", Summary: "an alias has no TTL of its own", Suggestion: "remove ttl"}}
		}
		if kind != "A" && kind != "AAAA" {
			return a, []resource.Problem{{
				Path: recordType, Summary: "an alias is of type A or AAAA, not " + kind,
				Suggestion: "use record_type: A",
			}}
		}
		return a, nil
	}
	list, _ := v.(resource.List)
	out := slices.Clone(list)
	for i, e := range out {
		s, plain := e.(resource.String)
		if !plain {
			continue
		}
		value, summary, suggestion := recordValue(kind, string(s))
		if summary != "" {
			return a, []resource.Problem{{Path: valuesAttr, Summary: summary, Suggestion: suggestion}}
		}
		out[i] = resource.String(value)
	}
	// Amazon Route 53 API Reference, ResourceRecord: "You can specify more than one value for all
	// record types except CNAME and SOA".
	if kind == "CNAME" && len(out) > 1 {
		return a, []resource.Problem{{Path: valuesAttr, Summary: "a CNAME has one value", Suggestion: "remove the others"}}
	}
	return a.With(valuesAttr, resource.SortSet(out)), nil
}

// recordValue is a value in the form in which it is reported, or what is wrong with it ("Supported DNS record
// types").
func recordValue(kind, s string) (value, summary, suggestion string) {
	addr, err := netip.ParseAddr(s)
	switch {
	case kind == "A" && (err != nil || !addr.Is4()):
		return "", "A needs IPv4 addresses, not " + s, "use for example 192.0.2.1; a name needs CNAME or alias"
	case kind == "AAAA" && (err != nil || !addr.Is6() || addr.Zone() != ""):
		return "", "AAAA needs IPv6 addresses, not " + s, "use for example 2001:db8::1"
	case kind == "A", kind == "AAAA":
		return addr.String(), "", ""
	case kind == "MX" && len(strings.Fields(s)) != 2:
		return "", "MX needs a priority and a name, not " + s, `use for example "10 mail.example.com"`
	case kind == "TXT" && strings.HasPrefix(s, `"`) && strings.HasSuffix(s, `"`) && len(s) > 1:
		return "", "the text has quotes around it", "write the text alone: ovi adds the quotes"
	}
	return plainValue(kind, s), "", ""
}

// plainValue is a value without the dot at the end of a name. All observed values pass through it,
// and all configured values except addresses, so that two spellings of one value are equal.
func plainValue(kind, s string) string {
	switch kind {
	case "TXT":
		return unquoteText(s)
	case "CNAME", "MX", "NS", "SRV", "PTR":
		return strings.TrimSuffix(strings.Join(strings.Fields(s), " "), ".")
	case "AAAA":
		if addr, err := netip.ParseAddr(s); err == nil {
			return addr.String()
		}
	}
	return s
}

// recordsInZones: a record has the domain of its zone, and an alias of the zone itself is no CNAME.
// A CNAME at the top of a zone is refused by DNS itself, because the SOA and NS records are there
// (Amazon Route 53 Developer Guide, "Supported DNS record types").
func recordsInZones(c *api.Checking) {
	for _, d := range c.Configured {
		z := c.Other(d, zoneAttr)
		if z == nil {
			continue
		}
		name, plain := api.Text(d.Attrs, api.DomainAttr)
		of, known := api.Text(z.Attrs, api.DomainAttr)
		switch {
		case !known || !plain: // a reference
		case name != of && !strings.HasSuffix(name, "."+of):
			c.Wrong(d, api.DomainAttr, "use for example "+strings.TrimSuffix(name, ".")+"."+of, "%s is not in the zone %s", name,
				of)
		case name == of && api.DesiredIs(d.Attrs, recordType, "CNAME"):
			c.Wrong(d, recordType, "use an alias, or A and AAAA", "the domain of a zone cannot be a CNAME")
		}
	}
}

// recordTypes are the types that a record can have.
func recordTypes() []string {
	return []string{"A", "AAAA", "CNAME", "TXT", "MX", "NS", "SRV", "CAA", "PTR"}
}

// holdsRecord: a CNAME excludes the other types of its domain too. Its own type is the identity;
// the other types only keep a CNAME and other records of the domain from existing at the same time.
func holdsRecord(_ resource.Ref, a resource.Attrs, _ resource.State) (out []resource.Hold) {
	zone, _ := api.Inside(a, zoneAttr)
	domain, _ := api.Text(a, api.DomainAttr)
	own, _ := api.Text(a, recordType)
	types := []string{own}
	if own == "CNAME" {
		types = recordTypes()
	}
	for _, t := range types {
		out = append(out, resource.Hold{What: "record", Of: zone, Name: domain + " " + t, Identity: t == own})
	}
	return out
}

// oneRecord: a name has one record of a type, and a CNAME has no other one beside it. References
// are skipped: their domains are not known before the plan is applied.
func oneRecord(c *api.Checking) {
	type at struct{ zone, name string }
	first := map[at]map[string]*resource.Desired{}
	for _, d := range c.Configured {
		v, _ := d.Attrs.Get(zoneAttr)
		name, plain := api.Text(d.Attrs, api.DomainAttr)
		if !plain { // a reference
			continue
		}
		kind, _ := api.Text(d.Attrs, recordType)
		key := at{d.Ref.Location + " " + string(resource.AppendJSON(nil, v)), name}
		if first[key] == nil {
			first[key] = map[string]*resource.Desired{}
		}
		for k, other := range first[key] {
			switch {
			case k == kind:
				c.Wrong(d, api.DomainAttr, "write all values in one record", "duplicate record %s %s: it is dns_record/%s too",
					name, kind, api.WhereConfigured(other))
			case k == "CNAME" || kind == "CNAME":
				c.Wrong(d, recordType, "remove one of them", "%s has a CNAME, which allows no other record: "+
					"dns_record/%s", name,
					api.WhereConfigured(other))
			}
		}
		first[key][kind] = d
	}
}

// records reads those of a zone, all types. Amazon Route 53 API Reference, ListResourceRecordSets:
// a page starts at name, type and identifier, and has no token. The three together are used as the
// token, so that a page which comes twice is found. A record that changes while the pages are read
// may have its old values in the list, which the next observation corrects.
func records(ctx context.Context, g *api.Region, zone string) ([]types.ResourceRecordSet, error) {
	in := &route53.ListResourceRecordSetsInput{HostedZoneId: aws.String(zone)}
	return api.Pages(ctx, "route53.ListResourceRecordSets",
		func(ctx context.Context, _ *string) ([]types.ResourceRecordSet, *string, error) {
			out, err := g.DNS.ListResourceRecordSets(ctx, in)
			if err != nil {
				return nil, nil, err
			}
			if !out.IsTruncated {
				return out.ResourceRecordSets, nil, nil
			}
			in.StartRecordName, in.StartRecordType, in.StartRecordIdentifier = out.NextRecordName, out.NextRecordType,
				out.NextRecordIdentifier
			next := aws.ToString(out.NextRecordName) + " " + string(out.NextRecordType) + " " +
				aws.ToString(out.NextRecordIdentifier)
			return out.ResourceRecordSets, &next, nil
		})
}

// listRecords asks each zone: there is no list of them all. A zone that was deleted between the two
// calls is skipped; any other error makes the list fail, because a list without one zone would pass
// for deleted records.
func listRecords(ctx context.Context, s *api.Sweep) ([]resource.Observed, error) {
	zones, err := hosted(ctx, s)
	if err != nil {
		return nil, err
	}
	var out []resource.Observed
	for _, z := range zones {
		all, err := records(ctx, s.Region, z.id())
		if api.Absent(err) {
			continue // it was deleted since
		}
		if err != nil {
			return nil, err
		}
		for i := range all {
			out = append(out, observedRecord(s.Region, z.id(), api.Domain(aws.ToString(z.Name)), all[i]))
		}
	}
	return out, nil
}

// recordID is ZONE/NAME/TYPE, and for one with a routing policy its identifier. Route 53 has no IDs
// of records. recordByID reads this form.
func recordID(zone string, s types.ResourceRecordSet) string {
	id := zone + "/" + api.Domain(aws.ToString(s.Name)) + "/" + string(s.Type)
	if s.SetIdentifier != nil {
		id += "/" + *s.SetIdentifier
	}
	return id
}

// observedRecord converts an answer of Route 53. A record with a routing policy belongs to a set
// that this kind cannot express, so it is reported as owned. The NS and SOA records of the zone
// itself came with it and are reported as defaults. The parameter named of is the domain of the
// zone. It is empty if the caller reads a single record: then the two records of the zone have no
// such message.
func observedRecord(g *api.Region, zone, of string, s types.ResourceRecordSet) resource.Observed {
	o := resource.Observed{ID: recordID(zone, s), Health: resource.Healthy}
	name, kind := api.Domain(aws.ToString(s.Name)), string(s.Type)
	a := api.Attrs{
		zoneAttr: resource.String(zone), api.DomainAttr: resource.String(name),
		recordType: resource.String(kind),
	}
	if s.TTL != nil {
		a["ttl"] = resource.Int(*s.TTL)
	}
	if t := s.AliasTarget; t != nil {
		a[api.AliasAttr] = resource.AttrsOf(api.Attrs{
			"dns_name":     resource.String(api.Domain(aws.ToString(t.DNSName))),
			"zone_id":      resource.String(aws.ToString(t.HostedZoneId)),
			"check_health": resource.Bool(t.EvaluateTargetHealth),
		})
	} else {
		list := resource.List{}
		for _, v := range s.ResourceRecords {
			list = append(list, resource.String(plainValue(kind, aws.ToString(v.Value))))
		}
		a[valuesAttr] = resource.SortSet(list)
	}
	o.Attrs = a.Build()
	g.Identify(&o, KindRecord, name+"-"+kind, nil)
	if s.SetIdentifier != nil {
		o.OwnedBy = "routing policy " + *s.SetIdentifier
		o.Ref.Name += "-" + *s.SetIdentifier
	}
	if name == of && (s.Type == types.RRTypeNs || s.Type == types.RRTypeSoa) {
		o.Message = resource.ProviderDefault
	}
	return o
}
