package awsfake

import (
	"cmp"
	"slices"
	"strconv"
	"time"
)

func interfaceActions() map[string]handler {
	return map[string]handler{
		"CreateNetworkInterface": createInterface, "DescribeNetworkInterfaces": describeInterfaces, "DeleteNetworkInterface": deleteInterface,
		"AttachNetworkInterface": attachInterface, "DetachNetworkInterface": detachInterface, "ModifyNetworkInterfaceAttribute": modifyInterface,
	}
}

const noInterface = "InvalidNetworkInterfaceID.NotFound"

type xmlNICTie struct {
	ID       string    `xml:"attachmentId"`
	Instance *string   `xml:"instanceId"`
	Index    int       `xml:"deviceIndex"`
	Status   string    `xml:"status"`
	At       time.Time `xml:"attachTime"`
	Kill     bool      `xml:"deleteOnTermination"`
}

type xmlInterface struct {
	ID         string        `xml:"networkInterfaceId"`
	Subnet     string        `xml:"subnetId"`
	VPC        string        `xml:"vpcId"`
	AZ         string        `xml:"availabilityZone"`
	About      string        `xml:"description"`
	Owner      string        `xml:"ownerId"`
	Requester  bool          `xml:"requesterManaged"`
	Status     string        `xml:"status"`
	MAC        string        `xml:"macAddress"`
	Private    string        `xml:"privateIpAddress"`
	PrivateDNS string        `xml:"privateDnsName"`
	SrcCheck   bool          `xml:"sourceDestCheck"`
	Type       string        `xml:"interfaceType"`
	Groups     []xmlGroupRef `xml:"groupSet>item"`
	Attachment *xmlNICTie    `xml:"attachment"`
	Public     *string       `xml:"association>publicIp"`
	Tags       []xmlTag      `xml:"tagSet>item"`
}

func groupRefs(x *exchange, ids []string) (out []xmlGroupRef) {
	for _, id := range ids {
		ref := xmlGroupRef{ID: id}
		if g, ok := find[*securityGroup](x.tx, x.Region, id); ok {
			ref.Name = g.Name
		}
		out = append(out, ref)
	}
	return out
}

func viewInterface(x *exchange, n *networkInterface) xmlInterface {
	out := xmlInterface{
		ID: n.ID, Subnet: n.Subnet, VPC: n.VPC, AZ: n.AZ, About: n.About, Owner: Account, Requester: n.Requester, Status: n.status(x.now), MAC: n.mac(),
		Private: n.Private, PrivateDNS: "ip-" + dashed(n.Private) + "." + x.Region + ".compute.internal", SrcCheck: !n.NoSrcCheck, Type: "interface",
		Groups: groupRefs(x, n.Groups), Tags: tagSet(n.Tags),
	}
	if t := n.tie(x.now); t != nil {
		out.Attachment = &xmlNICTie{ID: t.ID, Index: t.Index, Status: t.Life.at(x.now), At: t.At, Kill: t.Kill}
		if t.Instance != "" {
			out.Attachment.Instance = &t.Instance
		}
	}
	if n.Requester {
		out.Type = "nat_gateway"
	}
	for _, a := range list[*address](x.tx, x.Region) {
		if a.Interface == n.ID {
			out.Public = &a.IP
		}
	}
	return out
}

// primaryOf is the interface that an instance was launched with ("Elastic network interfaces": the primary one cannot be
// detached, and goes with its instance).
func primaryOf(in *instance) *networkInterface {
	suffix := in.ID[len("i-"):]
	return &networkInterface{
		base: base{ID: "eni-" + suffix, Region: in.Region, Seq: in.Seq, Made: in.Made}, Subnet: in.Subnet, VPC: in.VPC, AZ: in.AZ, Groups: in.Groups, Private: in.Private,
		NoSrcCheck: in.NoSrcCheck, Tie: &nicTie{ID: "eni-attach-" + suffix, Instance: in.ID, Kill: true, At: in.Launched, Life: steady("attached")},
	}
}

