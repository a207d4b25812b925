package network

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/resource"
)

func kindOfEIP() api.Kind {
	return api.Kind{
		Schema: resource.Kind{
			Provider: api.ProviderName, Name: KindEIP,
			Doc: "A fixed public IPv4 address (Elastic IP).\n\n" +
				"The account keeps the address until you delete it. A deleted address cannot be recovered. It\n" +
				"is created with its name as its Name tag; an existing one is adopted by its ID.",
			NameTag:     api.TagHuman,
			NamePattern: api.TagName, NameDoc: api.TagNameDoc,
			Canonical: canonicalAddress,
			CrossCheck: api.CrossChecks(api.TagTraits{NameTag: true}, oneInEach("attach_to", "address"),
				oneInEach(KindInterface, "address")),
			DataLoss: loseAddress,
			Holds:    holdsElastic, HoldsDoc: "the place of the Elastic IP of an instance or a network interface",
			Attrs: []resource.Attribute{
				{
					Name: "attach_to", Type: resource.TString, RefKind: api.KindEC2, IDPrefix: "i-", Weak: true,
					Example: "web-0", Doc: "The instance that has the address. If omitted, ovi does not change " +
						"the attachment: a nat_gateway attaches the address itself.",
				},
				{
					Name: KindInterface, Type: resource.TString, RefKind: KindInterface, IDPrefix: "eni-", Weak: true,
					Omit:    func(resource.Value) bool { return true },
					Example: "vpn", Doc: "The network interface that has the address, instead of attach_to.",
				},
				{Name: "public_address", Type: resource.TString, Computed: true, Doc: "The address."},
			},
		},
		List: addresses().ListAll, ByTag: true, Read: addresses().ReadByID, Tag: api.TagEC2, Check: checkAddress,
		Create: createAddress, Update: updateAddress, Remove: deleteAddress,
		Calls: api.Calls{
			Service:  "ec2",
			Own:      "elastic-ip/*",
			Observes: "DescribeAddresses DescribeInstances DescribeNetworkInterfaces",
			Creates:  "AllocateAddress",
			Changes:  "AssociateAddress DisassociateAddress",
			Deletes:  "ReleaseAddress",
			Touches:  "AssociateAddress DisassociateAddress",
		},
	}
}

// canonicalAddress rejects two attachments: an Elastic IP has one association at a time.
func canonicalAddress(a resource.Attrs) (resource.Attrs, []resource.Problem) {
	_, instance := a.Get("attach_to")
	if _, own := a.Get(KindInterface); own && instance {
		return a, []resource.Problem{{
			Path:       KindInterface,
			Summary:    "an address can be attached to an instance or a network interface, not both",
			Suggestion: "omit attach_to, or network_interface",
		}}
	}
	return a, nil
}

// loseAddress: who has the address in a firewall or a DNS record elsewhere loses it.
func loseAddress(o resource.Observed, _ resource.Attrs) string {
	if a, ok := api.Text(o.Attrs, "public_address"); ok {
		return "address " + a + ", which cannot be recovered"
	}
	return "address, which cannot be recovered"
}

// addresses come all at once: DescribeAddresses has no pages.
func addresses() api.StandardKind[types.Address] {
	return api.StandardKind[types.Address]{
		Kind: KindEIP, Call: "ec2.DescribeAddresses", Filter: "allocation-id",
		Page: func(ctx context.Context, g *api.Region, q api.Query) ([]types.Address, *string, error) {
			out, err := g.EC2.DescribeAddresses(ctx, &ec2.DescribeAddressesInput{
				AllocationIds: q.IDs, Filters: q.Filters,
			})
			if err != nil {
				return nil, nil, err
			}
			return out.Addresses, nil, nil
		},
		ID:      func(x types.Address) *string { return x.AllocationId },
		Observe: observedAddress,
	}
}

