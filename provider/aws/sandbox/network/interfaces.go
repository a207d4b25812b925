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
		"CreateNetworkInterface": createInterface, "DescribeNetworkInterfaces": describeInterfaces,
		"DeleteNetworkInterface": deleteInterface,
		"AttachNetworkInterface": attachInterface, "DetachNetworkInterface": detachInterface,
		"ModifyNetworkInterfaceAttribute": modifyInterface,
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

// GroupRefs names the security groups with these IDs.
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

func viewInterface(x *core.Exchange, n *Interface) xmlInterface {
	out := xmlInterface{
		ID: n.ID, Subnet: n.Subnet, VPC: n.VPC, AZ: n.AZ, About: n.About, Owner: wire.Account, Requester: n.Requester,
		Status: n.status(x.Now), MAC: n.mac(),
		Private: n.Private, PrivateDNS: "ip-" + ec2.Dashed(n.Private) + "." + x.Region + ".compute.internal",
		SrcCheck: !n.NoSrcCheck, Type: "interface",
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
		n, ok := core.Find[*Interface](x.Tx, x.Region, again[0])
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
		return nil, wire.Failf("InsufficientFreeAddressesInSubnet",
			"The specified subnet does not have enough free addresses to satisfy the request.")
	}
	n := &Interface{
		Base: x.Tx.Fresh("eni-", x.Region), Subnet: sn.ID, VPC: sn.VPC, AZ: sn.AZ, Groups: groups,
		Private: private, About: about,
	}
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
		var some []*Interface
		for _, id := range ids {
			i := slices.IndexFunc(all, func(n *Interface) bool { return n.ID == id })
			if i < 0 {
				return nil, wire.Failf(noInterface, "The networkInterface ID '%s' does not exist", id)
			}
			some = append(some, all[i])
		}
		all = some
	}
	all, err := core.Filtered(x, all, func(n *Interface, name string) ([]string, bool) {
		return interfaceValues(x, n, name)
	})
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

