package network

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/resource"
)

const (
	// The device index is the number of an interface on its instance. Index 0 belongs to the
	// interface of the launch, so an attachment without device_index gets defaultIndex.
	deviceIndex     = "device_index"
	defaultIndex    = 1
	interfaceAbsent = "InvalidNetworkInterfaceID.NotFound"
	// interfacePending is the status of a new one, which the SDK does not list.
	interfacePending = types.NetworkInterfaceStatus("pending")
)

func kindOfInterface() api.Kind {
	return api.Kind{
		Schema: resource.Kind{
			Provider: api.ProviderName, Name: KindInterface,
			Doc: "A network interface that outlives instances.\n\n" +
				"It keeps its private address, and moves with it to the instance that replaces the one it is attached to. It is " +
				"created with its name as its Name tag; an existing one is adopted by its ID. The interface that an instance was " +
				"launched with is part of the instance, not a resource.",
			NameTag: api.TagHuman, NamePattern: api.TagName, NameDoc: api.TagNameDoc,
			Canonical: canonicalInterface, CrossCheck: api.CrossChecks(api.TagTraits{NameTag: true}, GroupsFit("subnet"),
				Addresses, slots),
			Replace: replaceInterface, Outlives: []string{api.KindEC2},
			Holds: holdsInterface, HoldsDoc: "its private address in its subnet; its device_index on the instance",
			Attrs: []resource.Attribute{
				{
					Name: "subnet", Type: resource.TString, Required: true, Effect: resource.Replace, RefKind: api.KindSubnet,
					IDPrefix: "subnet-",
					Example:  "app", Doc: "The subnet that it has an address of. It is attached to instances of the subnet's zone.",
				},
				api.GroupsAttr("The security groups that apply to it. If omitted, the VPC's default group."),
				{
					Name: api.PrivateIP, Type: resource.TString, Effect: resource.Replace, Valid: HostAddress,
					Omit:    func(resource.Value) bool { return true },
					Example: "10.0.1.10", Doc: "A private IPv4 address in its subnet. If omitted, AWS chooses " +
						"one, which it keeps.",
				},
				{
					Name: "description", Type: resource.TString, Max: api.Bound(255), Omit: api.Omitting(resource.String("")),
					Example: "of the VPN", Doc: "A description.",
				},
				{
					Name: api.SourceDestCheck, Type: resource.TBool, Omit: api.Omitting(resource.Bool(true)), Example: "false",
					Doc: "Whether it drops traffic that is not from or to its own addresses. false for a router, VPN or NAT " +
						"instance. AWS's default is true.",
				},
				{
					Name: "attach_to", Type: resource.TString, RefKind: api.KindEC2, IDPrefix: "i-", Weak: true, Example: "web-0",
					Doc: "The instance it is attached to.",
				},
				{
					Name: deviceIndex, Type: resource.TInt, Effect: resource.Restart, Min: api.Bound(1), Max: api.Bound(31),
					HarmlessDefault: true, CreateDefault: resource.Int(defaultIndex), Example: "1",
					Doc: "Its number on the instance, where 0 is the interface of the launch. Changing it detaches the interface " +
						"for a moment.",
				},
				{Name: "private_address", Type: resource.TString, Computed: true, Doc: "Its private IPv4 address."},
				{Name: "mac_address", Type: resource.TString, Computed: true, Doc: "Its hardware address."},
				{Name: "zone", Type: resource.TString, Computed: true, Doc: "The availability zone of its subnet."},
			},
		},
		List: func(ctx context.Context, s *api.Sweep) ([]resource.Observed, error) {
			all, err := interfacesIn().Swept(ctx, s)
			return api.ObservedAs(s, slices.DeleteFunc(all, partOfOther), err, observedInterface)
		},
		ByTag: true, Read: readInterface, Tag: api.TagEC2, Check: checkInterface,
		Create: createInterface, Update: updateInterface, Remove: deleteInterface,
		Calls: api.Calls{
			Service:  "ec2",
			Own:      "network-interface/*",
			Observes: "DescribeNetworkInterfaces",
			Creates:  "CreateNetworkInterface",
			Changes:  "AttachNetworkInterface DetachNetworkInterface ModifyNetworkInterfaceAttribute",
			Deletes:  "DeleteNetworkInterface",
			Touches: "AttachNetworkInterface CreateNetworkInterface DetachNetworkInterface " +
				"ModifyNetworkInterfaceAttribute",
		},
	}
}

