package dns

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

// DNSName is the form of a name of a record.
var DNSName = wire.Late(`^(\*\.|\\052\.)?([A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?\.)*[A-Za-z0-9_-]+\.?$`)

// Lower is a name as Route 53 stores it: in lower case, with the dot at its end and with a star, which
// it reports as \052 ("DNS domain name format").
func Lower(name string) string {
	name = strings.ToLower(strings.ReplaceAll(name, `\052`, "*"))
	return strings.TrimSuffix(name, ".") + "."
}

func dnsShown(name string) string { return strings.ReplaceAll(name, "*", `\052`) }

type xmlRecord struct {
	Name            string
	Type            string
	SetIdentifier   string     `xml:",omitempty"`
	Weight          *int64     `xml:",omitempty"`
	TTL             int64      `xml:",omitempty"`
	ResourceRecords *xmlValues `xml:",omitempty"`
	AliasTarget     *dnsAlias  `xml:",omitempty"`
}

type xmlValues struct {
	Records []xmlRecordValue `xml:"ResourceRecord"`
}

type xmlRecordValue struct{ Value string }

func recordsOf(x *core.Exchange, zone string) []*RecordSet {
	all := core.List[*RecordSet](x.Tx, "")
	return slices.DeleteFunc(all, func(r *RecordSet) bool { return r.Zone != zone })
}

func recordID(zone, name, kind, set string) string {
	return strings.Trim(zone+"/"+strings.TrimSuffix(name, ".")+"/"+kind+"/"+set, "/")
}

func putRecord(x *core.Exchange, r *RecordSet) {
	r.Base = x.Tx.Named(recordID(r.Zone, r.Name, r.Type, r.Set), "")
	x.Tx.Put(r)
}

// ofZone: the records that a zone is created with.
func (r *RecordSet) ofZone(z *HostedZone) bool {
	return r.Name == z.Domain && (r.Type == "NS" || r.Type == "SOA")
}

func viewRecord(r *RecordSet) xmlRecord {
	out := xmlRecord{
		Name: dnsShown(r.Name), Type: r.Type, SetIdentifier: r.Set, Weight: r.Weight, TTL: r.TTL,
		AliasTarget: r.Alias,
	}
	if r.Alias == nil {
		out.ResourceRecords = &xmlValues{}
		for _, v := range r.Values {
			out.ResourceRecords.Records = append(out.ResourceRecords.Records, xmlRecordValue{v})
		}
	}
	return out
}

// listRecords lists by name, the labels reversed, then type, 300 at most.
func listRecords(x *core.Exchange) (any, error) {
	z, err := zone(x)
	if err != nil {
		return nil, err
	}
	size, err := maxItems(x)
	if err != nil {
		return nil, err
	}
	key := func(name, kind, set string) string {
		labels := strings.Split(strings.TrimSuffix(Lower(name), "."), ".")
		slices.Reverse(labels)
		return strings.Join(labels, ".") + "\x00" + kind + "\x00" + set
	}
	from, q := "", x.Rest.Query
	if q.Get("name") != "" {
		from = key(q.Get("name"), q.Get("type"), q.Get("identifier"))
	}
	all := recordsOf(x, z.ID)
	slices.SortFunc(all, func(a, b *RecordSet) int {
		return cmp.Compare(key(a.Name, a.Type, a.Set), key(b.Name, b.Type, b.Set))
	})
	out := struct {
		Records              []xmlRecord `xml:"ResourceRecordSets>ResourceRecordSet"`
		IsTruncated          bool
		MaxItems             int
		NextRecordName       string `xml:",omitempty"`
		NextRecordType       string `xml:",omitempty"`
		NextRecordIdentifier string `xml:",omitempty"`
	}{MaxItems: size}
	for _, r := range all {
		switch {
		case key(r.Name, r.Type, r.Set) < from:
		case len(out.Records) == min(size, 300):
			out.IsTruncated, out.NextRecordName, out.NextRecordType, out.NextRecordIdentifier = true, dnsShown(r.Name), r.Type,
				r.Set
			return out, nil
		default:
			out.Records = append(out.Records, viewRecord(r))
		}
	}
	return out, nil
}

type xmlDNSChange struct {
	Action            string
	ResourceRecordSet xmlRecord
}

// changeRecords does all changes of a batch or none ("ChangeResourceRecordSets").
func changeRecords(x *core.Exchange) (any, error) {
	z, err := zone(x)
	if err != nil {
		return nil, err
	}
	var in struct {
		Changes []xmlDNSChange `xml:"ChangeBatch>Changes>Change"`
	}
	if err := readXML(x, &in); err != nil {
		return nil, err
	}
	for _, c := range in.Changes {
		if err := changeRecord(x, z, c); err != nil {
			return nil, err
		}
	}
	return struct{ ChangeInfo xmlChangeInfo }{changed(x)}, nil
}

func badBatch(format string, args ...any) error {
	return wire.Failf("InvalidChangeBatch", format, args...)
}

