package dns

import (
	"encoding/xml"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/network"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

func readXML(x *core.Exchange, into any) error {
	if err := xml.Unmarshal(x.Rest.Body, into); err != nil {
		return wire.Failf("InvalidInput", "Unable to parse the request: %v", err)
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

func viewZone(x *core.Exchange, z *HostedZone) xmlHosted {
	return xmlHosted{
		Id: "/hostedzone/" + z.ID, Name: z.Domain, CallerReference: z.Caller, Config: xmlZoneConfig{z.Comment, z.Private},
		ResourceRecordSetCount: len(recordsOf(x, z.ID)),
	}
}

func nameServers(z *HostedZone) []string {
	n := int(z.Seq) % 2000
	return []string{
		"ns-" + strconv.Itoa(n) + ".awsdns-00.com", "ns-" + strconv.Itoa(n+1) + ".awsdns-01.net",
		"ns-" + strconv.Itoa(n+2) + ".awsdns-02.org", "ns-" + strconv.Itoa(n+3) + ".awsdns-03.co.uk",
	}
}

// changed begins a change, which takes a while to reach all name servers.
func changed(x *core.Exchange) xmlChangeInfo {
	c := &dnsChange{Base: x.Tx.Fresh("", ""), Life: core.Through(x.Now, x.Settle, "INSYNC", "PENDING")}
	c.ID = "C" + strings.ToUpper(c.ID[:13])
	x.Tx.Put(c)
	return xmlChangeInfo{Id: "/change/" + c.ID, Status: c.Life.First(), SubmittedAt: x.Now}
}

func getChange(x *core.Exchange) (any, error) {
	c, ok := core.Find[*dnsChange](x.Tx, "", x.Rest.Bucket)
	if !ok {
		return nil, wire.FailAs(404, "NoSuchChange", "Could not find resource with ID: %s", x.Rest.Bucket)
	}
	return struct{ ChangeInfo xmlChangeInfo }{xmlChangeInfo{"/change/" + c.ID, c.Life.At(x.Now), c.Made}}, nil
}

func zone(x *core.Exchange) (*HostedZone, error) {
	z, ok := core.Find[*HostedZone](x.Tx, "", x.Rest.Bucket)
	if !ok {
		return nil, wire.FailAs(404, "NoSuchHostedZone", "No hosted zone found with ID: %s", x.Rest.Bucket)
	}
	return z, nil
}

// createZone: the caller's reference makes it once, whatever else is asked for (Route 53 API reference:
// CreateHostedZone). Two zones may have one domain.
func createZone(x *core.Exchange) (any, error) {
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
		return nil, wire.Failf("InvalidInput", "Invalid caller reference: it must have 1 to 128 characters")
	case !DNSName.MatchString(in.Name):
		return nil, wire.Failf("InvalidDomainName", "%s is not a valid domain name", in.Name)
	}
	for _, z := range core.List[*HostedZone](x.Tx, "") {
		if z.Caller == in.CallerReference {
			return nil, wire.FailAs(409, "HostedZoneAlreadyExists",
				"A hosted zone has already been created with the specified caller reference.")
		}
	}
	z := &HostedZone{
		Base: x.Tx.Fresh("", ""), Domain: Lower(in.Name), Caller: in.CallerReference,
		Comment: in.HostedZoneConfig.Comment,
	}
	z.ID = "Z" + strings.ToUpper(z.ID[:17])
	if in.VPC != nil {
		if _, ok := core.Find[*network.VPC](x.Tx, in.VPC.VPCRegion, in.VPC.VPCId); !ok {
			return nil, wire.Failf("InvalidVPCId",
				"The VPC: %s you provided in region: %s is not authorized to make the association.", in.VPC.VPCId, in.VPC.VPCRegion)
		}
		z.Private, z.VPCs = true, []zoneIn{{in.VPC.VPCRegion, in.VPC.VPCId}}
	}
	x.Tx.Put(z)
	servers := nameServers(z)
	putRecord(x, &RecordSet{Zone: z.ID, Name: z.Domain, Type: "NS", TTL: 172800, Values: dotted(servers)})
	putRecord(x, &RecordSet{
		Zone: z.ID, Name: z.Domain, Type: "SOA", TTL: 900,
		Values: []string{servers[0] + ". awsdns-hostmaster.amazon.com. 1 7200 900 1209600 86400"},
	})
	return oneZone(x, z, new(changed(x))), nil
}

func dotted(names []string) []string {
	var out []string
	for _, n := range names {
		out = append(out, n+".")
	}
	return out
}

func oneZone(x *core.Exchange, z *HostedZone, change *xmlChangeInfo) any {
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

func getZone(x *core.Exchange) (any, error) {
	z, err := zone(x)
	if err != nil {
		return nil, err
	}
	return oneZone(x, z, nil), nil
}

func maxItems(x *core.Exchange) (int, error) {
	s := x.Rest.Query.Get("maxitems")
	if s == "" {
		return 100, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		return 0, wire.Failf("InvalidInput", "Invalid maxitems: %s", s)
	}
	return n, nil
}

func listZones(x *core.Exchange) (any, error) {
	size, err := maxItems(x)
	if err != nil {
		return nil, err
	}
	rows, next, ok := core.Cut(core.List[*HostedZone](x.Tx, ""), x.Rest.Query.Get("marker"), min(size, 100))
	if !ok {
		return nil, wire.Failf("InvalidInput", "Invalid marker.")
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
func zonesByName(x *core.Exchange) (any, error) {
	size, err := maxItems(x)
	if err != nil {
		return nil, err
	}
	from, id := x.Rest.Query.Get("dnsname"), x.Rest.Query.Get("hostedzoneid")
	all := core.List[*HostedZone](x.Tx, "")
	key := func(domain, id string) string {
		labels := strings.Split(strings.TrimSuffix(Lower(domain), "."), ".")
		slices.Reverse(labels)
		return strings.Join(labels, ".") + " " + id
	}
	slices.SortFunc(all, func(a, b *HostedZone) int { return strings.Compare(key(a.Domain, a.ID), key(b.Domain, b.ID)) })
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

func updateZone(x *core.Exchange) (any, error) {
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
	x.Tx.Put(&n)
	return struct{ HostedZone xmlHosted }{viewZone(x, &n)}, nil
}

// deleteZone: only the records that came with it may be left (Route 53 API reference: DeleteHostedZone).
func deleteZone(x *core.Exchange) (any, error) {
	z, err := zone(x)
	if err != nil {
		return nil, err
	}
	records := recordsOf(x, z.ID)
	for _, r := range records {
		if !r.ofZone(z) {
			return nil, wire.Failf("HostedZoneNotEmpty",
				"The specified hosted zone contains non-required resource record sets and so cannot be deleted.")
		}
	}
	for _, r := range records {
		x.Tx.Drop(r)
	}
	x.Tx.Drop(z)
	return struct{ ChangeInfo xmlChangeInfo }{changed(x)}, nil
}

type xmlDNSTags struct {
	ResourceType, ResourceId string
	Tags                     []core.IAMTag `xml:"Tags>Tag"`
}

// listZoneTags takes ten at most (Route 53 API reference: ListTagsForResources).
func listZoneTags(x *core.Exchange) (any, error) {
	var in struct {
		ResourceIds []string `xml:"ResourceIds>ResourceId"`
	}
	if err := readXML(x, &in); err != nil {
		return nil, err
	}
	if n := len(in.ResourceIds); n == 0 || n > 10 {
		return nil, wire.Failf("InvalidInput", "Number of resource ids should be between 1 and 10, not %d", n)
	}
	var out struct {
		Sets []xmlDNSTags `xml:"ResourceTagSets>ResourceTagSet"`
	}
	for _, id := range in.ResourceIds {
		z, ok := core.Find[*HostedZone](x.Tx, "", id)
		if !ok {
			return nil, wire.FailAs(404, "NoSuchHostedZone", "No hosted zone found with ID: %s", id)
		}
		out.Sets = append(out.Sets, xmlDNSTags{"hostedzone", id, core.IAMTagList(z.Tags)})
	}
	return out, nil
}

func changeZoneTags(x *core.Exchange) (any, error) {
	z, err := zone(x)
	if err != nil {
		return nil, err
	}
	var in struct {
		AddTags       []core.IAMTag `xml:"AddTags>Tag"`
		RemoveTagKeys []string      `xml:"RemoveTagKeys>Key"`
	}
	if err := readXML(x, &in); err != nil {
		return nil, err
	}
	if len(in.AddTags) > 10 || len(in.RemoveTagKeys) > 10 {
		return nil, wire.Failf("InvalidInput", "At most 10 tags can be added, and 10 removed, in one request")
	}
	err = x.ChangeTags(z, func(have map[string]string) {
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

// BalancerZone is the zone of the names of load balancers in us-east-1 ("Elastic Load Balancing endpoints
// and quotas"). The sandbox has it in all regions.
const BalancerZone = "Z35SXDOTRQ7X7K"
