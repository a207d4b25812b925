package aws

import (
	"context"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

const kindInternetGateway = "internet_gateway"

func kindOfInternetGateway() kind {
	return kind{
		schema: resource.Kind{
			Provider: Name, Name: kindInternetGateway,
			Doc: "What connects a vpc to the internet.\n\n" +
				"A VPC has one at most. Subnets use it by a route of their route_table. It is created with its name as its Name tag; an existing one is adopted by its ID.",
			NameTag:     tagHuman,
			NamePattern: tagName, NameDoc: tagNameDoc,
			CrossCheck: crossChecks(tagTraits{nameTag: true}, oneInEach("vpc", "internet gateway")),
			Attrs: []resource.Attribute{{
				Name: "vpc", Type: resource.TString, Required: true, RefKind: kindVPC, IDPrefix: "vpc-",
				Example: "main", Doc: "The VPC it is attached to. Changing it detaches it from the old one first.",
			}},
		},
		list: listInternetGateways, byTag: true, read: readInternetGateway, tag: tagEC2,
		check: checkInternetGateway, create: createInternetGateway, update: updateInternetGateway, remove: deleteInternetGateway,
	}
}

func internetGateways(ctx context.Context, g *region, in *ec2.DescribeInternetGatewaysInput) ([]types.InternetGateway, error) {
	return pages(ctx, "ec2.DescribeInternetGateways", func(ctx context.Context, token *string) ([]types.InternetGateway, *string, error) {
		in.NextToken, in.MaxResults = token, pageOf(in.InternetGatewayIds)
		out, err := g.ec2.DescribeInternetGateways(ctx, in)
		if err != nil {
			return nil, nil, err
		}
		return out.InternetGateways, out.NextToken, nil
	})
}

// listInternetGateways needs the VPCs too: the gateway of the default VPC came with the account, and
// only its VPC tells.
func listInternetGateways(ctx context.Context, s *sweep) ([]resource.Observed, error) {
	all, err := allOrOwn(s, kindInternetGateway, "internet-gateway-id", func(x types.InternetGateway) string { return aws.ToString(x.InternetGatewayId) }, func(f []types.Filter) ([]types.InternetGateway, error) {
		return internetGateways(ctx, s.region, &ec2.DescribeInternetGatewaysInput{Filters: f})
	})
	out, err := observedAs(s, all, err, observedInternetGateway)
	for i := range out {
		vpc, attached := text(out[i].Attrs, "vpc")
		if !attached || !out[i].Marks.IsZero() {
			continue
		}
		networks, err := networks(ctx, s)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(networks, func(v types.Vpc) bool { return aws.ToString(v.VpcId) == vpc && aws.ToBool(v.IsDefault) }) {
			out[i].Message = resource.ProviderDefault
		}
	}
	return out, err
}

func observedInternetGateway(g *region, i types.InternetGateway) resource.Observed {
	o := resource.Observed{ID: aws.ToString(i.InternetGatewayId), Health: resource.Healthy}
	a := attrs{}
	for _, at := range i.Attachments {
		switch string(at.State) {
		case "attaching":
			o.Health = resource.Pending
		case "detaching", "detached":
			continue
		}
		a.text("vpc", at.VpcId)
	}
	o.Attrs = a.done()
	g.identify(&o, kindInternetGateway, "", tagsOf(i.Tags))
	return o
}

func internetGateway(ctx context.Context, g *region, id string) (resource.Observed, error) {
	all, err := internetGateways(ctx, g, &ec2.DescribeInternetGatewaysInput{InternetGatewayIds: []string{id}})
	i, err := only(all, err, "ec2.DescribeInternetGateways", id)
	if err != nil {
		return resource.Observed{}, err
	}
	return observedInternetGateway(g, i), nil
}

func readInternetGateway(ctx context.Context, g *region, id string) (resource.Observed, error) {
	return internetGateway(ctx, g, id)
}

func checkInternetGateway(ctx context.Context, g *region, _ provider.Request) error {
	_, err := g.ec2.CreateInternetGateway(ctx, &ec2.CreateInternetGatewayInput{DryRun: aws.Bool(true)})
	return dryRun(err)
}

func createInternetGateway(ctx context.Context, g *region, r provider.Request) (resource.Observed, error) {
	made, err := noRetry(ctx, g, func() (types.InternetGateway, error) {
		out, err := g.ec2.CreateInternetGateway(ctx, &ec2.CreateInternetGatewayInput{
			TagSpecifications: []types.TagSpecification{born(types.ResourceTypeInternetGateway, g.birthTags(r, true))},
		}, onlyRefused)
		if err != nil {
			return types.InternetGateway{}, err
		}
		return *out.InternetGateway, nil
	}, func() ([]types.InternetGateway, error) {
		return internetGateways(ctx, g, &ec2.DescribeInternetGatewaysInput{Filters: bornWith(r.Key)})
	})
	if err != nil {
		return resource.Observed{}, err
	}
	return attachInternetGateway(ctx, g, aws.ToString(made.InternetGatewayId), r.Desired.Attrs)
}

func updateInternetGateway(ctx context.Context, g *region, r provider.Request) (resource.Observed, error) {
	return attachInternetGateway(ctx, g, r.Have.ID, r.Desired.Attrs)
}

// attachInternetGateway attaches a gateway to its VPC, and only to it. An attachment to it that is
// there already, after an answer that was lost, is success.
func attachInternetGateway(ctx context.Context, g *region, id string, want resource.Attrs) (o resource.Observed, err error) {
	vpc, _ := text(want, "vpc")
	err = g.awaitSeen(ctx, g.wait.Compute, "the internet gateway "+id, func(ctx context.Context) error {
		if o, err = internetGateway(ctx, g, id); err != nil {
			return err
		}
		have, attached := text(o.Attrs, "vpc")
		switch {
		case have == vpc && o.Health == resource.Healthy:
			return nil
		case have == vpc:
			return errWait
		case attached:
			if err := detachInternetGateway(ctx, g, id, have); err != nil {
				return err
			}
			return errWait
		}
		_, err := g.ec2.AttachInternetGateway(ctx, &ec2.AttachInternetGatewayInput{InternetGatewayId: aws.String(id), VpcId: aws.String(vpc)})
		if err = classify("", err); err != nil && !absent(err) {
			return err
		}
		return errWait
	})
	return o, err
}

func detachInternetGateway(ctx context.Context, g *region, id, vpc string) error {
	_, err := g.ec2.DetachInternetGateway(ctx, &ec2.DetachInternetGatewayInput{InternetGatewayId: aws.String(id), VpcId: aws.String(vpc)})
	if hasCode(err, "Gateway.NotAttached") {
		return nil
	}
	return classify("", err)
}

// deleteInternetGateway detaches it first. AWS refuses that while something in the VPC has a public
// address ("Network vpc-… has some mapped public address(es)").
func deleteInternetGateway(ctx context.Context, g *region, r provider.Request) error {
	id := r.Have.ID
	return g.deleteHeld(ctx, id, func() error {
		o, err := internetGateway(ctx, g, id)
		if err != nil {
			return err
		}
		if vpc, attached := text(o.Attrs, "vpc"); attached {
			if err := detachInternetGateway(ctx, g, id, vpc); err != nil {
				return err
			}
		}
		_, err = g.ec2.DeleteInternetGateway(ctx, &ec2.DeleteInternetGatewayInput{InternetGatewayId: aws.String(id)})
		return err
	}, func() ([]string, error) { return publicIn(ctx, g, r.Have) }, "DependencyViolation")
}

// publicIn lists the NAT gateways of the VPC that a gateway is attached to. They have public addresses.
func publicIn(ctx context.Context, g *region, have resource.Observed) ([]string, error) {
	vpc, attached := text(have.Attrs, "vpc")
	if !attached {
		return nil, nil
	}
	all, err := natGateways(ctx, g, &ec2.DescribeNatGatewaysInput{Filter: where("vpc-id", vpc)})
	var names []string
	for _, n := range all {
		if !natGone(n) {
			names = append(names, nameID(observedNAT(g, n)))
		}
	}
	return names, err
}

// oneInEach finds resources of a kind that name the same resource in an attribute, of which AWS
// allows one.
func oneInEach(attr, what string) func(*checking) {
	return func(c *checking) {
		taken := map[string]*resource.Desired{}
		for _, d := range c.configured {
			v, ok := d.Attrs.Get(attr)
			if !ok {
				continue
			}
			key := d.Ref.Location + " " + string(resource.AppendJSON(nil, v))
			if first := taken[key]; first != nil {
				c.wrong(d, attr, "remove one of the two", "%s is attached to the same %s: AWS allows one %s in each", location(first), attr, what)
				continue
			}
			taken[key] = d
		}
	}
}
