package awsfake

import (
	"encoding/xml"
	"slices"
	"strconv"
	"strings"
	"time"
)

func readXML(x *exchange, into any) error {
	if err := xml.Unmarshal(x.rest.Body, into); err != nil {
		return failf("InvalidInput", "Unable to parse the request: %v", err)
	}
	return nil
}

type xmlZoneConfig struct {
	Comment     string `xml:",omitempty"`
	PrivateZone bool
}

type xmlZoneVPC struct {
	VPCRegion string
	VPCId     string
}

type xmlHosted struct {
	Id, Name, CallerReference string
	Config                    xmlZoneConfig
	ResourceRecordSetCount    int
}

type xmlDelegation struct {
	NameServers []string `xml:"NameServers>NameServer"`
}

type xmlChangeInfo struct {
	Id, Status  string
	SubmittedAt time.Time
}

func viewZone(x *exchange, z *hostedZone) xmlHosted {
	return xmlHosted{
		Id: "/hostedzone/" + z.ID, Name: z.Domain, CallerReference: z.Caller, Config: xmlZoneConfig{z.Comment, z.Private},
		ResourceRecordSetCount: len(recordsOf(x, z.ID)),
	}
}

func nameServers(z *hostedZone) []string {
	n := int(z.Seq) % 2000
	return []string{
		"ns-" + strconv.Itoa(n) + ".awsdns-00.com", "ns-" + strconv.Itoa(n+1) + ".awsdns-01.net",
		"ns-" + strconv.Itoa(n+2) + ".awsdns-02.org", "ns-" + strconv.Itoa(n+3) + ".awsdns-03.co.uk",
	}
}

// changed begins a change, which takes a while to reach all name servers.
func changed(x *exchange) xmlChangeInfo {
	c := &dnsChange{base: x.tx.fresh("", ""), Life: through(x.now, x.settle, "INSYNC", "PENDING")}
	c.ID = "C" + strings.ToUpper(c.ID[:13])
	x.tx.put(c)
	return xmlChangeInfo{Id: "/change/" + c.ID, Status: c.Life.first(), SubmittedAt: x.now}
}

func getChange(x *exchange) (any, error) {
	c, ok := find[*dnsChange](x.tx, "", x.rest.Bucket)
	if !ok {
		return nil, failAs(404, "NoSuchChange", "Could not find resource with ID: %s", x.rest.Bucket)
	}
	return struct{ ChangeInfo xmlChangeInfo }{xmlChangeInfo{"/change/" + c.ID, c.Life.at(x.now), c.Made}}, nil
}

func zone(x *exchange) (*hostedZone, error) {
	z, ok := find[*hostedZone](x.tx, "", x.rest.Bucket)
	if !ok {
		return nil, failAs(404, "NoSuchHostedZone", "No hosted zone found with ID: %s", x.rest.Bucket)
	}
	return z, nil
}

// createZone: the caller's reference makes it once, whatever else is asked for (Route 53 API reference:
// CreateHostedZone). Two zones may have one domain.
func createZone(x *exchange) (any, error) {
	var in struct {
		CallerReference, Name string
		HostedZoneConfig      xmlZoneConfig
		VPC                   *xmlZoneVPC
	}
	if err := readXML(x, &in); err != nil {
		return nil, err
	}
	switch {
	case in.CallerReference == "" || len(in.CallerReference) > 128:
		return nil, failf("InvalidInput", "Invalid caller reference: it must have 1 to 128 characters")
	case !dnsName.MatchString(in.Name):
		return nil, failf("InvalidDomainName", "%s is not a valid domain name", in.Name)
	}
	for _, z := range list[*hostedZone](x.tx, "") {
		if z.Caller == in.CallerReference {
			return nil, failAs(409, "HostedZoneAlreadyExists", "A hosted zone has already been created with the specified caller reference.")
		}
	}
	z := &hostedZone{base: x.tx.fresh("", ""), Domain: dnsLower(in.Name), Caller: in.CallerReference, Comment: in.HostedZoneConfig.Comment}
	z.ID = "Z" + strings.ToUpper(z.ID[:17])
	if in.VPC != nil {
		if _, ok := find[*vpc](x.tx, in.VPC.VPCRegion, in.VPC.VPCId); !ok {
			return nil, failf("InvalidVPCId", "The VPC: %s you provided in region: %s is not authorized to make the association.", in.VPC.VPCId, in.VPC.VPCRegion)
		}
		z.Private, z.VPCs = true, []zoneIn{{in.VPC.VPCRegion, in.VPC.VPCId}}
	}
	x.tx.put(z)
	servers := nameServers(z)
	putRecord(x, &recordSet{Zone: z.ID, Name: z.Domain, Type: "NS", TTL: 172800, Values: dotted(servers)})
	putRecord(x, &recordSet{Zone: z.ID, Name: z.Domain, Type: "SOA", TTL: 900, Values: []string{servers[0] + ". awsdns-hostmaster.amazon.com. 1 7200 900 1209600 86400"}})
	return oneZone(x, z, ptr(changed(x))), nil
}

