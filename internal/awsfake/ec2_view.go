package awsfake

import (
	"strconv"
	"time"
)

type xmlState struct {
	Code int    `xml:"code"`
	Name string `xml:"name"`
}

type xmlGroupRef struct {
	ID   string `xml:"groupId"`
	Name string `xml:"groupName"`
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
	ID          string        `xml:"instanceId"`
	Image       string        `xml:"imageId"`
	State       xmlState      `xml:"instanceState"`
	PrivateDNS  string        `xml:"privateDnsName"`
	PublicDNS   string        `xml:"dnsName"`
	Reason      string        `xml:"reason"`
	Key         string        `xml:"keyName,omitempty"`
	Index       int           `xml:"amiLaunchIndex"`
	Type        string        `xml:"instanceType"`
	Launched    time.Time     `xml:"launchTime"`
	AZ          string        `xml:"placement>availabilityZone"`
	Tenancy     string        `xml:"placement>tenancy"`
	Monitoring  string        `xml:"monitoring>state"`
	Subnet      string        `xml:"subnetId,omitempty"`
	VPC         string        `xml:"vpcId,omitempty"`
	Private     string        `xml:"privateIpAddress,omitempty"`
	Public      string        `xml:"ipAddress,omitempty"`
	SrcCheck    bool          `xml:"sourceDestCheck"`
	Groups      []xmlGroupRef `xml:"groupSet>item"`
	StateReason *xmlReason    `xml:"stateReason"`
	Arch        string        `xml:"architecture"`
	RootType    string        `xml:"rootDeviceType"`
	RootName    string        `xml:"rootDeviceName"`
	Mappings    []xmlMapping  `xml:"blockDeviceMapping>item"`
	Virt        string        `xml:"virtualizationType"`
	Token       string        `xml:"clientToken"`
	Tags        []xmlTag      `xml:"tagSet>item"`
	Hypervisor  string        `xml:"hypervisor"`
	NICs        []xmlNIC      `xml:"networkInterfaceSet>item"`
	Profile     *xmlProfile   `xml:"iamInstanceProfile"`
	Optimized   bool          `xml:"ebsOptimized"`
	Metadata    xmlMetadata   `xml:"metadataOptions"`
}

