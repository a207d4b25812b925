package aws

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// Check finds out whether AWS would refuse a create or a replacement, as far as AWS tells
// without being changed; see provider.Checker. It writes nothing: EC2 answers dry runs, and the
// other services are asked for what the request names.
func (p *Provider) Check(ctx context.Context, r provider.Request) error {
	k, g, err := p.begin(ctx, r.Desired.Ref)
	if err == nil {
		err = checkTags(r.Desired.Tags)
	}
	if err != nil {
		return err
	}
	if r.Have.ID != "" && !replacement(r) {
		return p.checkUpdate(ctx, g, r)
	}
	r.Desired.Attrs = withDefaults(k.schema, r.Desired.Attrs)
	return classify("", k.check(ctx, g, r))
}

// replacement reports that a request replaces what exists.
func replacement(r provider.Request) bool {
	for _, c := range r.Changes {
		if c.Effect == resource.Replace {
			return true
		}
	}
	return len(r.Changes) == 0
}

// checkUpdate: an instance cannot change to a size of another architecture.
func (p *Provider) checkUpdate(ctx context.Context, g *region, r provider.Request) error {
	if r.Desired.Ref.Kind != kindEC2 || !changed(r, "size") {
		return nil
	}
	i, err := oneInstance(ctx, g, r.Have.ID)
	if err != nil {
		return err
	}
	return sameMachine(r, i)
}

// dryRun reads the answer to a dry run: its success has the form of an error.
func dryRun(err error) error {
	if hasCode(err, "DryRunOperation") {
		return nil
	}
	if err == nil {
		return errors.New("a dry run succeeded without saying so: AWS may have carried it out")
	}
	return err
}

// unresolved reports that an attribute refers to a resource that does not exist yet, so that AWS
// cannot be asked about it; without names, that any attribute does.
func unresolved(a resource.Attrs, names ...string) bool {
	for _, x := range a {
		if (len(names) == 0 || slices.Contains(names, x.Name)) && resource.HasReferences(x.Value) {
			return true
		}
	}
	return false
}

func checkVPC(ctx context.Context, g *region, r provider.Request) error {
	cidr, _ := text(r.Desired.Attrs, "cidr")
	_, err := g.ec2.CreateVpc(ctx, &ec2.CreateVpcInput{CidrBlock: aws.String(cidr), DryRun: aws.Bool(true)})
	return dryRun(err)
}

// checkSubnet: the subnet to be replaced is in the way of the new one only until it is deleted.
func checkSubnet(ctx context.Context, g *region, r provider.Request) error {
	a := r.Desired.Attrs
	if unresolved(a) {
		return nil
	}
	_, err := g.ec2.CreateSubnet(ctx, &ec2.CreateSubnetInput{
		VpcId: desired(a, "vpc"), CidrBlock: desired(a, "cidr"), AvailabilityZone: desired(a, "zone"), DryRun: aws.Bool(true),
	})
	if hasCode(err, "InvalidSubnet.Conflict") && overlapsOld(r) {
		return nil
	}
	return dryRun(err)
}

func overlapsOld(r provider.Request) bool {
	old, had := block(&resource.Desired{Attrs: r.Have.Attrs})
	next, ok := block(&r.Desired)
	return had && ok && old.Overlaps(next)
}

// checkGroup: the group to be replaced may have the name of the new one; see freeName.
func checkGroup(ctx context.Context, g *region, r provider.Request) error {
	if unresolved(r.Desired.Attrs, "vpc", "description") {
		return nil
	}
	in := orderGroup(g, r)
	in.TagSpecifications, in.DryRun = nil, aws.Bool(true)
	_, err := g.ec2.CreateSecurityGroup(ctx, in)
	if hasCode(err, "InvalidGroup.Duplicate") && r.Have.ID != "" {
		return nil
	}
	return dryRun(err)
}

// checkInstance asks for the image, and for everything else with a dry run.
func checkInstance(ctx context.Context, g *region, r provider.Request) error {
	a := r.Desired.Attrs
	if unresolved(a, "size", "image") {
		return nil
	}
	size, _ := text(a, "size")
	named, _ := text(a, "image")
	image, err := imageFor(ctx, g, named, size)
	if err != nil {
		return err
	}
	root, err := rootOfImage(ctx, g, image)
	if err != nil {
		return err
	}
	if want := architecture(size); root.arch != "" && root.arch != want {
		return permanent("ec2.DescribeImages", fmt.Errorf("image %s is for %s, and size %s is %s", image, root.arch, size, want),
			"use an image for "+want+", or another size")
	}
	if unresolved(a) {
		return nil
	}
	in, err := launchOf(ctx, g, r)
	if err != nil {
		return err
	}
	in.ClientToken, in.DryRun = nil, aws.Bool(true)
	_, err = g.ec2.RunInstances(ctx, in)
	if _, keeps := text(a, privateIP); keeps && hasCode(err, addressTaken) && sameText(r.Desired, r.Have, privateIP) {
		return nil // by the instance that is replaced, which is deleted first
	}
	return dryRun(err)
}

func checkVolume(ctx context.Context, g *region, r provider.Request) error {
	_, zoned := text(r.Desired.Attrs, "zone")
	if unresolved(r.Desired.Attrs.Without("attach_to")) || !zoned && unresolved(r.Desired.Attrs) {
		return nil
	}
	in, err := orderVolume(ctx, g, r)
	if err != nil {
		return err
	}
	in.ClientToken, in.DryRun = nil, aws.Bool(true)
	_, err = g.ec2.CreateVolume(ctx, in)
	return dryRun(err)
}
