package compute

import (
	"strings"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/ec2"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

// The images of the sandbox: the current Amazon Linux, for both
// architectures, with ids that are the same in every region.
const (
	imageX86     = "ami-0a1b2c3d4e5f60718"
	imageARM     = "ami-0b1c2d3e4f5a60719"
	imageNone    = "ami-00000000000000000" // well-formed, and there is none
	rootSnapshot = "snap-0a1b2c3d4e5f60718"
)

// arm matches the families that run on Graviton: a g right after the number.
var arm = wire.Late(`^(a1|[a-z]+[0-9]+g[a-z]*)\.`)

func archOf(kind string) string {
	if arm.MatchString(kind) {
		return "arm64"
	}
	return "x86_64"
}

// checkImage: any well-formed image id is taken for one that exists, so that
// configurations with images of their own can be practised; ami- followed by
// zeros is the one that does not.
func checkImage(x *core.Exchange, image, kind string) error {
	switch {
	case image == "":
		return wire.Missing("ImageId")
	case !imageID.MatchString(image):
		return wire.Failf("InvalidAMIID.Malformed", "Invalid id: \"%s\" (expecting \"ami-...\")", image)
	case image == imageNone:
		return wire.Failf("InvalidAMIID.NotFound", "The image id '[%s]' does not exist", image)
	case !ec2.InstanceType.MatchString(kind) || strings.HasPrefix(kind, "g."):
		return wire.Failf("InvalidParameterValue", "Invalid value '%s' for InstanceType.", kind)
	}
	want := map[string]string{imageX86: "x86_64", imageARM: "arm64"}[image]
	if got := archOf(kind); want != "" && want != got {
		return wire.Failf("InvalidParameterValue", "The architecture '%s' of the specified instance type does not match the architecture '%s' of the specified AMI. Specify an instance type and an AMI that have matching architectures, and try again.", got, want)
	}
	return nil
}
