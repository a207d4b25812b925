package network

import (
	"slices"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/ec2"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

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
		return nil, wire.Failf("InvalidParameterCombination", "You may not attach a network interface to an instance if they are not in the same availability zone")
	}
	others := NicsOf(x, in.ID)
	if index == 0 || slices.ContainsFunc(others, func(o *NetworkInterface) bool { return o.Tie.Index == index }) {
		return nil, wire.Failf("InvalidParameterValue", "Instance '%s' already has an interface attached at device index '%d'.", in.ID, index)
	}
	c := *n
	c.Tie = &nicTie{ID: x.Tx.Fresh("eni-attach-", x.Region).ID, Instance: in.ID, Index: index, At: x.Now, Life: core.Through(x.Now, x.Settle, "attached", "attaching")}
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
	i := slices.IndexFunc(all, func(n *NetworkInterface) bool { t := n.tie(x.Now); return t != nil && t.ID == id })
	switch {
	case id == "":
		return nil, wire.Missing("attachmentId")
	case i < 0:
		return nil, wire.Failf("InvalidAttachmentID.NotFound", "The attachment ID '%s' does not exist", id)
	case all[i].Tie.Index == 0:
		return nil, wire.Failf("OperationNotPermitted", "The network interface at device index 0 and networkCard index 0 cannot be detached.")
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
		return nil, wire.Failf("InvalidParameterCombination", "Exactly one attribute must be specified; the sandbox supports groups, description and sourceDestCheck.")
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
	if _, own := core.Find[*NetworkInterface](x.Tx, x.Region, n.ID); own {
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
