package aws

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

const kindEIP = "eip"

func kindOfEIP() kind {
	return kind{
		schema: resource.Kind{
			Provider: Name, Name: kindEIP,
			Doc: "A fixed public IPv4 address (Elastic IP).\n\n" +
				"It belongs to the account until it is deleted: a deleted address cannot be had again. It is created with its name as its Name tag; an existing one is adopted by its ID.",
			NameTag:     tagHuman,
			NamePattern: tagName, NameDoc: tagNameDoc,
			Canonical:  canonicalAddress,
			CrossCheck: crossChecks(tagTraits{nameTag: true}, oneInEach("attach_to", "address"), oneInEach(kindInterface, "address")),
			DataLoss:   loseAddress,
			Attrs: []resource.Attribute{
				{
					Name: "attach_to", Type: resource.TString, RefKind: kindEC2, IDPrefix: "i-",
					Example: "web-0", Doc: "The instance that has the address. If omitted, what it is attached to is not changed: a nat_gateway takes it by itself.",
				},
				{
					Name: kindInterface, Type: resource.TString, RefKind: kindInterface, IDPrefix: "eni-", Omit: func(resource.Value) bool { return true },
					Example: "vpn", Doc: "The network interface that has the address, instead of attach_to.",
				},
				{Name: "public_address", Type: resource.TString, Computed: true, Doc: "The address."},
			},
		},
		list: func(ctx context.Context, s *sweep) ([]resource.Observed, error) {
			all, err := allOrOwn(s, kindEIP, "allocation-id", func(x types.Address) string { return aws.ToString(x.AllocationId) }, func(f []types.Filter) ([]types.Address, error) {
				return elasticIPs(ctx, s.region, &ec2.DescribeAddressesInput{Filters: f})
			})
			return observedAs(s, all, err, observedAddress)
		},
		byTag: true, read: readAddress, tag: tagEC2, check: checkAddress,
		create: createAddress, update: updateAddress, remove: deleteAddress,
	}
}

func canonicalAddress(a resource.Attrs) (resource.Attrs, []resource.Problem) {
	_, instance := a.Get("attach_to")
	if _, own := a.Get(kindInterface); own && instance {
		return a, []resource.Problem{{Path: kindInterface, Summary: "an address is either that of an instance or that of a network interface", Suggestion: "omit attach_to, or network_interface"}}
	}
	return a, nil
}

// loseAddress: who has the address in a firewall or a DNS record elsewhere loses it.
func loseAddress(o resource.Observed, _ resource.Attrs) string {
	if a, ok := text(o.Attrs, "public_address"); ok {
		return "address " + a + ", which cannot be had again"
	}
	return "address, which cannot be had again"
}

// elasticIPs reads them all at once: DescribeAddresses has no pages.
func elasticIPs(ctx context.Context, g *region, in *ec2.DescribeAddressesInput) ([]types.Address, error) {
	out, err := g.ec2.DescribeAddresses(ctx, in)
	if err != nil {
		return nil, classify("", err)
	}
	return out.Addresses, nil
}

func observedAddress(g *region, e types.Address) resource.Observed {
	o := resource.Observed{ID: aws.ToString(e.AllocationId), Health: resource.Healthy}
	a := attrs{}
	a.text("attach_to", e.InstanceId)
	a.text(kindInterface, e.NetworkInterfaceId)
	a.text("public_address", e.PublicIp)
	o.Attrs = a.done()
	g.identify(&o, kindEIP, "", tagsOf(e.Tags))
	return o
}

func address(ctx context.Context, g *region, id string) (types.Address, error) {
	all, err := elasticIPs(ctx, g, &ec2.DescribeAddressesInput{AllocationIds: []string{id}})
	return only(all, err, "ec2.DescribeAddresses", id)
}

func readAddress(ctx context.Context, g *region, id string) (resource.Observed, error) {
	e, err := address(ctx, g, id)
	if err != nil {
		return resource.Observed{}, err
	}
	return observedAddress(g, e), nil
}

func checkAddress(ctx context.Context, g *region, _ provider.Request) error {
	_, err := g.ec2.AllocateAddress(ctx, &ec2.AllocateAddressInput{Domain: types.DomainTypeVpc, DryRun: aws.Bool(true)})
	return dryRun(err)
}

