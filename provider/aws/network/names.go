package network

import (
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/ovi-project/ovi/resource"
)

// KindEIP is the kind eip.
const KindEIP = "eip"

// GroupName is the attribute with what AWS calls a group besides its ID.
const GroupName = "group_name"

// PeerAccount is the attribute of a rule with the account of its peer.
const PeerAccount = "account"

// Everywhere is the rule that AWS adds to every new group: all traffic is allowed out.
func Everywhere() resource.Attrs {
	return resource.NewAttrs(
		resource.Attr{Name: "protocol", Value: resource.String("all")},
		resource.Attr{Name: "cidr", Value: resource.String("0.0.0.0/0")})
}

// KindInterface is the kind network_interface.
const KindInterface = "network_interface"

// Primary returns the ID of the interface of the launch if an instance has several interfaces, and "" otherwise. AWS
// refuses calls about "the" interface of an instance with several, because the ID of the instance does not name one.
func Primary(i types.Instance) string {
	if len(i.NetworkInterfaces) < 2 {
		return ""
	}
	for _, n := range i.NetworkInterfaces {
		if n.Attachment != nil && aws.ToInt32(n.Attachment.DeviceIndex) == 0 {
			return aws.ToString(n.NetworkInterfaceId)
		}
	}
	return ""
}

// SeparateRules is the attribute of a group whose rules are resources of their own.
const SeparateRules = "separate_rules"