func interfaceID(n types.NetworkInterface) string { return aws.ToString(n.NetworkInterfaceId) }

// canonicalInterface rejects a device_index without attach_to: only an instance has device indexes.
// CreateDefault supplies an omitted index for a creation alone, so an existing attachment may have
// another one.
func canonicalInterface(a resource.Attrs) (resource.Attrs, []resource.Problem) {
	_, index := a.Get(deviceIndex)
	if _, attach := a.Get("attach_to"); index && !attach {
		return a, []resource.Problem{{Path: deviceIndex, Summary: "device_index is set, but attach_to names no instance"}}
	}
	return a, nil
}

// replaceInterface: its address and its number on the instance are used once.
func replaceInterface(resource.Desired, resource.Observed) []resource.Strategy {
	return api.DestroyFirst()
}

// slots finds conflicts of two interfaces on an instance, and of an interface with its instance. An
// interface without device_index counts with defaultIndex, the number that plug uses. The name and
// the ID of one instance count as two instances.
func slots(c *api.Checking) {
	taken := map[string]*resource.Desired{}
	for _, d := range c.Configured {
		v, attached := d.Attrs.Get("attach_to")
		if !attached {
			continue
		}
		interfaceBeside(c, d)
		index, set := api.Number(d.Attrs, deviceIndex)
		if !set {
			index = defaultIndex
		}
		key := fmt.Sprintf("%s %s %d", d.Ref.Location, resource.AppendJSON(nil, v), index)
		first, again := taken[key]
		if !again {
			taken[key] = d
			continue
		}
		second := d
		if api.Earlier(second, first) {
			first, second = second, first
		}
		c.Wrong(second, deviceIndex, fmt.Sprintf("use another number, for example device_index: %d", index+1),
			"number %d of the instance is already used by network_interface/%s", index, api.WhereConfigured(first))
	}
}

// interfaceBeside: interface and instance are in one zone (AttachNetworkInterface), and have an address each. Their
// VPCs may be two. If the instance names a configured subnet, the zone of that subnet counts. A zone that is not
// configured is not compared, since it is chosen later.
func interfaceBeside(c *api.Checking, d *resource.Desired) {
	subnet, instance := c.Other(d, "subnet"), c.Other(d, "attach_to")
	if instance == nil {
		return
	}
	if own, set := api.Text(d.Attrs, api.PrivateIP); set && api.Is(instance, api.PrivateIP, own) &&
		equalAttr(d, instance, "subnet") {
		c.Wrong(d, api.PrivateIP, "use another address", "%s is the address of ec2/%s too", own,
			api.WhereConfigured(instance))
	}
	if subnet == nil {
		return
	}
	zone, known := api.Text(subnet.Attrs, "zone")
	where, set := api.Text(instance.Attrs, "zone")
	if s := c.Other(instance, "subnet"); s != nil {
		where, set = api.Text(s.Attrs, "zone")
	}
	if known && set && where != zone {
		c.Wrong(d, "subnet", "use a subnet in "+where, "subnet/%s is in %s, and ec2/%s is in %s", api.WhereConfigured(subnet),
			zone, api.WhereConfigured(instance), where)
	}
}

// equalAttr reports whether two resources set an attribute to the same value. The name and the ID
// of one resource are different values.
func equalAttr(a, b *resource.Desired, name string) bool {
	v, set := a.Attrs.Get(name)
	w, also := b.Attrs.Get(name)
	return set && also && resource.Equal(v, w)
}

