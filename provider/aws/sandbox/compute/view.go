package compute

import (
	"strconv"
	"time"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/ec2"
	"github.com/ovi-project/ovi/provider/aws/sandbox/network"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

type xmlState struct {
	Code int    `xml:"code"`
	Name string `xml:"name"`
}

type xmlMapping struct {
	Device string    `xml:"deviceName"`
	Volume string    `xml:"ebs>volumeId"`
	Status string    `xml:"ebs>status"`
	At     time.Time `xml:"ebs>attachTime"`
	Kill   bool      `xml:"ebs>deleteOnTermination"`
}

type xmlProfile struct {
	ARN string `xml:"arn"`
	ID  string `xml:"id"`
}

type xmlMetadata struct {
	State    string `xml:"state"`
	Tokens   string `xml:"httpTokens"`
	Hops     int    `xml:"httpPutResponseHopLimit"`
	Endpoint string `xml:"httpEndpoint"`
	IPv6     string `xml:"httpProtocolIpv6"`
	Tags     string `xml:"instanceMetadataTags"`
}

type xmlReason struct {
	Code    string `xml:"code"`
	Message string `xml:"message"`
}

type xmlInstance struct {
	ID          string         `xml:"instanceId"`
	Image       string         `xml:"imageId"`
	State       xmlState       `xml:"instanceState"`
	PrivateDNS  string         `xml:"privateDnsName"`
	PublicDNS   string         `xml:"dnsName"`
	Reason      string         `xml:"reason"`
	Key         string         `xml:"keyName,omitempty"`
	Index       int            `xml:"amiLaunchIndex"`
	Type        string         `xml:"instanceType"`
	Launched    time.Time      `xml:"launchTime"`
	AZ          string         `xml:"placement>availabilityZone"`
	Tenancy     string         `xml:"placement>tenancy"`
	Monitoring  string         `xml:"monitoring>state"`
	Subnet      string         `xml:"subnetId,omitempty"`
	VPC         string         `xml:"vpcId,omitempty"`
	Private     string         `xml:"privateIpAddress,omitempty"`
	Public      string         `xml:"ipAddress,omitempty"`
	SrcCheck    bool           `xml:"sourceDestCheck"`
	Groups      []ec2.GroupRef `xml:"groupSet>item"`
	StateReason *xmlReason     `xml:"stateReason"`
	Arch        string         `xml:"architecture"`
	RootType    string         `xml:"rootDeviceType"`
	RootName    string         `xml:"rootDeviceName"`
	Mappings    []xmlMapping   `xml:"blockDeviceMapping>item"`
	Virt        string         `xml:"virtualizationType"`
	Token       string         `xml:"clientToken"`
	Tags        []core.XMLTag  `xml:"tagSet>item"`
	Hypervisor  string         `xml:"hypervisor"`
	NICs        []xmlNIC       `xml:"networkInterfaceSet>item"`
	Profile     *xmlProfile    `xml:"iamInstanceProfile"`
	Optimized   bool           `xml:"ebsOptimized"`
	Lifecycle   string         `xml:"instanceLifecycle,omitempty"`
	Request     string         `xml:"spotInstanceRequestId,omitempty"`
	Metadata    xmlMetadata    `xml:"metadataOptions"`
}

// xmlNIC is a network interface of an instance.
type xmlNIC struct {
	ID      string         `xml:"networkInterfaceId"`
	Subnet  string         `xml:"subnetId"`
	VPC     string         `xml:"vpcId"`
	Status  string         `xml:"status"`
	Private string         `xml:"privateIpAddress"`
	Groups  []ec2.GroupRef `xml:"groupSet>item"`
	Tie     string         `xml:"attachment>attachmentId"`
	Index   int            `xml:"attachment>deviceIndex"`
	State   string         `xml:"attachment>status"`
	Kill    bool           `xml:"attachment>deleteOnTermination"`
	Public  *string        `xml:"association>publicIp"`
}

// stateCode is the number that goes with each state's name (EC2 API reference:
// InstanceState).
func stateCode(name string) int {
	switch name {
	case "running":
		return 16
	case "shutting-down":
		return 32
	case "terminated":
		return 48
	case "stopping":
		return 64
	case "stopped":
		return 80
	}
	return 0
}

func stateOf(name string) xmlState { return xmlState{stateCode(name), name} }

// viewInstance renders an instance in its current state.
func viewInstance(x *core.Exchange, in *ec2.Instance, state string, disks []*volume) xmlInstance {
	v := xmlInstance{
		ID: in.ID, Image: in.Image, State: stateOf(state), Key: in.Key, Index: in.Index, Type: in.Type,
		Launched: in.Launched, AZ: in.AZ, Tenancy: in.Tenancy, Monitoring: "disabled", SrcCheck: !in.NoSrcCheck,
		Arch: archOf(in.Type), RootType: "ebs", RootName: in.Root, Virt: "hvm", Token: in.Token,
		Tags: core.TagSet(in.Tags), Hypervisor: "xen", Optimized: in.Optimized, Reason: in.Reason,
		Metadata: xmlMetadata{
			"applied", in.Metadata.Tokens, in.Metadata.Hops, in.Metadata.Endpoint, in.Metadata.IPv6,
			in.Metadata.Tags,
		},
	}
	if in.Monitoring {
		v.Monitoring = "enabled"
	}
	if in.Reason != "" {
		v.StateReason = &xmlReason{"Client.UserInitiatedShutdown", "Client.UserInitiatedShutdown: User initiated shutdown"}
	}
	if in.Spot {
		v.Lifecycle, v.Request = "spot", in.Request
	}
	if in.Reason == keyReason {
		v.StateReason = &xmlReason{keyReason, keyReason + ": The KMS key provided is in an incorrect state"}
	}
	if in.Profile != "" {
		v.Profile = &xmlProfile{in.Profile, in.ProfileID}
	}
	for _, d := range disks {
		t := d.tie(x.Now)
		v.Mappings = append(v.Mappings, xmlMapping{t.Device, d.ID, t.Life.At(x.Now), t.At, t.Kill})
	}
	if state == "terminated" { // It has no network any more.
		return v
	}
	v.Subnet, v.VPC, v.Private = in.Subnet, in.VPC, in.Private
	v.PrivateDNS = "ip-" + ec2.Dashed(in.Private) + "." + x.Region + ".compute.internal"
	v.Groups = network.GroupRefs(x, in.Groups)
	nic := plugged(x, network.PrimaryOf(in))
	if in.Public != "" && (state == "running" || state == "pending") { // A public address comes and goes with running.
		v.Public, v.PublicDNS = in.Public, "ec2-"+ec2.Dashed(in.Public)+".compute.example"
		nic.Public = &v.Public
	}
	v.NICs = []xmlNIC{nic}
	for _, n := range network.NicsOf(x, in.ID) {
		v.NICs = append(v.NICs, plugged(x, n))
	}
	return v
}

func plugged(x *core.Exchange, n *network.Interface) xmlNIC {
	return xmlNIC{
		ID: n.ID, Subnet: n.Subnet, VPC: n.VPC, Status: "in-use", Private: n.Private, Groups: network.GroupRefs(x, n.Groups),
		Tie: n.Tie.ID, Index: n.Tie.Index, State: n.Tie.Life.At(x.Now), Kill: n.Tie.Kill,
	}
}

type xmlReservation struct {
	ID        string        `xml:"reservationId"`
	Owner     string        `xml:"ownerId"`
	Instances []xmlInstance `xml:"instancesSet>item"`
}

// reservationOf renders one reservation; fresh shows the first state of a new
// instance, which an answer to RunInstances always does.
func reservationOf(x *core.Exchange, list []*ec2.Instance, fresh bool) xmlReservation {
	out := xmlReservation{ID: list[0].Reservation, Owner: wire.Account}
	for _, in := range list {
		state := in.Life.At(x.Now)
		if fresh {
			state = in.Life.First()
		}
		out.Instances = append(out.Instances, viewInstance(x, in, state, disksOf(x, in.ID)))
	}
	return out
}

// instanceValues is what an instance has under the names of the filters of
// DescribeInstances; names that the sandbox does not support are refused as
// unknown ones are.
func instanceValues(x *core.Exchange, in *ec2.Instance, name string) ([]string, bool) {
	state := in.Life.At(x.Now)
	switch name {
	case "instance-id":
		return core.One(in.ID)
	case "instance-type":
		return core.One(in.Type)
	case "instance-state-name":
		return core.One(state)
	case "instance-state-code":
		return core.One(strconv.Itoa(stateCode(state)))
	case "image-id":
		return core.One(in.Image)
	case "client-token":
		return core.One(in.Token)
	case "vpc-id", "network-interface.vpc-id":
		return core.One(in.VPC)
	case "subnet-id", "network-interface.subnet-id":
		return core.One(in.Subnet)
	case "availability-zone":
		return core.One(in.AZ)
	case "key-name":
		return core.One(in.Key)
	case "reservation-id":
		return core.One(in.Reservation)
	case "owner-id":
		return core.One(wire.Account)
	case "private-ip-address":
		return core.One(in.Private)
	case "ip-address":
		return core.One(in.Public)
	case "architecture":
		return core.One(archOf(in.Type))
	case "root-device-name":
		return core.One(in.Root)
	case "root-device-type":
		return core.One("ebs")
	case "iam-instance-profile.arn":
		return core.One(in.Profile)
	case "instance.group-id", "network-interface.group-id":
		return in.Groups, true
	case "tenancy":
		return core.One(in.Tenancy)
	case "metadata-options.http-tokens":
		return core.One(in.Metadata.Tokens)
	}
	return nil, false
}
