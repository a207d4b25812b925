package network

import (
	"context"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/resource"
)

// KindInternetGateway is the kind internet_gateway.
const KindInternetGateway = "internet_gateway"

func kindOfInternetGateway() api.Kind {
	return api.Kind{
		Schema: resource.Kind{
			Provider: api.ProviderName, Name: KindInternetGateway,
			Doc: "An internet gateway, which connects a vpc to the internet.\n\n" +
				"A VPC has one at most. Subnets use it by a route of their route_table. It is created with\n" +
				"its name as its Name tag; an existing one is adopted by its ID.",
			NameTag:     api.TagHuman,
			NamePattern: api.TagName, NameDoc: api.TagNameDoc,
			CrossCheck: api.CrossChecks(api.TagTraits{NameTag: true}, oneInEach("vpc", "internet gateway")),
			EffectOf:   movesGateway, Replace: replaceGateway, UsedBy: publicBehind,
			Holds: holdsGateway, HoldsDoc: "the place of the internet gateway of its VPC",
			Attrs: []resource.Attribute{{
				Name: "vpc", Type: resource.TString, Required: true, RefKind: api.KindVPC, IDPrefix: "vpc-",
				Example: "main", Doc: "The VPC it is attached to. Changing it replaces the gateway.",
			}},
		},
		List: listInternetGateways, ByTag: true, Read: internetGateways().ReadByID, Tag: api.TagEC2,
		Check: checkInternetGateway, Create: createInternetGateway, Update: updateInternetGateway,
		Remove: deleteInternetGateway,
		Calls: api.Calls{
			Service:  "ec2",
			Own:      "internet-gateway/*",
			Observes: "DescribeInternetGateways",
			Creates:  "CreateInternetGateway",
			Changes:  "AttachInternetGateway DetachInternetGateway",
			Deletes:  "DeleteInternetGateway",
			Touches:  "AttachInternetGateway DetachInternetGateway",
		},
	}
}

func internetGateways() api.StandardKind[types.InternetGateway] {
	return api.StandardKind[types.InternetGateway]{
		Kind: KindInternetGateway, Call: "ec2.DescribeInternetGateways", Filter: "internet-gateway-id",
		Page: func(ctx context.Context, g *api.Region, q api.Query) ([]types.InternetGateway, *string, error) {
			out, err := g.EC2.DescribeInternetGateways(ctx, &ec2.DescribeInternetGatewaysInput{
				InternetGatewayIds: q.IDs, Filters: q.Filters, NextToken: q.Token, MaxResults: q.Most,
			})
			if err != nil {
				return nil, nil, err
			}
			return out.InternetGateways, out.NextToken, nil
		},
		ID:      func(x types.InternetGateway) *string { return x.InternetGatewayId },
		Observe: observedInternetGateway,
	}
}

// listInternetGateways needs the VPCs too: the gateway of the default VPC came with the account, and
// only its VPC tells. The VPCs are read only if an attached gateway has no marks. If they cannot be
// read, the list fails as a whole: a default gateway would otherwise appear as unmanaged.
func listInternetGateways(ctx context.Context, s *api.Sweep) ([]resource.Observed, error) {
	out, err := internetGateways().ListAll(ctx, s)
	for i := range out {
		vpc, attached := api.Text(out[i].Attrs, "vpc")
		if !attached || !out[i].Marks.IsZero() {
			continue
		}
		networks, err := networks(ctx, s)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(networks, func(v types.Vpc) bool {
			return aws.ToString(v.VpcId) == vpc &&
				aws.ToBool(v.IsDefault)
		}) {
			out[i].Message = resource.ProviderDefault
		}
	}
	return out, err
}

// observedInternetGateway converts an answer of EC2 to a resource. A gateway that is being detached
// shows no VPC, so that a plan does not count on it.
func observedInternetGateway(g *api.Region, i types.InternetGateway) resource.Observed {
	o := resource.Observed{ID: aws.ToString(i.InternetGatewayId), Health: resource.Healthy}
	a := api.Attrs{}
	for _, at := range i.Attachments {
		switch string(at.State) {
		case "attaching":
			o.Health = resource.Pending
		case "detaching", "detached":
			continue
		case "available", "attached": // EC2 says "available" for an internet gateway
		default:
			o.Health, o.Message = api.UnknownState(at.State)
		}
		a.Text("vpc", at.VpcId)
	}
	o.Attrs = a.Build()
	g.Identify(&o, KindInternetGateway, "", api.TagsOf(i.Tags))
	return o
}

