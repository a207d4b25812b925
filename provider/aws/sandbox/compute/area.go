// Package compute has the machines of the sandbox: instances, volumes, key pairs, launch templates, scaling groups, and
// the catalog of images and types. It promises EC2's order of states, and one launch for a token.
package compute

import (
	"maps"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/ec2"
)

// Actions are the handlers of this area, by service and action.
func Actions() map[string]map[string]core.Handler {
	all := map[string]core.Handler{}
	for _, some := range []map[string]core.Handler{
		instanceActions(), volumeActions(), encryptionActions(),
		profileActions(), catalogActions(), templateActions(),
	} {
		maps.Copy(all, some)
	}
	return map[string]map[string]core.Handler{
		"ec2": all, "autoscaling": scalingActions(),
		"ssm": {"GetParameter": getParameter},
	}
}

// Kinds describes the kinds of this area.
func Kinds() []core.Kind {
	return []core.Kind{
		{
			Name: "instance", Word: "ec2", Rank: 9, Type: (*ec2.Instance)(nil), Prefix: "i",
			Missing: "InvalidInstanceID.NotFound",
			Order: core.Ordered("ec2", "RunInstances",
				map[string]string{"ImageId": imageX86, "InstanceType": "t3.micro", "MinCount": "1", "MaxCount": "1"}),
		},
		{
			Name: "volume", Word: "ebs", Rank: 10, Type: (*volume)(nil), Prefix: "vol", Missing: "InvalidVolume.NotFound",
			Order: core.Ordered("ec2", "CreateVolume", map[string]string{"Size": "8"}),
		},
		{Name: "key-pair", Word: "key_pair", Rank: 14, Type: (*keyPair)(nil), Prefix: "key", Tagged: keyPairOf},
		{
			Name: "launch-template", Word: "launch_template", Rank: 16, Type: (*launchTemplate)(nil), Prefix: "lt",
			Missing: "InvalidLaunchTemplateId.NotFound",
		},
		{Name: "scaling-group", Word: "autoscaling_group", Rank: 20, Type: (*scalingGroup)(nil)},
	}
}
