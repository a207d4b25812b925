package network

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/resource"
)

// KindNAT is the kind nat_gateway.
const KindNAT = "nat_gateway"

func kindOfNAT() api.Kind {
	return api.Kind{
		Schema: resource.Kind{
			Provider: api.ProviderName, Name: KindNAT,
			Doc: "A NAT gateway, which gives instances in private subnets outbound internet access.\n\n" +
				"It is in a subnet with a route to an internet_gateway; private subnets use it by a route of\n" +
				"their route_table. It is created with its name as its Name tag; an existing one is adopted\n" +
				"by its ID.",
			NameTag: api.TagHuman,
			Advice: func(have resource.Observed) string {
				return "correct the cause, then run `ovi apply --replace nat_gateway/" + have.Ref.Name + "`"
			},
			NamePattern: api.TagName, NameDoc: api.TagNameDoc,
			Canonical: canonicalNAT, CrossCheck: api.CrossChecks(api.TagTraits{NameTag: true}, oneInEach("eip", "NAT gateway")),
			Replace: replaceNAT, Grace: 15 * time.Minute,
			Holds: holdsNAT, HoldsDoc: "the use of its eip; its private address in its subnet",
			Attrs: []resource.Attribute{
				{
					Name: "subnet", Type: resource.TString, Required: true, Effect: resource.Replace, RefKind: api.KindSubnet,
					IDPrefix: "subnet-",
					Example:  "public-a", Doc: "The subnet it is in. Its VPC needs an internet gateway before: name it in depends_on.",
				},
				{
					Name: "eip", Type: resource.TString, Effect: resource.Replace, RefKind: KindEIP, IDPrefix: "eipalloc-",
					Example: "nat", Doc: "The address that what it sends comes from. A private NAT gateway has none.",
				},
				{
					Name: "connectivity", Type: resource.TString, Effect: resource.Replace, Enum: []string{"public", "private"},
					Default: resource.String("public"),
					Example: "public", Doc: "Whether it leads to the internet, or only to other private networks.",
				},
				{Name: "public_address", Type: resource.TString, Computed: true, Doc: "The public source address " +
					"of its traffic."},
				{Name: "private_address", Type: resource.TString, Computed: true, Doc: "Its address in the subnet."},
			},
		},
		List: natGateways().ListAll, ByTag: true, Read: natGateways().ReadByID, Tag: api.TagEC2, Check: checkNAT,
		Create: createNAT, Update: updateNAT, Remove: deleteNAT,
		Calls: api.Calls{
			Service:  "ec2",
			Own:      "natgateway/*",
			Observes: "DescribeNatGateways DescribeAddresses",
			Creates:  "CreateNatGateway",
			Deletes:  "DeleteNatGateway",
			Touches:  "CreateNatGateway",
		},
	}
}

// canonicalNAT requires an eip for a public gateway and rejects one for a private gateway. Amazon
// EC2 API Reference, CreateNatGateway: "You cannot specify an Elastic IP address with a private NAT
// gateway".
func canonicalNAT(a resource.Attrs) (resource.Attrs, []resource.Problem) {
	_, address := a.Get("eip")
	kind, _ := api.Text(a, "connectivity")
	switch {
	case kind == "private" && address:
		return a, []resource.Problem{{
			Path: "eip", Summary: "a private NAT gateway has no public address",
			Suggestion: "omit eip, or connectivity",
		}}
	case kind != "private" && !address:
		return a, []resource.Problem{{
			Path: "eip", Summary: "a public NAT gateway needs an address",
			Suggestion: "add an eip and name it here",
		}}
	}
	return a, nil
}

// replaceNAT: an address is used by one gateway at a time. If the address does not change, the old
// gateway must release it before the new one can have it. A gateway with another address, and a
// private gateway, can exist together with the old one.
func replaceNAT(d resource.Desired, have resource.Observed) []resource.Strategy {
	if _, address := d.Attrs.Get("eip"); address && api.SameText(d, have, "eip") {
		return api.DestroyFirst()
	}
	return api.CreateFirst()
}

// natGateways reads NAT gateways. Gone hides deleted gateways in lists and in reads by ID. Where
// and Poll still return them: deleteNAT waits for their last state.
func natGateways() api.StandardKind[types.NatGateway] {
	return api.StandardKind[types.NatGateway]{
		Kind: KindNAT, Call: "ec2.DescribeNatGateways", Filter: "nat-gateway-id",
		Page: func(ctx context.Context, g *api.Region, q api.Query) ([]types.NatGateway, *string, error) {
			out, err := g.EC2.DescribeNatGateways(ctx, &ec2.DescribeNatGatewaysInput{
				NatGatewayIds: q.IDs, Filter: q.Filters, NextToken: q.Token, MaxResults: q.Most,
			})
			if err != nil {
				return nil, nil, err
			}
			return out.NatGateways, out.NextToken, nil
		},
		ID:      func(x types.NatGateway) *string { return x.NatGatewayId },
		Observe: observedNAT,
		Gone:    natGone,
	}
}