func changeRecord(x *core.Exchange, z *HostedZone, c xmlDNSChange) error {
	in := c.ResourceRecordSet
	r := &RecordSet{
		Zone: z.ID, Name: Lower(in.Name), Type: in.Type, Set: in.SetIdentifier, Weight: in.Weight,
		TTL: in.TTL,
	}
	if in.AliasTarget != nil {
		a := *in.AliasTarget
		a.DNSName = Lower(a.DNSName)
		r.Alias = &a
	}
	if in.ResourceRecords != nil {
		for _, v := range in.ResourceRecords.Records {
			r.Values = append(r.Values, v.Value)
		}
	}
	named := fmt.Sprintf("[name='%s', type='%s']", dnsShown(r.Name), r.Type)
	have, exists := core.Find[*RecordSet](x.Tx, "", recordID(z.ID, r.Name, r.Type, r.Set))
	switch {
	case c.Action == "DELETE" && !exists:
		return badBatch("Tried to delete resource record set %s but it was not found", named)
	case c.Action == "DELETE" && !sameRecord(have, r):
		return badBatch("Tried to delete resource record set %s but the values provided do not match the current values",
			named)
	case c.Action == "DELETE" && have.ofZone(z):
		return badBatch("A HostedZone must contain at least one NS record and one SOA record for the zone itself.")
	case c.Action == "DELETE":
		x.Tx.Drop(have)
		return nil
	case c.Action == "CREATE" && exists:
		return badBatch("Tried to create resource record set %s but it already exists", named)
	}
	if err := checkRecord(x, z, r); err != nil {
		return err
	}
	putRecord(x, r)
	return nil
}

// sameRecord: the order of values does not matter.
func sameRecord(a, b *RecordSet) bool {
	if (a.Alias == nil) != (b.Alias == nil) || a.Alias != nil && *a.Alias != *b.Alias || a.TTL != b.TTL {
		return false
	}
	return slices.Equal(slices.Sorted(slices.Values(a.Values)), slices.Sorted(slices.Values(b.Values)))
}

func checkRecord(x *core.Exchange, z *HostedZone, r *RecordSet) error {
	switch {
	case r.Name != z.Domain && !strings.HasSuffix(r.Name, "."+z.Domain):
		return badBatch("RRSet with DNS name %s is not permitted in zone %s", dnsShown(r.Name), z.Domain)
	case !DNSName.MatchString(r.Name):
		return badBatch("FATAL problem: DomainLabelInvalid encountered with '%s'", r.Name)
	case r.Type == "CNAME" && r.Name == z.Domain:
		return badBatch("RRSet of type CNAME with DNS name %s is not permitted at apex in zone %s", r.Name, z.Domain)
	case r.Alias != nil && (len(r.Values) > 0 || r.TTL > 0):
		return badBatch("Invalid request: an alias has neither a TTL nor resource records")
	case r.Alias == nil && len(r.Values) == 0:
		return badBatch("Invalid request: Expected exactly one of [AliasTarget, all of [TTL, and ResourceRecords], or " +
			"TrafficPolicyInstanceId], but found none")
	case r.Alias != nil && r.Alias.HostedZoneId == BalancerZone &&
		!strings.HasSuffix(r.Alias.DNSName, ".elb.amazonaws.com."):
		return badBatch("Tried to create an alias that targets %s, type %s in zone %s, but the alias target name does not "+
			"lie within the target zone", r.Alias.DNSName, r.Type, BalancerZone)
	}
	for _, o := range recordsOf(x, z.ID) {
		if o.Name == r.Name && o.Type != r.Type && (o.Type == "CNAME" || r.Type == "CNAME") {
			return badBatch("RRSet of type %s with DNS name %s is not permitted because a conflicting RRSet of type %s with "+
				"the same DNS name already exists in zone %s", r.Type, dnsShown(r.Name), o.Type, z.Domain)
		}
	}
	for _, v := range r.Values {
		if err := checkValue(r.Type, v); err != nil {
			return err
		}
	}
	return nil
}

func checkValue(kind, v string) error {
	addr, err := netip.ParseAddr(v)
	switch {
	case kind == "A" && (err != nil || !addr.Is4()):
		return badBatch("Invalid Resource Record: 'FATAL problem: ARRDATAIllegalIPv4Address (Value is not a valid IPv4 "+
			"address) encountered with '%s''", v)
	case kind == "AAAA" && (err != nil || !addr.Is6()):
		return badBatch("Invalid Resource Record: 'FATAL problem: AAAARRDATAIllegalIPv6Address (Value is not a valid IPv6 "+
			"address) encountered with '%s''", v)
	case kind == "TXT" && !dnsText.MatchString(v):
		return badBatch("Invalid Resource Record: 'FATAL problem: InvalidCharacterString (Value should be enclosed in "+
			"quotation marks) encountered with '%s''", v)
	case kind == "MX" && len(strings.Fields(v)) != 2:
		return badBatch("Invalid Resource Record: 'FATAL problem: MXRRDATANotTwoFields (MX record doesn't have 2 fields) "+
			"encountered with '%s''", v)
	}
	return nil
}

// dnsText is one or more quoted strings of at most 255 characters ("TXT record type").
var dnsText = wire.Late(`^"(?:[^"\\]|\\.){0,255}"( "(?:[^"\\]|\\.){0,255}")*$`)