func interfaceValues(x *core.Exchange, n *Interface, name string) ([]string, bool) {
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

// attachInterface: interface and instance in one zone, the interface free, the instance running or stopped (EC2 API
// reference: AttachNetworkInterface).
func attachInterface(x *core.Exchange) (any, error) {
	n, err := nic(x)
	if err != nil {
		return nil, err
	}
	in, err := ec2.InstanceOf(x)
	if err != nil {
		return nil, err
	}
	index, err := x.P.Num("DeviceIndex", -1)
	state := in.Life.At(x.Now)
	switch {
	case err != nil:
		return nil, err
	case index < 0:
		return nil, wire.Missing("deviceIndex")
	case n.status(x.Now) != "available":
		return nil, wire.Failf("InvalidNetworkInterface.InUse", "Interface: [%s] in use.", n.ID)
	case state != "running" && state != "stopped":
		return nil, wire.Failf("IncorrectState", "Instance '%s' is not 'running' or 'stopped' (it is %s).", in.ID, state)
	case n.AZ != in.AZ:
		return nil, wire.Failf("InvalidParameterCombination",
			"You may not attach a network interface to an instance if they are not in the same availability zone")
	}
	others := NicsOf(x, in.ID)
	if index == 0 || slices.ContainsFunc(others, func(o *Interface) bool { return o.Tie.Index == index }) {
		return nil, wire.Failf("InvalidParameterValue",
			"Instance '%s' already has an interface attached at device index '%d'.", in.ID, index)
	}
	c := *n
	c.Tie = &nicTie{
		ID: x.Tx.Fresh("eni-attach-", x.Region).ID, Instance: in.ID, Index: index, At: x.Now,
		Life: core.Through(x.Now, x.Settle, "attached", "attaching"),
	}
	x.Tx.Put(&c)
	return struct {
		ID string `xml:"attachmentId"`
	}{c.Tie.ID}, nil
}

// detachInterface: the one of the launch stays (EC2 API reference: DetachNetworkInterface).
func detachInterface(x *core.Exchange) (any, error) {
	x.P.Str("Force")
	id := x.P.Str("AttachmentId")
	all := interfaces(x)
	i := slices.IndexFunc(all, func(n *Interface) bool { t := n.tie(x.Now); return t != nil && t.ID == id })
	switch {
	case id == "":
		return nil, wire.Missing("attachmentId")
	case i < 0:
		return nil, wire.Failf("InvalidAttachmentID.NotFound", "The attachment ID '%s' does not exist", id)
	case all[i].Tie.Index == 0:
		return nil, wire.Failf("OperationNotPermitted",
			"The network interface at device index 0 and networkCard index 0 cannot be detached.")
	}
	c, tie := *all[i], *all[i].Tie
	tie.Life = core.Through(x.Now, x.Settle, "detached", "detaching")
	c.Tie = &tie
	x.Tx.Put(&c)
	return ec2.Success{Return: true}, nil
}

// deleteInterface: one that is attached stays; an Elastic IP comes free (EC2 API reference: DeleteNetworkInterface).
func deleteInterface(x *core.Exchange) (any, error) {
	n, err := nic(x)
	if err != nil {
		return nil, err
	}
	if n.status(x.Now) != "available" {
		return nil, wire.Failf("InvalidNetworkInterface.InUse", "Network interface '%s' is currently in use.", n.ID)
	}
	freeOf(x, n.ID)
	x.Tx.Drop(n)
	return ec2.Success{Return: true}, nil
}

// freeOf takes the Elastic IPs off an interface.
func freeOf(x *core.Exchange, id string) {
	for _, a := range core.List[*address](x.Tx, x.Region) {
		if a.Interface == id {
			c := *a
			c.Interface, c.Association = "", ""
			x.Tx.Put(&c)
		}
	}
}

// modifyInterface changes one attribute a call (EC2 API reference: ModifyNetworkInterfaceAttribute).
func modifyInterface(x *core.Exchange) (any, error) {
	n, err := nic(x)
	if err != nil {
		return nil, err
	}
	groups := x.P.Strs("SecurityGroupId")
	given := 0
	for _, set := range []bool{len(groups) > 0, x.P.Has("Description.Value"), x.P.Has("SourceDestCheck.Value")} {
		if set {
			given++
		}
	}
	if given != 1 {
		return nil, wire.Failf("InvalidParameterCombination",
			"Exactly one attribute must be specified; the sandbox supports groups, description and sourceDestCheck.")
	}
	if n.Requester {
		return nil, wire.Failf("AuthFailure", "You do not have permission to access the specified resource.")
	}
	c := *n
	if len(groups) > 0 {
		sn, ok := core.Find[*Subnet](x.Tx, x.Region, n.Subnet)
		if !ok {
			return nil, ec2.NotFound(n.Subnet, "InvalidSubnetID.NotFound")
		}
		if c.Groups, err = GroupsFor(x, groups, nil, sn); err != nil {
			return nil, err
		}
	}
	c.About = x.P.Or("Description.Value", n.About)
	if x.P.Has("Description.Value") {
		c.About = x.P.Str("Description.Value")
	}
	c.NoSrcCheck = !x.P.Flag("SourceDestCheck.Value", !n.NoSrcCheck)
	if _, own := core.Find[*Interface](x.Tx, x.Region, n.ID); own {
		x.Tx.Put(&c)
	} else if in, ok := core.Find[*ec2.Instance](x.Tx, x.Region, n.Tie.Instance); ok {
		i := *in
		i.Groups, i.NoSrcCheck = c.Groups, c.NoSrcCheck
		x.Tx.Put(&i)
	}
	return ec2.Success{Return: true}, nil
}

// Unplug ends the attachments of an instance that is terminated: an interface goes with it or comes free, as it was
// attached.
func Unplug(x *core.Exchange, in *ec2.Instance) {
	for _, n := range NicsOf(x, in.ID) {
		c, tie := *n, *n.Tie
		tie.Life = core.Through(x.Now, x.Settle, "detached", "detaching")
		c.Tie = &tie
		if tie.Kill {
			c.Until = tie.Life.End()
			freeOf(x, n.ID)
		}
		x.Tx.Put(&c)
	}
}