// xmlNIC is the one network interface of an instance.
type xmlNIC struct {
	ID      string        `xml:"networkInterfaceId"`
	Subnet  string        `xml:"subnetId"`
	VPC     string        `xml:"vpcId"`
	Status  string        `xml:"status"`
	Private string        `xml:"privateIpAddress"`
	Groups  []xmlGroupRef `xml:"groupSet>item"`
	Index   int           `xml:"attachment>deviceIndex"`
	State   string        `xml:"attachment>status"`
	Public  *string       `xml:"association>publicIp"`
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

// view renders an instance as it stands now.
func (x *exchange) view(in *instance, state string, disks []*volume) xmlInstance {
	v := xmlInstance{
		ID: in.ID, Image: in.Image, State: stateOf(state), Key: in.Key, Index: in.Index, Type: in.Type,
		Launched: in.Launched, AZ: in.AZ, Tenancy: in.Tenancy, Monitoring: "disabled", SrcCheck: !in.NoSrcCheck,
		Arch: archOf(in.Type), RootType: "ebs", RootName: in.Root, Virt: "hvm", Token: in.Token,
		Tags: tagSet(in.Tags), Hypervisor: "xen", Optimized: in.Optimized, Reason: in.Reason,
		Metadata: xmlMetadata{"applied", in.Metadata.Tokens, in.Metadata.Hops, in.Metadata.Endpoint, in.Metadata.IPv6, in.Metadata.Tags},
	}
	if in.Monitoring {
		v.Monitoring = "enabled"
	}
	if in.Reason != "" {
		v.StateReason = &xmlReason{"Client.UserInitiatedShutdown", "Client.UserInitiatedShutdown: User initiated shutdown"}
	}
	if in.Profile != "" {
		v.Profile = &xmlProfile{in.Profile, in.ProfileID}
	}
	for _, d := range disks {
		t := d.tie(x.now)
		v.Mappings = append(v.Mappings, xmlMapping{t.Device, d.ID, t.Life.at(x.now), t.At, t.Kill})
	}
	if state != "terminated" {
		x.wire(&v, in, state)
	}
	return v
}

// wire adds the network side: a terminated instance has none, and a public
// address comes and goes with running.
func (x *exchange) wire(v *xmlInstance, in *instance, state string) {
	v.Subnet, v.VPC, v.Private = in.Subnet, in.VPC, in.Private
	v.PrivateDNS = "ip-" + dashed(in.Private) + "." + x.Region + ".compute.internal"
	for _, id := range in.Groups {
		ref := xmlGroupRef{ID: id}
		if g, ok := find[*securityGroup](x.tx, x.Region, id); ok {
			ref.Name = g.Name
		}
		v.Groups = append(v.Groups, ref)
	}
	nic := xmlNIC{ID: "eni-" + in.ID[len("i-"):], Subnet: in.Subnet, VPC: in.VPC, Status: "in-use", Private: in.Private, Groups: v.Groups, State: "attached"}
	if in.Public != "" && (state == "running" || state == "pending") {
		v.Public, v.PublicDNS = in.Public, "ec2-"+dashed(in.Public)+".compute.example"
		nic.Public = &v.Public
	}
	v.NICs = []xmlNIC{nic}
}

func dashed(ip string) string {
	b := []byte(ip)
	for i := range b {
		if b[i] == '.' {
			b[i] = '-'
		}
	}
	return string(b)
}

type xmlReservation struct {
	ID        string        `xml:"reservationId"`
	Owner     string        `xml:"ownerId"`
	Instances []xmlInstance `xml:"instancesSet>item"`
}

// reservationOf renders one reservation; fresh shows the first state of a new
// instance, which an answer to RunInstances always does.
func (x *exchange) reservationOf(list []*instance, fresh bool) xmlReservation {
	out := xmlReservation{ID: list[0].Reservation, Owner: Account}
	for _, in := range list {
		state := in.Life.at(x.now)
		if fresh {
			state = in.Life.first()
		}
		out.Instances = append(out.Instances, x.view(in, state, x.disksOf(in.ID)))
	}
	return out
}

// instanceValues is what an instance has under the names of the filters of
// DescribeInstances; names that the practice cloud does not hold are refused as
// unknown ones are.
func (x *exchange) instanceValues(in *instance, name string) ([]string, bool) {
	state := in.Life.at(x.now)
	switch name {
	case "instance-id":
		return one(in.ID)
	case "instance-type":
		return one(in.Type)
	case "instance-state-name":
		return one(state)
	case "instance-state-code":
		return one(strconv.Itoa(stateCode(state)))
	case "image-id":
		return one(in.Image)
	case "client-token":
		return one(in.Token)
	case "vpc-id", "network-interface.vpc-id":
		return one(in.VPC)
	case "subnet-id", "network-interface.subnet-id":
		return one(in.Subnet)
	case "availability-zone":
		return one(in.AZ)
	case "key-name":
		return one(in.Key)
	case "reservation-id":
		return one(in.Reservation)
	case "owner-id":
		return one(Account)
	case "private-ip-address":
		return one(in.Private)
	case "ip-address":
		return one(in.Public)
	case "architecture":
		return one(archOf(in.Type))
	case "root-device-name":
		return one(in.Root)
	case "root-device-type":
		return one("ebs")
	case "iam-instance-profile.arn":
		return one(in.Profile)
	case "instance.group-id", "network-interface.group-id":
		return in.Groups, true
	case "tenancy":
		return one(in.Tenancy)
	case "metadata-options.http-tokens":
		return one(in.Metadata.Tokens)
	}
	return nil, false
}
