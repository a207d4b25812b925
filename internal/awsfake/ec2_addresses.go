package awsfake

func addressActions() map[string]handler {
	return map[string]handler{
		"AllocateAddress": allocateAddress, "DescribeAddresses": describeAddresses, "ReleaseAddress": releaseAddress,
		"AssociateAddress": associateAddress, "DisassociateAddress": disassociateAddress,
	}
}

type xmlAddress struct {
	ID          string   `xml:"allocationId"`
	IP          string   `xml:"publicIp"`
	Domain      string   `xml:"domain"`
	Association *string  `xml:"associationId"`
	Instance    *string  `xml:"instanceId"`
	Interface   *string  `xml:"networkInterfaceId"`
	Tags        []xmlTag `xml:"tagSet>item"`
}

func viewAddress(x *exchange, a *address) xmlAddress {
	out := xmlAddress{ID: a.ID, IP: a.IP, Domain: "vpc", Tags: tagSet(a.Tags)}
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
func hasAddress(x *exchange, a *address) (nic, instance string) {
	switch {
	case a.Instance != "":
		return "eni-" + a.Instance[len("i-"):], a.Instance
	case a.NAT != "":
		return "eni-" + a.NAT[len("nat-"):], ""
	}
	if n, ok := find[*networkInterface](x.tx, x.Region, a.Interface); ok {
		if t := n.tie(x.now); t != nil {
			instance = t.Instance
		}
		return n.ID, instance
	}
	return "", ""
}

// allocateAddress has no client token, as CreateVpc has none (EC2 API reference: AllocateAddress).
func allocateAddress(x *exchange) (any, error) {
	if d := x.p.or("Domain", "vpc"); d != "vpc" {
		return nil, badValue(d, "domain", "Use vpc.")
	}
	tags, err := x.specTags("elastic-ip")
	if err != nil {
		return nil, err
	}
	a := &address{base: x.tx.fresh("eipalloc-", x.Region)}
	a.IP, a.Tags = publicAddress(a.Seq), tags
	x.tx.put(a)
	return struct {
		ID     string `xml:"allocationId"`
		IP     string `xml:"publicIp"`
		Domain string `xml:"domain"`
	}{a.ID, a.IP, "vpc"}, nil
}

// describeAddresses has no pages (EC2 API reference: DescribeAddresses).
func describeAddresses(x *exchange) (any, error) {
	all, err := named[*address](x, "AllocationId", "InvalidAllocationID.NotFound")
	if err != nil {
		return nil, err
	}
	all, err = filtered(x, all, func(a *address, name string) ([]string, bool) {
		switch name {
		case "allocation-id":
			return one(a.ID)
		case "association-id":
			return one(a.Association)
		case "instance-id":
			_, instance := hasAddress(x, a)
			return one(instance)
		case "network-interface-id":
			nic, _ := hasAddress(x, a)
			return one(nic)
		case "public-ip":
			return one(a.IP)
		case "domain":
			return one("vpc")
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

func allocation(x *exchange, id string) (*address, error) {
	if id == "" {
		return nil, missing("allocationId")
	}
	a, ok := find[*address](x.tx, x.Region, id)
	if !ok {
		return nil, failf("InvalidAllocationID.NotFound", "The allocation ID '%s' does not exist", id)
	}
	return a, nil
}

// addressOf is the address of an instance, or nil.
func addressOf(x *exchange, instanceID string) *address {
	for _, a := range list[*address](x.tx, x.Region) {
		if a.Instance == instanceID {
			return a
		}
	}
	return nil
}

// associateAddress: an instance that does not run yet takes none, and an address that is in use is
// taken only if the call allows it (EC2 API reference: AssociateAddress).
func associateAddress(x *exchange) (any, error) {
	a, err := allocation(x, x.p.str("AllocationId"))
	if err != nil {
		return nil, err
	}
	if x.p.has("NetworkInterfaceId") {
		return associateInterface(x, a)
	}
	id := x.p.str("InstanceId")
	in, ok := find[*instance](x.tx, x.Region, id)
	switch again := x.p.yes("AllowReassociation"); {
	case !ok:
		return nil, notFound(id, "InvalidInstanceID.NotFound")
	case in.Life.at(x.now) == "pending":
		return nil, failf("InvalidInstanceID", "The pending instance '%s' is not in a valid state for this operation.", id)
	case in.dead():
		return nil, failf("IncorrectInstanceState", "The instance '%s' is not in a valid state for this operation.", id)
	case !again && a.Association != "" && a.Instance != id:
		return nil, failf("Resource.AlreadyAssociated", "resource %s is already associated with associate-id %s", a.ID, a.Association)
	}
	if err := several(x, in); err != nil {
		return nil, err
	}
	n := *a
	n.Instance, n.NAT, n.Interface, n.Association = id, "", "", x.tx.fresh("eipassoc-", x.Region).ID
	x.tx.put(&n)
	return struct {
		Return bool   `xml:"return"`
		ID     string `xml:"associationId"`
	}{true, n.Association}, nil
}

// associateInterface gives an address to an interface: that of a launch stands for its instance.
func associateInterface(x *exchange, a *address) (any, error) {
	nic, err := nic(x)
	if err != nil {
		return nil, err
	}
	if have, _ := hasAddress(x, a); !x.p.yes("AllowReassociation") && a.Association != "" && have != nic.ID {
		return nil, failf("Resource.AlreadyAssociated", "resource %s is already associated with associate-id %s", a.ID, a.Association)
	}
	n := *a
	n.Instance, n.NAT, n.Interface, n.Association = "", "", nic.ID, x.tx.fresh("eipassoc-", x.Region).ID
	if nic.Tie != nil && nic.Tie.Index == 0 {
		n.Instance, n.Interface = nic.Tie.Instance, ""
	}
	x.tx.put(&n)
	return struct {
		Return bool   `xml:"return"`
		ID     string `xml:"associationId"`
	}{true, n.Association}, nil
}

func disassociateAddress(x *exchange) (any, error) {
	id := x.p.str("AssociationId")
	for _, a := range list[*address](x.tx, x.Region) {
		if a.Association != id || id == "" {
			continue
		}
		if a.NAT != "" {
			return nil, failf("AuthFailure", "You do not have permission to access the specified resource.") // as for what a service has
		}
		n := *a
		n.Instance, n.Interface, n.Association = "", "", ""
		x.tx.put(&n)
		return success{Return: true}, nil
	}
	return nil, failf("InvalidAssociationID.NotFound", "The association ID '%s' does not exist", id)
}

// releaseAddress: one in use stays (EC2 API reference: ReleaseAddress, InvalidIPAddress.InUse).
func releaseAddress(x *exchange) (any, error) {
	a, err := allocation(x, x.p.str("AllocationId"))
	if err != nil {
		return nil, err
	}
	if a.Association != "" {
		return nil, failf("InvalidIPAddress.InUse", "Address %s is in use.", a.IP)
	}
	x.tx.drop(a)
	return success{Return: true}, nil
}
