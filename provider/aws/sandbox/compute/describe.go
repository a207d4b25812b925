package compute

import (
	"slices"
	"strings"
	"time"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/ec2"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

func catalogActions() map[string]core.Handler {
	return map[string]core.Handler{
		"DescribeImages": describeImages, "DescribeInstanceTypes": describeTypes,
		"DescribeInstanceTypeOfferings": describeOfferings,
		"DescribeAvailabilityZones":     describeZones, "DescribeRegions": describeRegions,
		"DescribeKeyPairs": describeKeys, "ImportKeyPair": importKey, "DeleteKeyPair": deleteKey,
	}
}

type xmlImage struct {
	ID       string         `xml:"imageId"`
	State    string         `xml:"imageState"`
	Name     string         `xml:"name"`
	Owner    string         `xml:"imageOwnerId"`
	Alias    string         `xml:"imageOwnerAlias,omitempty"`
	Public   bool           `xml:"isPublic"`
	Arch     string         `xml:"architecture"`
	Kind     string         `xml:"imageType"`
	Root     string         `xml:"rootDeviceName"`
	RootType string         `xml:"rootDeviceType"`
	Virt     string         `xml:"virtualizationType"`
	IMDS     string         `xml:"imdsSupport,omitempty"`
	Made     string         `xml:"creationDate"`
	Mappings []xmlImageDisk `xml:"blockDeviceMapping>item"`
}

type xmlImageDisk struct {
	Device   string `xml:"deviceName"`
	Snapshot string `xml:"ebs>snapshotId"`
	Size     int    `xml:"ebs>volumeSize"`
	Type     string `xml:"ebs>volumeType"`
	Kill     bool   `xml:"ebs>deleteOnTermination"`
}

func imageView(id, name, arch string) xmlImage {
	out := xmlImage{
		ID: id, State: "available", Name: name, Owner: "137112412989", Alias: "amazon", Public: true, Arch: arch,
		Kind: "machine",
		Root: rootDevice, RootType: "ebs", Virt: "hvm", IMDS: "v2.0",
		Made:     time.Unix(1767225600, 0).UTC().Format("2006-01-02T15:04:05.000Z"),
		Mappings: []xmlImageDisk{{rootDevice, rootSnapshot, rootSize, "gp3", true}},
	}
	if name == "sandbox-image" {
		out.Owner, out.Alias, out.Public = wire.Account, "", false
	}
	return out
}

// describeImages: without ids the two images of the catalog; any well-formed
// id that is asked for is an image of the account.
func describeImages(x *core.Exchange) (any, error) {
	x.P.Strs("Owner")
	x.P.Str("MaxResults")
	known := []xmlImage{
		imageView(imageX86, "al2023-ami-2023-sandbox-x86_64", "x86_64"),
		imageView(imageARM, "al2023-ami-2023-sandbox-arm64", "arm64"),
	}
	out := known
	if ids := x.P.Strs("ImageId"); len(ids) > 0 {
		out = nil
		for _, id := range ids {
			if err := checkImage(x, id, "t3.micro"); err != nil && id != imageARM {
				return nil, err
			}
			i := slices.IndexFunc(known, func(k xmlImage) bool { return k.ID == id })
			if i >= 0 {
				out = append(out, known[i])
			} else {
				out = append(out, imageView(id, "sandbox-image", "x86_64"))
			}
		}
	}
	var err error
	out = slices.DeleteFunc(out, func(i xmlImage) bool { return !wantsImage(x, i, &err) })
	return struct {
		Set []xmlImage `xml:"imagesSet>item"`
	}{out}, err
}

func wantsImage(x *core.Exchange, i xmlImage, err *error) bool {
	for _, f := range x.P.Items("Filter") {
		name := f.Str("Name")
		got, known := map[string]string{
			"image-id": i.ID, "name": i.Name, "architecture": i.Arch, "state": i.State, "owner-alias": i.Alias,
			"owner-id":         i.Owner,
			"root-device-type": i.RootType, "virtualization-type": i.Virt, "image-type": i.Kind,
		}[name]
		if !known {
			*err = wire.Failf("InvalidParameterValue", "The filter '%s' is invalid", name)
		}
		if !core.AnyMatch(f.Strs("Value"), []string{got}) {
			return false
		}
	}
	return true
}

type xmlType struct {
	Name    string   `xml:"instanceType"`
	Current bool     `xml:"currentGeneration"`
	CPUs    int      `xml:"vCpuInfo>defaultVCpus"`
	Memory  int      `xml:"memoryInfo>sizeInMiB"`
	Archs   []string `xml:"processorInfo>supportedArchitectures>item"`
	Burst   bool     `xml:"burstablePerformanceSupported"`
}

// describeTypes knows every well-formed type; sizes follow the usual doubling,
// which is right for most families and a guess for the rest.
func describeTypes(x *core.Exchange) (any, error) {
	x.P.Str("MaxResults")
	names := x.P.Strs("InstanceType")
	if len(names) == 0 {
		names = []string{"t3.micro", "t3.small", "t3.medium", "t4g.micro", "m7i.large", "m7g.large", "c7i.large", "r7i.large"}
	}
	order := []string{"nano", "micro", "small", "medium", "large", "xlarge", "2xlarge", "4xlarge", "8xlarge", "16xlarge"}
	var out []xmlType
	for _, n := range names {
		if !ec2.InstanceType.MatchString(n) {
			return nil, wire.Failf("InvalidInstanceType", "The following supplied instance types do not exist: [%s]", n)
		}
		_, size, _ := strings.Cut(n, ".")
		i := max(slices.Index(order, size), 0)
		cpus, memory := max(2, 1<<i>>3), 512<<i
		out = append(out, xmlType{n, true, cpus, memory, []string{archOf(n)}, strings.HasPrefix(n, "t")})
	}
	return struct {
		Set []xmlType `xml:"instanceTypeSet>item"`
	}{out}, nil
}

type xmlZone struct {
	Name   string `xml:"zoneName"`
	ID     string `xml:"zoneId"`
	State  string `xml:"zoneState"`
	Region string `xml:"regionName"`
	Kind   string `xml:"zoneType"`
	OptIn  string `xml:"optInStatus"`
}

func describeZones(x *core.Exchange) (any, error) {
	desired := x.P.Strs("ZoneName")
	var out []xmlZone
	for i, z := range ec2.Zones(x.Region) {
		if len(desired) > 0 && !slices.Contains(desired, z) {
			continue
		}
		out = append(out, xmlZone{
			z, ec2.ZoneID(x.Region, i), "available", x.Region, "availability-zone",
			"opt-in-not-required",
		})
	}
	if len(out) < len(desired) {
		return nil, wire.Failf("InvalidParameterValue", "Invalid availability zone: %v", desired)
	}
	return struct {
		Set []xmlZone `xml:"availabilityZoneInfo>item"`
	}{out}, nil
}

type xmlRegion struct {
	Name     string `xml:"regionName"`
	Endpoint string `xml:"regionEndpoint"`
	OptIn    string `xml:"optInStatus"`
}

func describeRegions(x *core.Exchange) (any, error) {
	x.P.Str("AllRegions")
	names := x.P.Strs("RegionName")
	if len(names) == 0 {
		names = []string{
			"us-east-1", "us-east-2", "us-west-1", "us-west-2", "eu-west-1", "eu-west-2", "eu-west-3",
			"eu-central-1", "eu-north-1", "ca-central-1", "sa-east-1", "ap-south-1", "ap-northeast-1", "ap-northeast-2",
			"ap-northeast-3", "ap-southeast-1", "ap-southeast-2",
		}
	}
	var out []xmlRegion
	for _, n := range names {
		out = append(out, xmlRegion{n, "ec2." + n + ".amazonaws.com", "opt-in-not-required"})
	}
	return struct {
		Set []xmlRegion `xml:"regionInfo>item"`
	}{out}, nil
}