func ptr[T any](v T) *T { return &v }

func dotted(names []string) []string {
	var out []string
	for _, n := range names {
		out = append(out, n+".")
	}
	return out
}

func oneZone(x *exchange, z *hostedZone, change *xmlChangeInfo) any {
	out := struct {
		HostedZone    xmlHosted
		ChangeInfo    *xmlChangeInfo `xml:",omitempty"`
		DelegationSet *xmlDelegation `xml:",omitempty"`
		VPCs          []xmlZoneVPC   `xml:"VPCs>VPC"`
	}{HostedZone: viewZone(x, z), ChangeInfo: change}
	if !z.Private {
		out.DelegationSet = &xmlDelegation{nameServers(z)}
	}
	for _, v := range z.VPCs {
		out.VPCs = append(out.VPCs, xmlZoneVPC{v.Region, v.VPC})
	}
	return out
}

func getZone(x *exchange) (any, error) {
	z, err := zone(x)
	if err != nil {
		return nil, err
	}
	return oneZone(x, z, nil), nil
}

func maxItems(x *exchange) (int, error) {
	s := x.rest.Query.Get("maxitems")
	if s == "" {
		return 100, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		return 0, failf("InvalidInput", "Invalid maxitems: %s", s)
	}
	return n, nil
}

func listZones(x *exchange) (any, error) {
	size, err := maxItems(x)
	if err != nil {
		return nil, err
	}
	rows, next, ok := cut(list[*hostedZone](x.tx, ""), x.rest.Query.Get("marker"), min(size, 100))
	if !ok {
		return nil, failf("InvalidInput", "Invalid marker.")
	}
	out := struct {
		HostedZones []xmlHosted `xml:"HostedZones>HostedZone"`
		IsTruncated bool
		NextMarker  string `xml:",omitempty"`
		MaxItems    int
	}{IsTruncated: next != "", NextMarker: next, MaxItems: size}
	for _, z := range rows {
		out.HostedZones = append(out.HostedZones, viewZone(x, z))
	}
	return out, nil
}

// zonesByName lists by domain, beginning with the one asked for; the order is that of the labels from
// the right (Route 53 API reference: ListHostedZonesByName).
func zonesByName(x *exchange) (any, error) {
	size, err := maxItems(x)
	if err != nil {
		return nil, err
	}
	from, id := x.rest.Query.Get("dnsname"), x.rest.Query.Get("hostedzoneid")
	all := list[*hostedZone](x.tx, "")
	key := func(domain, id string) string {
		labels := strings.Split(strings.TrimSuffix(dnsLower(domain), "."), ".")
		slices.Reverse(labels)
		return strings.Join(labels, ".") + " " + id
	}
	slices.SortFunc(all, func(a, b *hostedZone) int { return strings.Compare(key(a.Domain, a.ID), key(b.Domain, b.ID)) })
	out := struct {
		HostedZones                   []xmlHosted `xml:"HostedZones>HostedZone"`
		DNSName, HostedZoneId         string
		IsTruncated                   bool
		NextDNSName, NextHostedZoneId string
		MaxItems                      int
	}{DNSName: from, HostedZoneId: id, MaxItems: size}
	for _, z := range all {
		switch {
		case from != "" && key(z.Domain, z.ID) < key(from, id):
		case len(out.HostedZones) == min(size, 100):
			out.IsTruncated, out.NextDNSName, out.NextHostedZoneId = true, z.Domain, z.ID
			return out, nil
		default:
			out.HostedZones = append(out.HostedZones, viewZone(x, z))
		}
	}
	return out, nil
}