// natGone: a deleted gateway is listed for about an hour.
func natGone(n types.NatGateway) string {
	if n.State == types.NatGatewayStateDeleting || n.State == types.NatGatewayStateDeleted {
		return string(n.State)
	}
	return ""
}

// observedNAT converts an answer of EC2 to a resource. A failed gateway stays listed with the
// reason in FailureCode. Only its primary address is shown, because a gateway is configured with
// one.
func observedNAT(g *api.Region, n types.NatGateway) resource.Observed {
	o := resource.Observed{ID: aws.ToString(n.NatGatewayId), Health: resource.Healthy, Since: aws.ToTime(n.CreateTime)}
	switch n.State {
	case types.NatGatewayStatePending:
		o.Health = resource.Pending
	case types.NatGatewayStateFailed:
		o.Health, o.Message = resource.Failing, natFailure(n)
	// A gateway that is being deleted is converted only to name it as a holder.
	case types.NatGatewayStateAvailable, types.NatGatewayStateDeleting, types.NatGatewayStateDeleted:
	default:
		o.Health, o.Message = api.UnknownState(n.State)
	}
	a := api.Attrs{}
	a.Text("subnet", n.SubnetId)
	// Amazon EC2 API Reference, CreateNatGateway: "The default is public connectivity".
	a["connectivity"] = resource.String("public")
	if n.ConnectivityType == types.ConnectivityTypePrivate {
		a["connectivity"] = resource.String("private")
	}
	for _, at := range n.NatGatewayAddresses {
		if at.IsPrimary != nil && !*at.IsPrimary {
			continue
		}
		a.Text("eip", at.AllocationId)
		a.Text("public_address", at.PublicIp)
		a.Text("private_address", at.PrivateIp)
	}
	o.Attrs = a.Build()
	g.Identify(&o, KindNAT, "", api.TagsOf(n.Tags))
	return o
}

// natFailure returns AWS's reason for a failed gateway. FailureCode is an error code such as
// Gateway.NotAttached.
func natFailure(n types.NatGateway) string {
	return fmt.Sprintf("%s: %s", aws.ToString(n.FailureCode), aws.ToString(n.FailureMessage))
}

// natInput returns the parameters that the dry run and the creation share. The client token and the
// tags belong to the creation alone.
func natInput(a resource.Attrs) *ec2.CreateNatGatewayInput {
	kind, _ := api.Text(a, "connectivity")
	return &ec2.CreateNatGatewayInput{
		SubnetId: api.DesiredText(a, "subnet"), AllocationId: api.DesiredText(a, "eip"),
		ConnectivityType: types.ConnectivityType(kind),
	}
}

// checkNAT asks EC2 for a dry run if every reference is resolved. If a gateway exists already, the
// request is not checked: that gateway still uses the address. The internet gateway of the VPC is
// not part of the check, because the same plan may create it; awaitInternet waits for it.
func checkNAT(ctx context.Context, g *api.Region, r provider.Request) error {
	if api.Unresolved(r.Desired.Attrs) || r.Have.ID != "" {
		return nil
	}
	in := natInput(r.Desired.Attrs)
	in.DryRun = aws.Bool(true)
	_, err := g.EC2.CreateNatGateway(ctx, in)
	return api.DryRun(err)
}

// createNAT has a token, and looks for the tag of its key besides: a token is forgotten. Only a
// pending or available gateway counts as found, since a failed one never becomes usable. The token
// also makes the retries of the SDK harmless, so the call needs no OnlyRefused.
func createNAT(ctx context.Context, g *api.Region, r provider.Request) (resource.Observed, error) {
	in := natInput(r.Desired.Attrs)
	in.ClientToken = aws.String(r.Key)
	in.TagSpecifications = []types.TagSpecification{api.Born(types.ResourceTypeNatgateway, g.BirthTags(r, true))}
	if err := awaitInternet(ctx, g, r.Desired.Attrs); err != nil {
		return resource.Observed{}, err
	}
	made, err := api.NoRetry(ctx, g, func() (types.NatGateway, error) {
		var out *ec2.CreateNatGatewayOutput
		err := g.Patiently(ctx, g.Wait.Appear, func() (err error) {
			out, err = g.EC2.CreateNatGateway(ctx, in)
			return api.Classify("", err)
		}, "InvalidSubnetID.NotFound", "InvalidAllocationID.NotFound")
		if err != nil {
			return types.NatGateway{}, err
		}
		return *out.NatGateway, nil
	}, func() ([]types.NatGateway, error) {
		return natGateways().Where(ctx, g, append(api.BornWith(r.Key), api.Where("state", "pending", "available")...))
	})
	if err != nil {
		return resource.Observed{}, err
	}
	return awaitNAT(ctx, g, aws.ToString(made.NatGatewayId))
}