// observedAddress converts an answer of EC2 to a resource. An address has no state of its own, so
// it is always healthy. EC2 reports the instance of an address together with its interface, so both
// attributes can be set. A configuration that is written for an existing address omits the
// interface.
func observedAddress(g *api.Region, e types.Address) resource.Observed {
	o := resource.Observed{ID: aws.ToString(e.AllocationId), Health: resource.Healthy}
	a := api.Attrs{}
	a.Text("attach_to", e.InstanceId)
	a.Text(KindInterface, e.NetworkInterfaceId)
	a.Text("public_address", e.PublicIp)
	o.Attrs = a.Build()
	g.Identify(&o, KindEIP, "", api.TagsOf(e.Tags))
	return o
}

// checkAddress asks EC2 for a dry run, which reports a missing permission before the first action
// of the plan. Amazon EC2 API Reference, AllocateAddress: DryRun "Checks whether you have the
// required permissions for the action, without actually making the request". The attachment is not
// checked: the instance may be created by the same plan.
func checkAddress(ctx context.Context, g *api.Region, _ provider.Request) error {
	_, err := g.EC2.AllocateAddress(ctx, &ec2.AllocateAddressInput{Domain: types.DomainTypeVpc, DryRun: aws.Bool(true)})
	return api.DryRun(err)
}

// createAddress allocates an address once per key and attaches it. AllocateAddress has no client
// token, and a second address costs money, so NoRetry finds an earlier result by its tag. A failed
// attachment leaves a tagged address, which the next attempt finds and attaches.
func createAddress(ctx context.Context, g *api.Region, r provider.Request) (resource.Observed, error) {
	made, err := api.NoRetry(ctx, g, func() (types.Address, error) {
		out, err := g.EC2.AllocateAddress(ctx, &ec2.AllocateAddressInput{
			Domain:            types.DomainTypeVpc,
			TagSpecifications: []types.TagSpecification{api.Born(types.ResourceTypeElasticIp, g.BirthTags(r, true))},
		}, api.OnlyRefused)
		if err != nil {
			return types.Address{}, err
		}
		return types.Address{AllocationId: out.AllocationId}, nil
	}, func() ([]types.Address, error) {
		return addresses().Where(ctx, g, api.BornWith(r.Key))
	})
	if err != nil {
		return resource.Observed{}, err
	}
	return attachAddress(ctx, g, aws.ToString(made.AllocationId), r.Desired.Attrs)
}

// updateAddress moves an address. It compares with the live attachment, so a repeated update
// changes nothing.
func updateAddress(ctx context.Context, g *api.Region, r provider.Request) (resource.Observed, error) {
	return attachAddress(ctx, g, r.Have.ID, r.Desired.Attrs)
}

// attachAddress gives an address to its instance or interface. It takes none from a service that
// has it: that is an error of AWS (Resource.AlreadyAssociated), since AllowReassociation is false.
// Without a configured attachment it only reads: a NAT gateway may have the address. Each round
// reads the address and makes one change at most. The next read shows the result, even if the
// response to the change was lost.
func attachAddress(ctx context.Context, g *api.Region, id string, want resource.Attrs) (o resource.Observed,
	err error,
) {
	instance, onInstance := api.Text(want, "attach_to")
	nic, onInterface := api.Text(want, KindInterface)
	err = g.AwaitSeen(ctx, g.Wait.Compute, "the address "+id, func(ctx context.Context) error {
		e, err := addresses().One(ctx, g, id)
		if err != nil {
			return err
		}
		o = observedAddress(g, e)
		switch {
		case onInstance && aws.ToString(e.InstanceId) == instance, onInterface && aws.ToString(e.NetworkInterfaceId) == nic,
			!onInstance && !onInterface:
			return nil
		}
		freed, err := freeAddress(ctx, g, e)
		if err != nil {
			return err
		}
		if !freed {
			err = associateAddress(ctx, g, id, instance, nic)
		}
		// An instance or an interface that was just created may not be visible yet.
		// An instance takes no address before it runs.
		if err != nil && !api.Absent(err) && !api.HasCode(err, "InvalidInstanceID", "IncorrectInstanceState") {
			return err
		}
		return api.ErrWait
	})
	return o, err
}

