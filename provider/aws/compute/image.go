package compute

import (
	"context"
	"fmt"
	"regexp"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ssm"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/api"
)

// latestParameter is public, the same in every region, and kept by AWS.
const latestParameter = "/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-"

// graviton matches the families of ARM machines: a g after the generation.
var graviton = regexp.MustCompile(`^(a1|[a-z]+[0-9]+g[a-z]*)\.`)

// architecture returns the architecture of an instance type by its name, without a call.
func architecture(size string) string {
	if graviton.MatchString(size) {
		return "arm64"
	}
	return "x86_64"
}

// imageFor returns the configured image, or the current Amazon Linux for the size. The gate makes
// concurrent instances wait for one read instead of making one each. A failed read is not cached,
// so the next instance tries again.
func imageFor(ctx context.Context, g *api.Region, image, size string) (string, error) {
	if image != "" && image != latestImage {
		return image, nil
	}
	arch := architecture(size)
	if err := g.Images.Gate.Enter(ctx); err != nil {
		return "", api.Classify("", err)
	}
	defer g.Images.Gate.Leave()
	if id := g.Images.Latest[arch]; id != "" {
		return id, nil
	}
	out, err := g.SSM.GetParameter(ctx, &ssm.GetParameterInput{Name: aws.String(latestParameter + arch)})
	if err != nil {
		return "", noImage(api.Classify("", err), g.Name)
	}
	if out.Parameter == nil || aws.ToString(out.Parameter.Value) == "" {
		return "", noImage(&provider.Error{
			Cause: provider.Configuration, Absent: true, Op: "ssm.GetParameter",
			Err: fmt.Errorf("the parameter is empty"),
		}, g.Name)
	}
	g.Images.Latest[arch] = *out.Parameter.Value
	return *out.Parameter.Value, nil
}

// noImage keeps the cause of the error: a denied parameter is not a mistake of the configuration.
func noImage(err error, region string) error {
	return &provider.Error{
		Cause: provider.CauseOf(err), Err: fmt.Errorf("cannot find the current Amazon Linux image in %s: %w", region, err),
		Hint: "set an image, for example image: ami-0abcdef1234567890",
	}
}

// rootOfImage reads the root device of an image: without its name nothing can be set for the root
// volume when an instance is created. An image cannot change under its ID, so the answer is cached
// for the life of the process.
func rootOfImage(ctx context.Context, g *api.Region, image string) (api.RootDevice, error) {
	if err := g.Images.Gate.Enter(ctx); err != nil {
		return api.RootDevice{}, api.Classify("", err)
	}
	defer g.Images.Gate.Leave()
	if d, ok := g.Images.Root[image]; ok {
		return d, nil
	}
	out, err := g.EC2.DescribeImages(ctx, &ec2.DescribeImagesInput{ImageIds: []string{image}})
	if err != nil {
		return api.RootDevice{}, api.Classify("", err)
	}
	if len(out.Images) == 0 {
		return api.RootDevice{}, api.Mistake("ec2.DescribeImages",
			fmt.Errorf("image %s does not exist in %s", image, g.Name), "use an image of this region")
	}
	d := api.RootDevice{Name: aws.ToString(out.Images[0].RootDeviceName), Arch: string(out.Images[0].Architecture)}
	for _, m := range out.Images[0].BlockDeviceMappings {
		if m.Ebs != nil && aws.ToString(m.DeviceName) == d.Name {
			d.Size = m.Ebs.VolumeSize
		}
	}
	if d.Name == "" {
		d.Name = "/dev/xvda"
	}
	g.Images.Root[image] = d
	return d, nil
}
