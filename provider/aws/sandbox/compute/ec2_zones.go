package compute

import (
	"slices"
	"strings"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/ec2"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

// oldZone is a zone that never got the newer hardware: us-east-1e is one ("InstanceType not supported
// in the requested Availability Zone").
const oldZone = "us-east-1e"

// offered reports that a zone has an instance type.
func offered(zone, kind string) bool {
	family, _, _ := strings.Cut(kind, ".")
	return zone != oldZone || slices.Contains([]string{"t1", "t2", "m1", "m3", "m4", "c3", "c4", "r3", "r4"}, family)
}

func checkOffered(x *core.Exchange, zone, kind string) error {
	if offered(zone, kind) {
		return nil
	}
	return wire.Failf("Unsupported", "Your requested instance type (%s) is not supported in your requested Availability Zone (%s). Please retry your request by not specifying an Availability Zone or choosing another.", kind, zone)
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
