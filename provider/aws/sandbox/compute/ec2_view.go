package compute

import (
	"time"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/ec2"
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