// checkInternetGateway asks EC2 for a dry run of the creation; the attachment is checked when it is
// made.
func checkInternetGateway(ctx context.Context, g *api.Region, _ provider.Request) error {
	_, err := g.EC2.CreateInternetGateway(ctx, &ec2.CreateInternetGatewayInput{DryRun: aws.Bool(true)})
	return api.DryRun(err)
}

// createInternetGateway creates a gateway once per key and attaches it. CreateInternetGateway has
// no client token, so NoRetry finds an earlier result by its tag. A failed attachment leaves a
// tagged gateway, which the next attempt finds and attaches.
func createInternetGateway(ctx context.Context, g *api.Region, r provider.Request) (resource.Observed, error) {
	made, err := api.NoRetry(ctx, g, func() (types.InternetGateway, error) {
		out, err := g.EC2.CreateInternetGateway(ctx, &ec2.CreateInternetGatewayInput{
			TagSpecifications: []types.TagSpecification{api.Born(types.ResourceTypeInternetGateway, g.BirthTags(r, true))},
		}, api.OnlyRefused)
		if err != nil {
			return types.InternetGateway{}, err
		}
		return *out.InternetGateway, nil
	}, func() ([]types.InternetGateway, error) {
		return internetGateways().Where(ctx, g, api.BornWith(r.Key))
	})
	if err != nil {
		return resource.Observed{}, err
	}
	return attachInternetGateway(ctx, g, aws.ToString(made.InternetGatewayId), r.Desired.Attrs)
}

// updateInternetGateway attaches a gateway to its VPC if it has none. A planned move to another VPC
// is a replacement instead, see movesGateway. The live attachment decides about each step, so the
// update may be repeated at any point.
func updateInternetGateway(ctx context.Context, g *api.Region, r provider.Request) (resource.Observed, error) {
	return attachInternetGateway(ctx, g, r.Have.ID, r.Desired.Attrs)
}

// attachInternetGateway attaches a gateway to its VPC, and only to it. An attachment to it that is
// there already, after an answer that was lost, is success. Each round reads the gateway again and
// makes one step, so that no step depends on an answer that was lost. A VPC that is not visible yet
// is waited for.
func attachInternetGateway(ctx context.Context, g *api.Region, id string, want resource.Attrs) (o resource.Observed,
	err error,
) {
	vpc, _ := api.Text(want, "vpc")
	err = g.AwaitSeen(ctx, g.Wait.Compute, "the internet gateway "+id, func(ctx context.Context) error {
		if o, err = internetGateways().ReadByID(ctx, g, id); err != nil {
			return err
		}
		have, attached := api.Text(o.Attrs, "vpc")
		switch {
		case have == vpc && o.Health == resource.Healthy:
			return nil
		case have == vpc:
			return api.ErrWait
		// A planned move is a replacement, so this attachment was made outside ovi.
		case attached:
			if err := detachInternetGateway(ctx, g, id, have); err != nil {
				return err
			}
			return api.ErrWait
		}
		_, err := g.EC2.AttachInternetGateway(ctx,
			&ec2.AttachInternetGatewayInput{InternetGatewayId: aws.String(id), VpcId: aws.String(vpc)})
		if err = api.Classify("", err); err != nil && !api.Absent(err) {
			return err
		}
		return api.ErrWait
	})
	return o, err
}

// detachInternetGateway detaches a gateway from a VPC. A gateway that is not attached counts as
// detached. Amazon EC2 API Reference, DetachInternetGateway: "The VPC must not contain any running
// instances with Elastic IP addresses or public IPv4 addresses".
func detachInternetGateway(ctx context.Context, g *api.Region, id, vpc string) error {
	_, err := g.EC2.DetachInternetGateway(ctx,
		&ec2.DetachInternetGatewayInput{InternetGatewayId: aws.String(id), VpcId: aws.String(vpc)})
	if api.HasCode(err, "Gateway.NotAttached") {
		return nil
	}
	return api.Classify("", err)
}

