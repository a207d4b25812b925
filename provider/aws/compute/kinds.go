package compute

import (
	"github.com/ovi-project/ovi/provider/aws/api"
)

// Kinds are the kinds of this package. Each call gives fresh values.
func Kinds() []api.Kind {
	return []api.Kind{kindOfEC2(), kindOfEBS(), kindOfKeyPair(), kindOfTemplate(), kindOfScaling()}
}

// kindOfEBS is the kind ebs. It reads instances too, because a root volume is not a resource. The
// calls that write tags are in the table of package aws, which has them for all kinds of EC2.
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

// kindOfEC2 is the kind ec2. It passes a role to EC2, and reads the ID of the current image from a
// parameter of Systems Manager.
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