// interfaces are all: those made by themselves, those of instances, and those of NAT gateways.
func interfaces(x *exchange) []*networkInterface {
	out := slices.Clone(list[*networkInterface](x.tx, x.Region))
	for _, in := range list[*instance](x.tx, x.Region) {
		if in.Life.at(x.now) != "terminated" {
			out = append(out, primaryOf(in))
		}
	}
	for _, g := range list[*natGateway](x.tx, x.Region) {
		if s := g.Life.at(x.now); s == natDeleted || s == "failed" {
			continue
		}
		n := &networkInterface{base: base{ID: "eni-" + g.ID[len("nat-"):], Region: g.Region, Seq: g.Seq, Made: g.Made}, Subnet: g.Subnet, VPC: g.VPC, Private: g.Local, Requester: true}
		n.About = "Interface for NAT Gateway " + g.ID
		if sn, ok := find[*subnet](x.tx, x.Region, g.Subnet); ok {
			n.AZ = sn.AZ
		}
		out = append(out, n)
	}
	slices.SortFunc(out, func(a, b *networkInterface) int { return cmp.Compare(a.Seq, b.Seq) })
	return out
}

// createInterface: the token is honored as that of RunInstances (EC2 API reference: CreateNetworkInterface).
func createInterface(x *exchange) (any, error) {
	type made struct {
		Interface xmlInterface `xml:"networkInterface"`
	}
	if err := x.checkToken(); err != nil {
		return nil, err
	}
	again, repeated, err := x.remembered()
	if err != nil {
		return nil, err
	}
	if repeated {
		n, ok := find[*networkInterface](x.tx, x.Region, again[0])
		if !ok {
			return nil, failf(noInterface, "The networkInterface ID '%s' does not exist", again[0])
		}
		return made{viewInterface(x, n)}, nil
	}
	sn, err := subnetOf(x)
	if err != nil {
		return nil, err
	}
	groups, err := groupsFor(x, x.p.strs("SecurityGroupId"), nil, sn)
	if err != nil {
		return nil, err
	}
	tags, err := x.specTags("network-interface")
	if err != nil {
		return nil, err
	}
	about := x.p.str("Description")
	private, err := freeAddress(x, sn, x.p.str("PrivateIpAddress"))
	switch {
	case err != nil:
		return nil, err
	case len(about) > 255:
		return nil, failf("InvalidParameterValue", "Descriptions have at most 255 characters.")
	case freeAddresses(x, sn.ID) < 1:
		return nil, failf("InsufficientFreeAddressesInSubnet", "The specified subnet does not have enough free addresses to satisfy the request.")
	}
	n := &networkInterface{base: x.tx.fresh("eni-", x.Region), Subnet: sn.ID, VPC: sn.VPC, AZ: sn.AZ, Groups: groups, Private: private, About: about}
	if n.Tags = tags; n.Private == "" {
		n.Private = privateAddress(x, sn.ID, n.Seq)
	}
	x.tx.put(n)
	x.remember([]string{n.ID})
	return made{viewInterface(x, n)}, nil
}

func describeInterfaces(x *exchange) (any, error) {
	all := interfaces(x)
	if ids := x.p.strs("NetworkInterfaceId"); len(ids) > 0 {
		var some []*networkInterface
		for _, id := range ids {
			i := slices.IndexFunc(all, func(n *networkInterface) bool { return n.ID == id })
			if i < 0 {
				return nil, failf(noInterface, "The networkInterface ID '%s' does not exist", id)
			}
			some = append(some, all[i])
		}
		all = some
	}
	all, err := filtered(x, all, func(n *networkInterface, name string) ([]string, bool) { return interfaceValues(x, n, name) })
	if err != nil {
		return nil, err
	}
	rows, next, err := ec2Page(x, all, "NetworkInterfaceId", 1000)
	if err != nil {
		return nil, err
	}
	var out []xmlInterface
	for _, n := range rows {
		out = append(out, viewInterface(x, n))
	}
	return struct {
		Set  []xmlInterface `xml:"networkInterfaceSet>item"`
		Next *string        `xml:"nextToken"`
	}{out, next}, nil
}

func interfaceValues(x *exchange, n *networkInterface, name string) ([]string, bool) {
	t, index := n.tie(x.now), ""
	if t == nil {
		t = &nicTie{}
	} else {
		index = strconv.Itoa(t.Index)
	}
	switch name {
	case "network-interface-id":
		return one(n.ID)
	case "subnet-id":
		return one(n.Subnet)
	case "vpc-id":
		return one(n.VPC)
	case "availability-zone":
		return one(n.AZ)
	case "group-id":
		return n.Groups, true
	case "description":
		return one(n.About)
	case "private-ip-address", "addresses.private-ip-address":
		return one(n.Private)
	case "status":
		return one(n.status(x.now))
	case "requester-managed":
		return truth(n.Requester)
	case "source-dest-check":
		return truth(!n.NoSrcCheck)
	case "attachment.attachment-id":
		return one(t.ID)
	case "attachment.instance-id":
		return one(t.Instance)
	case "attachment.device-index":
		return one(index)
	}
	return nil, false
}
