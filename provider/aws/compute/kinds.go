package compute

import (
	"github.com/ovi-project/ovi/provider/aws/api"
)

// Kinds are the kinds of this package. Each call gives fresh values.
func Kinds() []api.Kind {
	return []api.Kind{kindOfEC2(), kindOfEBS(), kindOfKeyPair(), kindOfTemplate(), kindOfScaling()}
}

func kindOfEBS() api.Kind {
	return api.Kind{
		Schema: ebsSchema(),
		List:   listVolumes, ByTag: true, Read: readVolume, Tag: api.TagEC2, Check: checkVolume,
		Create: createVolume, Update: updateVolume, Remove: deleteVolume,
		Calls: api.Calls{
			Service:  "ec2",
			Own:      "volume/*",
			Observes: "DescribeInstances DescribeVolumes DescribeVolumesModifications",
			Creates:  "CreateVolume",
			Changes:  "AttachVolume DetachVolume ModifyVolume",
			Deletes:  "DeleteVolume",
			Touches:  "AttachVolume CreateVolume DetachVolume",
		},
	}
}

func kindOfEC2() api.Kind {
	return api.Kind{
		Schema: ec2Schema(),
		List:   listInstances, ByTag: true, Read: readInstance, Tag: api.TagEC2, Check: checkInstance,
		Create: createInstance, Update: updateInstance, Remove: deleteInstance,
		Calls: api.Calls{
			Service: "ec2",
			Own:     "instance/*",
			Observes: "DescribeInstances DescribeInstanceAttribute DescribeInstanceStatus DescribeVolumes " +
				"DescribeVolumesModifications DescribeImages DescribeInstanceTypeOfferings " +
				"DescribeIamInstanceProfileAssociations",
			Creates: "RunInstances",
			Changes: "AssociateIamInstanceProfile DisassociateIamInstanceProfile ModifyInstanceAttribute " +
				"ModifyInstanceMetadataOptions ModifyVolume ReplaceIamInstanceProfileAssociation StartInstances " +
				"StopInstances",
			Deletes:  "TerminateInstances",
			Untagged: "CancelSpotInstanceRequests", // the request of an adopted instance has no tags of ovi
			Touches:  "ModifyInstanceAttribute RunInstances",
			Secrets:  "RunInstances ModifyInstanceAttribute",
			Others:   []string{"ssm:GetParameter", "iam:PassRole"},
		},
	}
}