// awaitInternet waits until the VPC of a public NAT gateway has an internet gateway: without one, AWS
// accepts the call and the NAT gateway fails a minute later (Gateway.NotAttached). The wait covers
// propagation only: if depends_on names the gateway, the same plan has created it before.
func awaitInternet(ctx context.Context, g *api.Region, a resource.Attrs) error {
	if !api.DesiredIs(a, "connectivity", "public") {
		return nil
	}
	subnet, _ := api.Text(a, "subnet")
	var vpc string
	missing := false
	err := g.AwaitSeen(ctx, g.Wait.Appear, "an internet gateway", func(ctx context.Context) error {
		s, err := subnets().One(ctx, g, subnet)
		if err != nil {
			return err
		}
		vpc = aws.ToString(s.VpcId)
		all, err := internetGateways().Where(ctx, g, api.Where("attachment.vpc-id", vpc))
		if err != nil {
			return err // of a read that the limit cut short: what was read before holds
		}
		if missing = len(all) == 0; missing {
			return api.ErrWait
		}
		return nil
	})
	// The configuration is wrong if the last successful read found no gateway. An interrupted
	// action keeps its own error.
	if err == nil || !missing || ctx.Err() != nil {
		return err
	}
	return api.Mistake("ec2.DescribeInternetGateways",
		fmt.Errorf("%s of subnet %s has no internet gateway", vpc, subnet),
		"add an internet_gateway, and name it in depends_on of this NAT gateway")
}

// awaitNAT waits until a gateway is available. A failed gateway ends the wait with its reason,
// since AWS does not repair it. A gateway that is deleted meanwhile is absent. Poll reads all
// gateways that actions wait for together.
func awaitNAT(ctx context.Context, g *api.Region, id string) (o resource.Observed, err error) {
	err = g.AwaitSeen(ctx, g.Wait.Compute, "the NAT gateway "+id, func(ctx context.Context) error {
		n, err := natGateways().Standing(natGateways().Poll(ctx, g, id))
		if err != nil {
			return err
		}
		switch o = observedNAT(g, n); o.Health {
		case resource.Pending:
			return api.ErrWait
		case resource.Failing:
			return api.Mistake("ec2.CreateNatGateway", fmt.Errorf("%s failed: %s", id, natFailure(n)),
				"delete it, correct the cause and apply again")
		}
		return nil
	})
	return o, err
}

// updateNAT has nothing of its own to change: all its attributes are fixed at its creation.
func updateNAT(ctx context.Context, g *api.Region, r provider.Request) (resource.Observed, error) {
	return awaitNAT(ctx, g, r.Have.ID)
}

// deleteNAT waits until it is gone: until then it holds its address and its subnet. Amazon EC2 API
// Reference, DeleteNatGateway: the call disassociates the Elastic IP "but does not release the
// address", and does not delete routes to the gateway. A gateway that does not exist, or that is
// deleted already, is success.
func deleteNAT(ctx context.Context, g *api.Region, r provider.Request) error {
	id := r.Have.ID
	_, err := g.EC2.DeleteNatGateway(ctx, &ec2.DeleteNatGatewayInput{NatGatewayId: aws.String(id)})
	if err = api.Classify("", err); api.Absent(err) {
		return nil
	}
	if err != nil {
		return err
	}
	return g.Await(ctx, g.Wait.Compute, "the NAT gateway "+id+" to be gone", func(ctx context.Context) error {
		n, err := natGateways().Poll(ctx, g, id)
		switch {
		case api.Absent(err), err == nil && n.State == types.NatGatewayStateDeleted:
			return nil
		case err != nil:
			return err
		}
		return api.ErrWait
	})
}

// holdsNAT: an Elastic IP has one user. Amazon EC2 API Reference, CreateNatGateway: "If the Elastic
// IP address is associated with another resource, you must first disassociate it". The private
// address is exclusive in the subnet, but it is not the identity: AWS chooses it.
func holdsNAT(_ resource.Ref, a resource.Attrs, _ resource.State) []resource.Hold {
	out := api.HoldsAddress(a, "private_address", false)
	if address, set := api.Inside(a, KindEIP); set {
		out = append(out, resource.Hold{What: "use of the Elastic IP", Of: address, Identity: true})
	}
	return out
}