func updateZone(x *exchange) (any, error) {
	z, err := zone(x)
	if err != nil {
		return nil, err
	}
	var in struct{ Comment string }
	if err := readXML(x, &in); err != nil {
		return nil, err
	}
	n := *z
	n.Comment = in.Comment
	x.tx.put(&n)
	return struct{ HostedZone xmlHosted }{viewZone(x, &n)}, nil
}

// deleteZone: only the records that came with it may be left (Route 53 API reference: DeleteHostedZone).
func deleteZone(x *exchange) (any, error) {
	z, err := zone(x)
	if err != nil {
		return nil, err
	}
	records := recordsOf(x, z.ID)
	for _, r := range records {
		if !r.ofZone(z) {
			return nil, failf("HostedZoneNotEmpty", "The specified hosted zone contains non-required resource record sets and so cannot be deleted.")
		}
	}
	for _, r := range records {
		x.tx.drop(r)
	}
	x.tx.drop(z)
	return struct{ ChangeInfo xmlChangeInfo }{changed(x)}, nil
}

type xmlDNSTags struct {
	ResourceType, ResourceId string
	Tags                     []xmlIAMTag `xml:"Tags>Tag"`
}

// listZoneTags takes ten at most (Route 53 API reference: ListTagsForResources).
func listZoneTags(x *exchange) (any, error) {
	var in struct {
		ResourceIds []string `xml:"ResourceIds>ResourceId"`
	}
	if err := readXML(x, &in); err != nil {
		return nil, err
	}
	if n := len(in.ResourceIds); n == 0 || n > 10 {
		return nil, failf("InvalidInput", "Number of resource ids should be between 1 and 10, not %d", n)
	}
	var out struct {
		Sets []xmlDNSTags `xml:"ResourceTagSets>ResourceTagSet"`
	}
	for _, id := range in.ResourceIds {
		z, ok := find[*hostedZone](x.tx, "", id)
		if !ok {
			return nil, failAs(404, "NoSuchHostedZone", "No hosted zone found with ID: %s", id)
		}
		out.Sets = append(out.Sets, xmlDNSTags{"hostedzone", id, iamTagList(z.Tags)})
	}
	return out, nil
}

func changeZoneTags(x *exchange) (any, error) {
	z, err := zone(x)
	if err != nil {
		return nil, err
	}
	var in struct {
		AddTags       []xmlIAMTag `xml:"AddTags>Tag"`
		RemoveTagKeys []string    `xml:"RemoveTagKeys>Key"`
	}
	if err := readXML(x, &in); err != nil {
		return nil, err
	}
	if len(in.AddTags) > 10 || len(in.RemoveTagKeys) > 10 {
		return nil, failf("InvalidInput", "At most 10 tags can be added, and 10 removed, in one request")
	}
	err = x.changeTags(z, func(have map[string]string) {
		for _, t := range in.AddTags {
			have[t.Key] = t.Value
		}
		for _, k := range in.RemoveTagKeys {
			delete(have, k)
		}
	})
	if err != nil {
		return nil, err
	}
	return struct{}{}, nil
}

// balancerZone is the zone of the names of load balancers in us-east-1 ("Elastic Load Balancing endpoints
// and quotas"). The sandbox has it in all regions.
const balancerZone = "Z35SXDOTRQ7X7K"