// deleteInternetGateway detaches it first. AWS refuses that while something in the VPC has a public
// address ("Network vpc-… has some mapped public address(es)"). Amazon EC2 API Reference,
// DeleteInternetGateway: "You must detach the internet gateway from the VPC before you can delete
// it". Each attempt reads the attachment again, so a gateway that is already detached is only
// deleted.
func deleteInternetGateway(ctx context.Context, g *api.Region, r provider.Request) error {
	id := r.Have.ID
	return g.DeleteHeld(ctx, id, func() error {
		o, err := internetGateways().ReadByID(ctx, g, id)
		if err != nil {
			return err
		}
		if vpc, attached := api.Text(o.Attrs, "vpc"); attached {
			if err := detachInternetGateway(ctx, g, id, vpc); err != nil {
				return err
			}
		}
		_, err = g.EC2.DeleteInternetGateway(ctx, &ec2.DeleteInternetGatewayInput{InternetGatewayId: aws.String(id)})
		return err
	}, func() ([]api.Holder, error) { return publicIn(ctx, g, r.Have) }, "DependencyViolation")
}

// publicIn lists the NAT gateways of the VPC that a gateway is attached to, to explain a refusal. A
// public NAT gateway has a public address. The VPC comes from the plan's observation, because an
// earlier attempt may have detached the gateway already. Instances with public addresses are not
// listed.
func publicIn(ctx context.Context, g *api.Region, have resource.Observed) ([]api.Holder, error) {
	vpc, attached := api.Text(have.Attrs, "vpc")
	if !attached {
		return nil, nil
	}
	all, err := natGateways().Where(ctx, g, api.Where("vpc-id", vpc))
	var held []api.Holder
	for _, n := range all {
		if n.State != types.NatGatewayStateDeleted && n.ConnectivityType != types.ConnectivityTypePrivate {
			held = append(held, api.Holder{Name: api.NameID(observedNAT(g, n)), Service: natGone(n) != ""})
		}
	}
	return held, err
}

// publicBehind lists the NAT gateways and instances with public addresses in the VPC of a gateway, by their subnets:
// AWS does not detach the gateway before they are deleted (DetachInternetGateway). Only subnets that were observed
// count, since the VPC of a NAT gateway or an instance is known through its subnet alone.
func publicBehind(have resource.Observed, all []resource.Observed) (out []resource.Observed) {
	vpc, attached := api.Text(have.Attrs, api.KindVPC)
	if !attached {
		return nil
	}
	inside := map[string]bool{}
	for i := range all {
		if in, _ := api.Text(all[i].Attrs, api.KindVPC); all[i].Ref.Kind == api.KindSubnet && in == vpc {
			inside[all[i].ID] = true
		}
	}
	for _, o := range all {
		subnet, _ := api.Text(o.Attrs, api.KindSubnet)
		_, public := api.Text(o.Attrs, "public_address")
		if (o.Ref.Kind == KindNAT || o.Ref.Kind == api.KindEC2) && public && inside[subnet] {
			out = append(out, o)
		}
	}
	return out
}

// movesGateway: a gateway can only be detached once nothing in its VPC has a public address, and a NAT gateway in the
// other VPC needs a gateway before. Internet gateways have no settings, so that a new one does.
func movesGateway(_ resource.Observed, c resource.Change) resource.Effect {
	if c.On == resource.OnAttribute && c.Path == api.KindVPC && c.From != nil {
		return resource.Replace
	}
	return resource.InPlace
}

// replaceGateway returns destroy-first if the VPC does not change, because a VPC has one internet
// gateway at most. For another VPC the new gateway is created first: resources there may need it.
func replaceGateway(d resource.Desired, have resource.Observed) []resource.Strategy {
	if api.SameText(d, have, api.KindVPC) {
		return api.DestroyFirst()
	}
	return api.CreateFirst()
}

// holdsGateway: a VPC has one internet gateway at most (AttachInternetGateway).
func holdsGateway(_ resource.Ref, a resource.Attrs, _ resource.State) []resource.Hold {
	vpc, attached := api.Inside(a, api.KindVPC)
	if !attached {
		return nil
	}
	return []resource.Hold{{What: "internet gateway", Of: vpc, Identity: true}}
}