// associateAddress gives an address to an interface: that of the launch of an instance, if that has
// others. Amazon EC2 API Reference, AssociateAddress: "If the instance has more than one network
// interface, you must specify a network interface ID". AllowReassociation is false "to ensure the
// operation fails if the Elastic IP address is already associated with another resource".
func associateAddress(ctx context.Context, g *api.Region, id, instance, nic string) error {
	in := &ec2.AssociateAddressInput{AllocationId: aws.String(id), AllowReassociation: aws.Bool(false)}
	if nic == "" {
		i, err := api.OneInstance(ctx, g, instance)
		if err != nil {
			return err
		}
		nic = Primary(i)
	}
	if nic != "" {
		in.NetworkInterfaceId = aws.String(nic)
	} else {
		in.InstanceId = aws.String(instance)
	}
	_, err := g.EC2.AssociateAddress(ctx, in)
	return api.Classify("", err)
}

// freeAddress removes an address from the instance or the interface that has it, and reports whether it did. A
// service of AWS, such as a NAT gateway, keeps its address. The result is also false if the interface does not exist,
// or if the association names neither an instance nor an interface. AWS then decides about the next call of the
// caller. Amazon EC2 API Reference, DisassociateAddress: "This is an idempotent operation".
func freeAddress(ctx context.Context, g *api.Region, e types.Address) (bool, error) {
	if e.AssociationId == nil {
		return false, nil
	}
	if nic := aws.ToString(e.NetworkInterfaceId); aws.ToString(e.InstanceId) == "" && nic != "" {
		n, err := interfacesIn().One(ctx, g, nic)
		if api.Absent(api.Classify("", err)) || err == nil && aws.ToBool(n.RequesterManaged) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
	} else if nic == "" && aws.ToString(e.InstanceId) == "" {
		return false, nil
	}
	_, err := g.EC2.DisassociateAddress(ctx, &ec2.DisassociateAddressInput{AssociationId: e.AssociationId})
	if err = api.Classify("", err); err != nil && !api.Absent(err) {
		return false, err
	}
	return true, nil
}

// deleteAddress first removes the address from its instance or interface. An address of a NAT gateway stays until the
// gateway is gone. Amazon EC2 API Reference, ReleaseAddress: outside a default VPC, "You must disassociate the
// Elastic IP address before you can release it". Each attempt reads the address again, so a repeated attempt
// continues after the last completed step.
func deleteAddress(ctx context.Context, g *api.Region, r provider.Request) error {
	id := r.Have.ID
	return g.DeleteHeld(ctx, id, func() error {
		e, err := addresses().One(ctx, g, id)
		if err == nil {
			_, err = freeAddress(ctx, g, e)
		}
		if err != nil {
			return err
		}
		_, err = g.EC2.ReleaseAddress(ctx, &ec2.ReleaseAddressInput{AllocationId: aws.String(id)})
		return err
	}, func() ([]api.Holder, error) { return natsWith(ctx, g, id) }, "InvalidIPAddress.InUse")
}

// natsWith lists the NAT gateways that have an address. DescribeNatGateways has no filter for an
// address, so all gateways are read. A gateway that is being deleted counts as a service: AWS
// releases its address without an operator.
func natsWith(ctx context.Context, g *api.Region, address string) ([]api.Holder, error) {
	all, err := natGateways().Where(ctx, g, nil)
	var held []api.Holder
	for _, n := range all {
		o := observedNAT(g, n)
		if n.State != types.NatGatewayStateDeleted && api.DesiredIs(o.Attrs, "eip", address) {
			held = append(held, api.Holder{Name: api.NameID(o), Service: natGone(n) != ""})
		}
	}
	return held, err
}

// holdsElastic: ovi gives an instance or a network interface one Elastic IP. The place is not the identity: an
// address moves from one instance to another. Amazon EC2 API Reference, AssociateAddress: if an instance has an
// Elastic IP address, "the existing address is disassociated from the instance". Two addresses with one user would
// replace each other in every cycle.
func holdsElastic(_ resource.Ref, a resource.Attrs, _ resource.State) (out []resource.Hold) {
	for _, attr := range []string{"attach_to", KindInterface} {
		if user, set := api.Inside(a, attr); set {
			out = append(out, resource.Hold{What: "Elastic IP", Of: user})
		}
	}
	return out
}
