package network

import (
	"slices"
	"strconv"
	"time"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/ec2"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

func interfaceActions() map[string]core.Handler {
	return map[string]core.Handler{
		"CreateNetworkInterface": createInterface, "DescribeNetworkInterfaces": describeInterfaces, "DeleteNetworkInterface": deleteInterface,
		"AttachNetworkInterface": attachInterface, "DetachNetworkInterface": detachInterface, "ModifyNetworkInterfaceAttribute": modifyInterface,
	}
}

type xmlNICTie struct {
	ID       string    `xml:"attachmentId"`
	Instance *string   `xml:"instanceId"`
	Index    int       `xml:"deviceIndex"`
	Status   string    `xml:"status"`
	At       time.Time `xml:"attachTime"`
	Kill     bool      `xml:"deleteOnTermination"`
}

type xmlInterface struct {
	ID         string         `xml:"networkInterfaceId"`
	Subnet     string         `xml:"subnetId"`
	VPC        string         `xml:"vpcId"`
	AZ         string         `xml:"availabilityZone"`
	About      string         `xml:"description"`
	Owner      string         `xml:"ownerId"`
	Requester  bool           `xml:"requesterManaged"`
	Status     string         `xml:"status"`
	MAC        string         `xml:"macAddress"`
	Private    string         `xml:"privateIpAddress"`
	PrivateDNS string         `xml:"privateDnsName"`
	SrcCheck   bool           `xml:"sourceDestCheck"`
	Type       string         `xml:"interfaceType"`
	Groups     []ec2.GroupRef `xml:"groupSet>item"`
	Attachment *xmlNICTie     `xml:"attachment"`
	Public     *string        `xml:"association>publicIp"`
	Tags       []core.XMLTag  `xml:"tagSet>item"`
}

func GroupRefs(x *core.Exchange, ids []string) (out []ec2.GroupRef) {
	for _, id := range ids {
		ref := ec2.GroupRef{ID: id}
		if g, ok := core.Find[*SecurityGroup](x.Tx, x.Region, id); ok {
			ref.Name = g.Name
		}
		out = append(out, ref)
	}
	return out
}

func viewInterface(x *core.Exchange, n *NetworkInterface) xmlInterface {
	out := xmlInterface{
		ID: n.ID, Subnet: n.Subnet, VPC: n.VPC, AZ: n.AZ, About: n.About, Owner: wire.Account, Requester: n.Requester, Status: n.status(x.Now), MAC: n.mac(),
		Private: n.Private, PrivateDNS: "ip-" + ec2.Dashed(n.Private) + "." + x.Region + ".compute.internal", SrcCheck: !n.NoSrcCheck, Type: "interface",
		Groups: GroupRefs(x, n.Groups), Tags: core.TagSet(n.Tags),
	}
	if t := n.tie(x.Now); t != nil {
		out.Attachment = &xmlNICTie{ID: t.ID, Index: t.Index, Status: t.Life.At(x.Now), At: t.At, Kill: t.Kill}
		if t.Instance != "" {
			out.Attachment.Instance = &t.Instance
		}
	}
	if n.Requester {
		out.Type = "nat_gateway"
	}
	for _, a := range core.List[*address](x.Tx, x.Region) {
		if a.Interface == n.ID {
			out.Public = &a.IP
		}
	}
	return out
}

// createInterface: the token is honored as that of RunInstances (EC2 API reference: CreateNetworkInterface).
func createInterface(x *core.Exchange) (any, error) {
	type made struct {
		Interface xmlInterface `xml:"networkInterface"`
	}
	if err := x.CheckToken(); err != nil {
		return nil, err
	}
	again, repeated, err := x.Remembered()
	if err != nil {
		return nil, err
	}
	if repeated {
		n, ok := core.Find[*NetworkInterface](x.Tx, x.Region, again[0])
		if !ok {
			return nil, wire.Failf(noInterface, "The networkInterface ID '%s' does not exist", again[0])
		}
		return made{viewInterface(x, n)}, nil
	}
	sn, err := subnetOf(x)
	if err != nil {
		return nil, err
	}
	groups, err := GroupsFor(x, x.P.Strs("SecurityGroupId"), nil, sn)
	if err != nil {
		return nil, err
	}
	tags, err := x.SpecTags("network-interface")
	if err != nil {
		return nil, err
	}
	about := x.P.Str("Description")
	private, err := FreeAddress(x, sn, x.P.Str("PrivateIpAddress"))
	switch {
	case err != nil:
		return nil, err
	case len(about) > 255:
		return nil, wire.Failf("InvalidParameterValue", "Descriptions have at most 255 characters.")
	case FreeAddresses(x, sn.ID) < 1:
		return nil, wire.Failf("InsufficientFreeAddressesInSubnet", "The specified subnet does not have enough free addresses to satisfy the request.")
	}
	n := &NetworkInterface{Base: x.Tx.Fresh("eni-", x.Region), Subnet: sn.ID, VPC: sn.VPC, AZ: sn.AZ, Groups: groups, Private: private, About: about}
	if n.Tags = tags; n.Private == "" {
		n.Private = PrivateAddress(x, sn.ID, n.Seq)
	}
	x.Tx.Put(n)
	x.Remember([]string{n.ID})
	return made{viewInterface(x, n)}, nil
}

func describeInterfaces(x *core.Exchange) (any, error) {
	all := interfaces(x)
	if ids := x.P.Strs("NetworkInterfaceId"); len(ids) > 0 {
		var some []*NetworkInterface
		for _, id := range ids {
			i := slices.IndexFunc(all, func(n *NetworkInterface) bool { return n.ID == id })
			if i < 0 {
				return nil, wire.Failf(noInterface, "The networkInterface ID '%s' does not exist", id)
			}
			some = append(some, all[i])
		}
		all = some
	}
	all, err := core.Filtered(x, all, func(n *NetworkInterface, name string) ([]string, bool) { return interfaceValues(x, n, name) })
	if err != nil {
		return nil, err
	}
	rows, next, err := ec2.Page(x, all, "NetworkInterfaceId", 1000)
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

func interfaceValues(x *core.Exchange, n *NetworkInterface, name string) ([]string, bool) {
	t, index := n.tie(x.Now), ""
	if t == nil {
		t = &nicTie{}
	} else {
		index = strconv.Itoa(t.Index)
	}
	switch name {
	case "network-interface-id":
		return core.One(n.ID)
	case "subnet-id":
		return core.One(n.Subnet)
	case "vpc-id":
		return core.One(n.VPC)
	case "availability-zone":
		return core.One(n.AZ)
	case "group-id":
		return n.Groups, true
	case "description":
		return core.One(n.About)
	case "private-ip-address", "addresses.private-ip-address":
		return core.One(n.Private)
	case "status":
		return core.One(n.status(x.Now))
	case "requester-managed":
		return core.Truth(n.Requester)
	case "source-dest-check":
		return core.Truth(!n.NoSrcCheck)
	case "attachment.attachment-id":
		return core.One(t.ID)
	case "attachment.instance-id":
		return core.One(t.Instance)
	case "attachment.device-index":
		return core.One(index)
	}
	return nil, false
}