func createAddress(ctx context.Context, g *region, r provider.Request) (resource.Observed, error) {
	made, err := noRetry(ctx, g, func() (types.Address, error) {
		out, err := g.ec2.AllocateAddress(ctx, &ec2.AllocateAddressInput{
			Domain:            types.DomainTypeVpc,
			TagSpecifications: []types.TagSpecification{born(types.ResourceTypeElasticIp, g.birthTags(r, true))},
		}, onlyRefused)
		if err != nil {
			return types.Address{}, err
		}
		return types.Address{AllocationId: out.AllocationId}, nil
	}, func() ([]types.Address, error) {
		return elasticIPs(ctx, g, &ec2.DescribeAddressesInput{Filters: bornWith(r.Key)})
	})
	if err != nil {
		return resource.Observed{}, err
	}
	return attachAddress(ctx, g, aws.ToString(made.AllocationId), r.Desired.Attrs)
}

func updateAddress(ctx context.Context, g *region, r provider.Request) (resource.Observed, error) {
	return attachAddress(ctx, g, r.Have.ID, r.Desired.Attrs)
}

// attachAddress gives an address to its instance or interface. It takes none from a service that has it: that is an
// error of AWS (Resource.AlreadyAssociated), since AllowReassociation is false.
func attachAddress(ctx context.Context, g *region, id string, want resource.Attrs) (o resource.Observed, err error) {
	instance, onInstance := text(want, "attach_to")
	nic, onInterface := text(want, kindInterface)
	err = g.awaitSeen(ctx, g.wait.Compute, "the address "+id, func(ctx context.Context) error {
		e, err := address(ctx, g, id)
		if err != nil {
			return err
		}
		o = observedAddress(g, e)
		switch {
		case onInstance && aws.ToString(e.InstanceId) == instance, onInterface && aws.ToString(e.NetworkInterfaceId) == nic, !onInstance && !onInterface:
			return nil
		}
		freed, err := freeAddress(ctx, g, e)
		if err != nil {
			return err
		}
		if !freed {
			err = associateAddress(ctx, g, id, instance, nic)
		}
		// An instance takes no address before it runs.
		if err != nil && !absent(err) && !hasCode(err, "InvalidInstanceID", "IncorrectInstanceState") {
			return err
		}
		return errWait
	})
	return o, err
}

// associateAddress gives an address to an interface: that of the launch of an instance, if that has others.
func associateAddress(ctx context.Context, g *region, id, instance, nic string) error {
	in := &ec2.AssociateAddressInput{AllocationId: aws.String(id), AllowReassociation: aws.Bool(false)}
	if nic == "" {
		i, err := oneInstance(ctx, g, instance)
		if err != nil {
			return err
		}
		nic = primary(i)
	}
	if nic != "" {
		in.NetworkInterfaceId = aws.String(nic)
	} else {
		in.InstanceId = aws.String(instance)
	}
	_, err := g.ec2.AssociateAddress(ctx, in)
	return classify("", err)
}

// freeAddress takes an address from the instance or interface that has it, and reports whether one had. A service of AWS
// keeps its address.
func freeAddress(ctx context.Context, g *region, e types.Address) (bool, error) {
	if e.AssociationId == nil {
		return false, nil
	}
	if nic := aws.ToString(e.NetworkInterfaceId); aws.ToString(e.InstanceId) == "" && nic != "" {
		n, err := networkInterface(ctx, g, nic)
		if absent(classify("", err)) || err == nil && aws.ToBool(n.RequesterManaged) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
	} else if nic == "" && aws.ToString(e.InstanceId) == "" {
		return false, nil
	}
	_, err := g.ec2.DisassociateAddress(ctx, &ec2.DisassociateAddressInput{AssociationId: e.AssociationId})
	if err = classify("", err); err != nil && !absent(err) {
		return false, err
	}
	return true, nil
}

// deleteAddress takes it from its instance or interface first. One that a NAT gateway has stays until that is gone.
func deleteAddress(ctx context.Context, g *region, r provider.Request) error {
	id := r.Have.ID
	return g.deleteHeld(ctx, id, func() error {
		e, err := address(ctx, g, id)
		if err == nil {
			_, err = freeAddress(ctx, g, e)
		}
		if err != nil {
			return err
		}
		_, err = g.ec2.ReleaseAddress(ctx, &ec2.ReleaseAddressInput{AllocationId: aws.String(id)})
		return err
	}, func() ([]string, error) { return natsWith(ctx, g, id) }, "InvalidIPAddress.InUse")
}

// natsWith lists the NAT gateways that have an address.
func natsWith(ctx context.Context, g *region, address string) ([]string, error) {
	all, err := natGateways(ctx, g, &ec2.DescribeNatGatewaysInput{})
	var names []string
	for _, n := range all {
		if o := observedNAT(g, n); !natGone(n) && desiredIs(o.Attrs, "eip", address) {
			names = append(names, nameID(o))
		}
	}
	return names, err
}

func desiredIs(a resource.Attrs, name, value string) bool {
	s, ok := text(a, name)
	return ok && s == value
}