func interfacesIn() api.StandardKind[types.NetworkInterface] {
	return api.StandardKind[types.NetworkInterface]{
		Kind: KindInterface, Call: "ec2.DescribeNetworkInterfaces", Filter: "network-interface-id",
		Page: func(ctx context.Context, g *api.Region, q api.Query) ([]types.NetworkInterface, *string, error) {
			out, err := g.EC2.DescribeNetworkInterfaces(ctx, &ec2.DescribeNetworkInterfacesInput{
				NetworkInterfaceIds: q.IDs, Filters: q.Filters, NextToken: q.Token, MaxResults: q.Most,
			})
			if err != nil {
				return nil, nil, err
			}
			return out.NetworkInterfaces, out.NextToken, nil
		},
		ID:      func(x types.NetworkInterface) *string { return x.NetworkInterfaceId },
		Observe: observedInterface,
	}
}

// partOfOther reports whether an interface is part of another resource: the interface of a launch, which is deleted
// with its instance, or an interface of an AWS service. An interface with a ref in its tags is always a resource of
// its own, because a configured interface may have been used for a launch.
func partOfOther(n types.NetworkInterface) bool {
	if api.TagsOf(n.TagSet)[api.TagRef] != "" {
		return false
	}
	at := n.Attachment
	return aws.ToBool(n.RequesterManaged) || at != nil && aws.ToInt32(at.DeviceIndex) == 0 &&
		aws.ToBool(at.DeleteOnTermination)
}

// observedInterface converts an answer of EC2 to a resource. The interface of a launch shows no
// attach_to: a configuration cannot name index 0, so no plan could create this attachment again.
// The address has two attributes, since private_ip can be configured and private_address is
// computed. An interface without marks that is deleted with its instance is owned by the instance.
func observedInterface(g *api.Region, n types.NetworkInterface) resource.Observed {
	o := resource.Observed{ID: interfaceID(n), Health: resource.Healthy}
	switch n.Status {
	case interfacePending, types.NetworkInterfaceStatusAttaching, types.NetworkInterfaceStatusDetaching:
		o.Health = resource.Pending
	case types.NetworkInterfaceStatusAvailable, types.NetworkInterfaceStatusAssociated, types.NetworkInterfaceStatusInUse:
	default:
		o.Health, o.Message = api.UnknownState(n.Status)
	}
	a := api.Attrs{}
	a.Text("subnet", n.SubnetId)
	a.Text(api.PrivateIP, n.PrivateIpAddress)
	a.Text("private_address", n.PrivateIpAddress)
	a.Text("mac_address", n.MacAddress)
	a.Text("zone", n.AvailabilityZone)
	a["description"] = resource.String(aws.ToString(n.Description))
	a.Flag(api.SourceDestCheck, n.SourceDestCheck)
	var groups []string
	for _, s := range n.Groups {
		groups = append(groups, aws.ToString(s.GroupId))
	}
	slices.Sort(groups)
	a.Texts("security_groups", groups)
	at := plugged(n)
	switch {
	case at == nil:
	case aws.ToInt32(at.DeviceIndex) == 0: // which a launch decides, and nothing else
		o.Message = "the interface that " + aws.ToString(at.InstanceId) + " was launched with"
	default:
		a.Text("attach_to", at.InstanceId)
		a.Number(deviceIndex, at.DeviceIndex)
	}
	o.Attrs = a.Build()
	g.Identify(&o, KindInterface, "", api.TagsOf(n.TagSet))
	if at != nil && aws.ToBool(at.DeleteOnTermination) && o.OwnedBy == "" && o.Marks.IsZero() {
		o.OwnedBy = "instance " + aws.ToString(at.InstanceId) + ", which it is deleted with"
	}
	return o
}

// plugged is the attachment of an interface to an instance, or the one under way. An attachment
// that ends does not count, so that a plan does not rely on it. An attachment without an instance
// ID does not count either.
func plugged(n types.NetworkInterface) *types.NetworkInterfaceAttachment {
	at := n.Attachment
	if at == nil || aws.ToString(at.InstanceId) == "" || at.Status == types.AttachmentStatusDetached ||
		at.Status == types.AttachmentStatusDetaching {
		return nil
	}
	return at
}

