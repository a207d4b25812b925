package aws

import (
	"context"
	"fmt"
	"regexp"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ssm"

	"github.com/ovi-project/ovi/provider"
)

// images caches what is known of the images of a region: they do not change within one run, and
// twenty instances need the same.
type images struct {
	gate   gate
	latest map[string]string     // architecture to image
	root   map[string]rootDevice // by image
}

func newImages() *images {
	return &images{gate: newGate(), latest: map[string]string{}, root: map[string]rootDevice{}}
}

// rootDevice is what an image defines of its root volume.
type rootDevice struct {
	name string
	size *int32 // in GiB
	arch string // of the image
}

// latestParameter is public, the same in every region, and kept by AWS.
const latestParameter = "/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-"

// graviton matches the families of ARM machines: a g after the generation.
var graviton = regexp.MustCompile(`^(a1|[a-z]+[0-9]+g[a-z]*)\.`)

func architecture(size string) string {
	if graviton.MatchString(size) {
		return "arm64"
	}
	return "x86_64"
}

// imageFor gives the configured image, or the current Amazon Linux for the size.
func imageFor(ctx context.Context, g *region, image, size string) (string, error) {
	if image != "" && image != latestImage {
		return image, nil
	}
	arch := architecture(size)
	if err := g.images.gate.enter(ctx); err != nil {
		return "", classify("", err)
	}
	defer g.images.gate.leave()
	if id := g.images.latest[arch]; id != "" {
		return id, nil
	}
	out, err := g.ssm(ctx, &ssm.GetParameterInput{Name: aws.String(latestParameter + arch)})
	if err != nil {
		return "", noImage(classify("", err), g.name)
	}
	if out.Parameter == nil || aws.ToString(out.Parameter.Value) == "" {
		return "", noImage(&provider.Error{Class: provider.NotFound, Op: "ssm.GetParameter", Err: fmt.Errorf("the parameter is empty")}, g.name)
	}
	g.images.latest[arch] = *out.Parameter.Value
	return *out.Parameter.Value, nil
}

func noImage(err error, region string) error {
	class := provider.ClassOf(err)
	if class == provider.NotFound {
		class = provider.Permanent
	}
	return &provider.Error{
		Class: class, Err: fmt.Errorf("cannot find the current Amazon Linux image in %s: %w", region, err),
		Hint: "set an image, for example image: ami-0abcdef1234567890",
	}
}

// rootOfImage reads the root device of an image: without its name nothing can be set for the root volume
// when an instance is created.
func rootOfImage(ctx context.Context, g *region, image string) (rootDevice, error) {
	if err := g.images.gate.enter(ctx); err != nil {
		return rootDevice{}, classify("", err)
	}
	defer g.images.gate.leave()
	if d, ok := g.images.root[image]; ok {
		return d, nil
	}
	out, err := g.ec2.DescribeImages(ctx, &ec2.DescribeImagesInput{ImageIds: []string{image}})
	if err != nil {
		return rootDevice{}, classify("", err)
	}
	if len(out.Images) == 0 {
		return rootDevice{}, permanent("ec2.DescribeImages", fmt.Errorf("image %s does not exist in %s", image, g.name), "use an image of this region")
	}
	d := rootDevice{name: aws.ToString(out.Images[0].RootDeviceName), arch: string(out.Images[0].Architecture)}
	for _, m := range out.Images[0].BlockDeviceMappings {
		if m.Ebs != nil && aws.ToString(m.DeviceName) == d.name {
			d.size = m.Ebs.VolumeSize
		}
	}
	if d.name == "" {
		d.name = "/dev/xvda"
	}
	g.images.root[image] = d
	return d, nil
}
