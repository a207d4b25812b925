package compute

import (
	"slices"
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
		return wire.Failf("InvalidParameterValue",
			"The architecture '%s' of the specified instance type does not match the architecture '%s' of the specified AMI. "+
				"Specify an instance type and an AMI that have matching architectures, and try again.", got, want)
	}
	return nil
}

// oldZone is a zone that never got the newer hardware: us-east-1e is one ("InstanceType not supported
// in the requested Availability Zone").
const oldZone = "us-east-1e"

// offered reports that a zone has an instance type.
func offered(zone, kind string) bool {
	family, _, _ := strings.Cut(kind, ".")
	return zone != oldZone || slices.Contains([]string{"t1", "t2", "m1", "m3", "m4", "c3", "c4", "r3", "r4"}, family)
}

type xmlOffering struct {
	Type     string `xml:"instanceType"`
	By       string `xml:"locationType"`
	Location string `xml:"location"`
}

// describeOfferings lists which types each zone has, of those that a filter names (EC2 API reference:
// DescribeInstanceTypeOfferings).
func describeOfferings(x *core.Exchange) (any, error) {
	if by := x.P.Or("LocationType", "region"); by != "availability-zone" {
		return nil, wire.BadValue(by, "locationType", "The sandbox lists the offerings of availability zones.")
	}
	var kinds []string
	for _, f := range x.P.Items("Filter") {
		if name := f.Str("Name"); name != "instance-type" {
			return nil, wire.Failf("InvalidParameterValue", "The filter '%s' is invalid", name)
		}
		kinds = append(kinds, f.Strs("Value")...)
	}
	var out []xmlOffering
	for _, z := range ec2.Zones(x.Region) {
		for _, k := range kinds {
			if ec2.InstanceType.MatchString(k) && offered(z, k) {
				out = append(out, xmlOffering{k, "availability-zone", z})
			}
		}
	}
	return struct {
		Set []xmlOffering `xml:"instanceTypeOfferingSet>item"`
	}{out}, nil
}

var imageID = wire.Late(`^ami-([0-9a-f]{8}|[0-9a-f]{17})$`)