// readInterface returns one interface. An interface that is part of another resource is reported as
// absent, like in the list, and the error has the reason.
func readInterface(ctx context.Context, g *api.Region, id string) (resource.Observed, error) {
	n, err := interfacesIn().One(ctx, g, id)
	if err == nil && partOfOther(n) {
		err = api.MissingOf("ec2.DescribeNetworkInterfaces", fmt.Errorf("%s belongs to another AWS resource and "+
			"cannot be managed on its own", id))
	}
	if err != nil {
		return resource.Observed{}, err
	}
	return observedInterface(g, n), nil
}

// InterfacesWhere names the interfaces of a filter. That of a launch is not named: its instance is. An interface of a
// service is named with its description, which is the only hint at the service, and is marked as removable by AWS.
func InterfacesWhere(ctx context.Context, g *api.Region, filter, value string) ([]api.Holder, error) {
	all, err := interfacesIn().Where(ctx, g, api.Where(filter, value))
	var held []api.Holder
	for _, n := range all {
		service := aws.ToBool(n.RequesterManaged)
		switch {
		case service && aws.ToString(n.Description) != "":
			name := fmt.Sprintf("%s (%s)", interfaceID(n), aws.ToString(n.Description))
			held = append(held, api.Holder{Name: name, Service: true})
		case service, !partOfOther(n):
			held = append(held, api.Holder{Name: api.NameID(observedInterface(g, n)), Service: service})
		}
	}
	return held, err
}

// Lasting returns the sorted IDs of the interfaces that stay when an instance is terminated. The
// interface of the launch never counts, and neither does an interface that is being detached.
func Lasting(i types.Instance) []string {
	var out []string
	for _, n := range i.NetworkInterfaces {
		at := n.Attachment
		if at == nil || aws.ToInt32(at.DeviceIndex) == 0 || aws.ToBool(at.DeleteOnTermination) {
			continue
		}
		if at.Status == types.AttachmentStatusAttached || at.Status == types.AttachmentStatusAttaching {
			out = append(out, aws.ToString(n.NetworkInterfaceId))
		}
	}
	slices.Sort(out)
	return out
}

// interfaceInput returns the parameters that the dry run and the creation share.
// CreateNetworkInterface has no parameter for source_dest_check; createInterface sets it by a
// second call.
func interfaceInput(a resource.Attrs) *ec2.CreateNetworkInterfaceInput {
	return &ec2.CreateNetworkInterfaceInput{
		SubnetId: api.DesiredText(a, "subnet"), Groups: a.Texts("security_groups"),
		PrivateIpAddress: api.DesiredText(a, api.PrivateIP), Description: api.DesiredText(a, "description"),
	}
}

// checkInterface: the address of the interface to be replaced is free once that is deleted. The
// attachment is not part of the dry run, since its instance may not exist yet.
func checkInterface(ctx context.Context, g *api.Region, r provider.Request) error {
	if api.Unresolved(r.Desired.Attrs, "subnet", "security_groups", api.PrivateIP, "description") {
		return nil
	}
	in := interfaceInput(r.Desired.Attrs)
	in.DryRun = aws.Bool(true)
	_, err := g.EC2.CreateNetworkInterface(ctx, in)
	if api.HasCode(err, api.AddressTaken) && r.Have.ID != "" &&
		api.DesiredIs(r.Have.Attrs, api.PrivateIP, aws.ToString(in.PrivateIpAddress)) {
		return nil
	}
	return api.DryRun(err)
}

// holdsInterface: an address and a device index are used once (CreateNetworkInterface, AttachNetworkInterface). The
// index is not the identity: an interface moves from one instance to another. An attachment without device_index
// holds defaultIndex.
func holdsInterface(_ resource.Ref, a resource.Attrs, _ resource.State) []resource.Hold {
	out := api.HoldsAddress(a, api.PrivateIP, true)
	if instance, attached := api.Inside(a, "attach_to"); attached {
		index, set := api.Number(a, deviceIndex)
		if !set {
			index = defaultIndex
		}
		out = append(out, resource.Hold{What: deviceIndex, Of: instance, Name: strconv.FormatInt(index, 10)})
	}
	return out
}
