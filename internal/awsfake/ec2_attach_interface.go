package awsfake

import "slices"

// nic finds the interface of a request, of those that were made by themselves or of instances.
func nic(x *exchange) (*networkInterface, error) {
	id := x.p.str("NetworkInterfaceId")
	if id == "" {
		return nil, missing("networkInterfaceId")
	}
	if n, ok := find[*networkInterface](x.tx, x.Region, id); ok {
		return n, nil
	}
	if all := interfaces(x); slices.ContainsFunc(all, func(n *networkInterface) bool { return n.ID == id }) {
		return all[slices.IndexFunc(all, func(n *networkInterface) bool { return n.ID == id })], nil
	}
	return nil, failf(noInterface, "The networkInterface ID '%s' does not exist", id)
}

// nicsOf lists the interfaces tied to an instance besides the one of its launch.
func nicsOf(x *exchange, id string) []*networkInterface {
	var out []*networkInterface
	for _, n := range below[*networkInterface](x.tx, x.Region, id) {
		if !n.gone(x.now) && n.tie(x.now) != nil {
			out = append(out, n)
		}
	}
	return out
}

// attachInterface: interface and instance in one zone, the interface free, the instance running or stopped (EC2 API
// reference: AttachNetworkInterface).
func attachInterface(x *exchange) (any, error) {
	n, err := nic(x)
	if err != nil {
		return nil, err
	}
	in, err := instanceOf(x)
	if err != nil {
		return nil, err
	}
	index, err := x.p.num("DeviceIndex", -1)
	state := in.Life.at(x.now)
	switch {
	case err != nil:
		return nil, err
	case index < 0:
		return nil, missing("deviceIndex")
	case n.status(x.now) != "available":
		return nil, failf("InvalidNetworkInterface.InUse", "Interface: [%s] in use.", n.ID)
	case state != "running" && state != "stopped":
		return nil, failf("IncorrectState", "Instance '%s' is not 'running' or 'stopped' (it is %s).", in.ID, state)
	case n.AZ != in.AZ:
		return nil, failf("InvalidParameterCombination", "You may not attach a network interface to an instance if they are not in the same availability zone")
	}
	others := nicsOf(x, in.ID)
	if index == 0 || slices.ContainsFunc(others, func(o *networkInterface) bool { return o.Tie.Index == index }) {
		return nil, failf("InvalidParameterValue", "Instance '%s' already has an interface attached at device index '%d'.", in.ID, index)
	}
	c := *n
	c.Tie = &nicTie{ID: x.tx.fresh("eni-attach-", x.Region).ID, Instance: in.ID, Index: index, At: x.now, Life: through(x.now, x.settle, "attached", "attaching")}
	x.tx.put(&c)
	return struct {
		ID string `xml:"attachmentId"`
	}{c.Tie.ID}, nil
}

// detachInterface: the one of the launch stays (EC2 API reference: DetachNetworkInterface).
func detachInterface(x *exchange) (any, error) {
	x.p.str("Force")
	id := x.p.str("AttachmentId")
	all := interfaces(x)
	i := slices.IndexFunc(all, func(n *networkInterface) bool { t := n.tie(x.now); return t != nil && t.ID == id })
	switch {
	case id == "":
		return nil, missing("attachmentId")
	case i < 0:
		return nil, failf("InvalidAttachmentID.NotFound", "The attachment ID '%s' does not exist", id)
	case all[i].Tie.Index == 0:
		return nil, failf("OperationNotPermitted", "The network interface at device index 0 and networkCard index 0 cannot be detached.")
	}
	c, tie := *all[i], *all[i].Tie
	tie.Life = through(x.now, x.settle, "detached", "detaching")
	c.Tie = &tie
	x.tx.put(&c)
	return success{Return: true}, nil
}

// deleteInterface: one that is attached stays; an Elastic IP comes free (EC2 API reference: DeleteNetworkInterface).
func deleteInterface(x *exchange) (any, error) {
	n, err := nic(x)
	if err != nil {
		return nil, err
	}
	if n.status(x.now) != "available" {
		return nil, failf("InvalidNetworkInterface.InUse", "Network interface '%s' is currently in use.", n.ID)
	}
	freeOf(x, n.ID)
	x.tx.drop(n)
	return success{Return: true}, nil
}

// freeOf takes the Elastic IPs off an interface.
func freeOf(x *exchange, id string) {
	for _, a := range list[*address](x.tx, x.Region) {
		if a.Interface == id {
			c := *a
			c.Interface, c.Association = "", ""
			x.tx.put(&c)
		}
	}
}

// modifyInterface changes one attribute a call (EC2 API reference: ModifyNetworkInterfaceAttribute).
func modifyInterface(x *exchange) (any, error) {
	n, err := nic(x)
	if err != nil {
		return nil, err
	}
	groups := x.p.strs("SecurityGroupId")
	given := 0
	for _, set := range []bool{len(groups) > 0, x.p.has("Description.Value"), x.p.has("SourceDestCheck.Value")} {
		if set {
			given++
		}
	}
	if given != 1 {
		return nil, failf("InvalidParameterCombination", "Exactly one attribute must be specified; the sandbox supports groups, description and sourceDestCheck.")
	}
	if n.Requester {
		return nil, failf("AuthFailure", "You do not have permission to access the specified resource.")
	}
	c := *n
	if len(groups) > 0 {
		sn, ok := find[*subnet](x.tx, x.Region, n.Subnet)
		if !ok {
			return nil, notFound(n.Subnet, "InvalidSubnetID.NotFound")
		}
		if c.Groups, err = groupsFor(x, groups, nil, sn); err != nil {
			return nil, err
		}
	}
	c.About = x.p.or("Description.Value", n.About)
	if x.p.has("Description.Value") {
		c.About = x.p.str("Description.Value")
	}
	c.NoSrcCheck = !x.p.flag("SourceDestCheck.Value", !n.NoSrcCheck)
	if _, own := find[*networkInterface](x.tx, x.Region, n.ID); own {
		x.tx.put(&c)
	} else if in, ok := find[*instance](x.tx, x.Region, n.Tie.Instance); ok {
		i := *in
		i.Groups, i.NoSrcCheck = c.Groups, c.NoSrcCheck
		x.tx.put(&i)
	}
	return success{Return: true}, nil
}

// several refuses what is about the one interface of an instance where it has more.
func several(x *exchange, in *instance) error {
	if len(nicsOf(x, in.ID)) == 0 {
		return nil
	}
	return failf("InvalidInstanceID", "There are multiple interfaces attached to instance '%s'. Please specify an interface ID for the operation instead.", in.ID)
}

// unplug ends the attachments of an instance that is terminated: an interface goes with it or comes free, as it was
// attached.
func unplug(x *exchange, in *instance) {
	for _, n := range nicsOf(x, in.ID) {
		c, tie := *n, *n.Tie
		tie.Life = through(x.now, x.settle, "detached", "detaching")
		c.Tie = &tie
		if tie.Kill {
			c.Until = tie.Life.end()
			freeOf(x, n.ID)
		}
		x.tx.put(&c)
	}
}

// interfaceIn reports an interface, made by itself, in a subnet or a group.
func interfaceIn(x *exchange, id string) bool {
	return slices.ContainsFunc(list[*networkInterface](x.tx, x.Region), func(n *networkInterface) bool {
		return n.Subnet == id || slices.Contains(n.Groups, id)
	})
}
