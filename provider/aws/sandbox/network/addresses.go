package network

import (
	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/ec2"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

func addressActions() map[string]core.Handler {
	return map[string]core.Handler{
		"AllocateAddress": allocateAddress, "DescribeAddresses": describeAddresses, "ReleaseAddress": releaseAddress,
		"AssociateAddress": associateAddress, "DisassociateAddress": disassociateAddress,
	}
}

type xmlAddress struct {
	ID          string        `xml:"allocationId"`
	IP          string        `xml:"publicIp"`
	Domain      string        `xml:"domain"`
	Association *string       `xml:"associationId"`
	Instance    *string       `xml:"instanceId"`
	Interface   *string       `xml:"networkInterfaceId"`
	Tags        []core.XMLTag `xml:"tagSet>item"`
}

func viewAddress(x *core.Exchange, a *address) xmlAddress {
	out := xmlAddress{ID: a.ID, IP: a.IP, Domain: "vpc", Tags: core.TagSet(a.Tags)}
	if a.Association != "" {
		out.Association = &a.Association
	}
	nic, instance := hasAddress(x, a)
	if nic != "" {
		out.Interface = &nic
	}
	if instance != "" {
		out.Instance = &instance
	}
	return out
}

// hasAddress are the interface that has an address and the instance that has that interface, if any.
func hasAddress(x *core.Exchange, a *address) (nic, instance string) {
	switch {
	case a.Instance != "":
		return "eni-" + a.Instance[len("i-"):], a.Instance
	case a.NAT != "":
		return "eni-" + a.NAT[len("nat-"):], ""
	}
	if n, ok := core.Find[*Interface](x.Tx, x.Region, a.Interface); ok {
		if t := n.tie(x.Now); t != nil {
			instance = t.Instance
		}
		return n.ID, instance
	}
	return "", ""
}

// allocateAddress has no client token, as CreateVpc has none (EC2 API reference: AllocateAddress).
func allocateAddress(x *core.Exchange) (any, error) {
	if d := x.P.Or("Domain", "vpc"); d != "vpc" {
		return nil, wire.BadValue(d, "domain", "Use vpc.")
	}
	tags, err := x.SpecTags("elastic-ip")
	if err != nil {
		return nil, err
	}
	a := &address{Base: x.Tx.Fresh("eipalloc-", x.Region)}
	a.IP, a.Tags = PublicAddress(a.Seq), tags
	x.Tx.Put(a)
	return struct {
		ID     string `xml:"allocationId"`
		IP     string `xml:"publicIp"`
		Domain string `xml:"domain"`
	}{a.ID, a.IP, "vpc"}, nil
}

// describeAddresses has no pages (EC2 API reference: DescribeAddresses).
func describeAddresses(x *core.Exchange) (any, error) {
	all, err := ec2.Named[*address](x, "AllocationId", "InvalidAllocationID.NotFound")
	if err != nil {
		return nil, err
	}
	all, err = core.Filtered(x, all, func(a *address, name string) ([]string, bool) {
		switch name {
		case "allocation-id":
			return core.One(a.ID)
		case "association-id":
			return core.One(a.Association)
		case "instance-id":
			_, instance := hasAddress(x, a)
			return core.One(instance)
		case "network-interface-id":
			nic, _ := hasAddress(x, a)
			return core.One(nic)
		case "public-ip":
			return core.One(a.IP)
		case "domain":
			return core.One("vpc")
		}
		return nil, false
	})
	if err != nil {
		return nil, err
	}
	var out []xmlAddress
	for _, a := range all {
		out = append(out, viewAddress(x, a))
	}
	return struct {
		Set []xmlAddress `xml:"addressesSet>item"`
	}{out}, nil
}

// associateAddress: an instance that does not run yet takes none, and an address that is in use is
// taken only if the call allows it (EC2 API reference: AssociateAddress).
func associateAddress(x *core.Exchange) (any, error) {
	a, err := allocation(x, x.P.Str("AllocationId"))
	if err != nil {
		return nil, err
	}
	if x.P.Has("NetworkInterfaceId") {
		return associateInterface(x, a)
	}
	id := x.P.Str("InstanceId")
	in, ok := core.Find[*ec2.Instance](x.Tx, x.Region, id)
	switch again := x.P.Yes("AllowReassociation"); {
	case !ok:
		return nil, ec2.NotFound(id, "InvalidInstanceID.NotFound")
	case in.Life.At(x.Now) == "pending":
		return nil, wire.Failf("InvalidInstanceID", "The pending instance '%s' is not in a valid state for this operation.",
			id)
	case in.Dead():
		return nil, wire.Failf("IncorrectInstanceState", "The instance '%s' is not in a valid state for this operation.", id)
	case !again && a.Association != "" && a.Instance != id:
		return nil, wire.Failf("Resource.AlreadyAssociated", "resource %s is already associated with associate-id %s", a.ID,
			a.Association)
	}
	if err := Several(x, in); err != nil {
		return nil, err
	}
	n := *a
	n.Instance, n.NAT, n.Interface, n.Association = id, "", "", x.Tx.Fresh("eipassoc-", x.Region).ID
	x.Tx.Put(&n)
	return struct {
		Return bool   `xml:"return"`
		ID     string `xml:"associationId"`
	}{true, n.Association}, nil
}

// associateInterface gives an address to an interface: that of a launch stands for its instance.
func associateInterface(x *core.Exchange, a *address) (any, error) {
	nic, err := nic(x)
	if err != nil {
		return nil, err
	}
	if have, _ := hasAddress(x, a); !x.P.Yes("AllowReassociation") && a.Association != "" && have != nic.ID {
		return nil, wire.Failf("Resource.AlreadyAssociated", "resource %s is already associated with associate-id %s", a.ID,
			a.Association)
	}
	n := *a
	n.Instance, n.NAT, n.Interface, n.Association = "", "", nic.ID, x.Tx.Fresh("eipassoc-", x.Region).ID
	if nic.Tie != nil && nic.Tie.Index == 0 {
		n.Instance, n.Interface = nic.Tie.Instance, ""
	}
	x.Tx.Put(&n)
	return struct {
		Return bool   `xml:"return"`
		ID     string `xml:"associationId"`
	}{true, n.Association}, nil
}

func disassociateAddress(x *core.Exchange) (any, error) {
	id := x.P.Str("AssociationId")
	for _, a := range core.List[*address](x.Tx, x.Region) {
		if a.Association != id || id == "" {
			continue
		}
		if a.NAT != "" {
			return nil, wire.Failf("AuthFailure",
				"You do not have permission to access the specified resource.") // as for what a service has
		}
		n := *a
		n.Instance, n.Interface, n.Association = "", "", ""
		x.Tx.Put(&n)
		return ec2.Success{Return: true}, nil
	}
	return nil, wire.Failf("InvalidAssociationID.NotFound", "The association ID '%s' does not exist", id)
}

// releaseAddress: one in use stays (EC2 API reference: ReleaseAddress, InvalidIPAddress.InUse).
func releaseAddress(x *core.Exchange) (any, error) {
	a, err := allocation(x, x.P.Str("AllocationId"))
	if err != nil {
		return nil, err
	}
	if a.Association != "" {
		return nil, wire.Failf("InvalidIPAddress.InUse", "Address %s is in use.", a.IP)
	}
	x.Tx.Drop(a)
	return ec2.Success{Return: true}, nil
}
