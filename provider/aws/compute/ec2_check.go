package compute

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/resource"
)

// checkInstance reads the image, and checks everything else with a dry run. The architectures are
// compared here, so that the message names both sides. The private address of the instance that
// this one replaces is not an error, because that instance is deleted first.
func checkInstance(ctx context.Context, g *api.Region, r provider.Request) error {
	a := r.Desired.Attrs
	if api.Unresolved(a, "size", "image") {
		return nil
	}
	size, _ := api.Text(a, "size")
	named, _ := api.Text(a, "image")
	image, err := imageFor(ctx, g, named, size)
	if err != nil {
		return err
	}
	root, err := rootOfImage(ctx, g, image)
	if err != nil {
		return err
	}
	if want := architecture(size); root.Arch != "" && root.Arch != want {
		return api.Mistake("ec2.DescribeImages",
			provider.Errorf("image %s is for %s, and size %s is %s", image, root.Arch, size, want),
			"use an image for "+want+", or another size")
	}
	if api.Unresolved(a) {
		return nil
	}
	in, err := launchOf(ctx, g, r)
	if err != nil {
		return err
	}
	// The token belongs to the creation, as in checkVolume.
	in.ClientToken, in.DryRun = nil, aws.Bool(true)
	_, err = g.EC2.RunInstances(ctx, in)
	if _, keeps := api.Text(a, api.PrivateIP); keeps && api.HasCode(err, api.AddressTaken) &&
		api.SameText(r.Desired, r.Have, api.PrivateIP) {
		return nil // by the instance that is replaced, which is deleted first
	}
	return api.DryRun(err)
}

// replaceInstance: a volume or a network interface can be attached to one instance only and an
// address is used by one, so that an instance with one must be deleted first.
func replaceInstance(d resource.Desired, have resource.Observed) []resource.Strategy {
	if address, set := api.Text(d.Attrs, api.PrivateIP); set &&
		api.Is(&resource.Desired{Attrs: have.Attrs}, api.PrivateIP, address) && !api.OtherSubnet(d, have) {
		return api.DestroyFirst()
	}
	for _, held := range []string{"volumes", "network_interfaces"} {
		if len(have.Attrs.List(held)) > 0 {
			return api.DestroyFirst()
		}
	}
	return api.CreateFirst()
}
