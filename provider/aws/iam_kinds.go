package aws

import (
	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/provider/aws/balance"
	"github.com/ovi-project/ovi/provider/aws/compute"
	"github.com/ovi-project/ovi/provider/aws/database"
	"github.com/ovi-project/ovi/provider/aws/dns"
	"github.com/ovi-project/ovi/provider/aws/firewall"
	awsidentity "github.com/ovi-project/ovi/provider/aws/identity"
	"github.com/ovi-project/ovi/provider/aws/keys"
	"github.com/ovi-project/ovi/provider/aws/network"
)

// need is the set of IAM rights of a kind. The names of actions are separated by spaces; actions of one
// service share its prefix.
type need struct {
	service string
	reads   string // to observe and check it
	own     string // if beside is set, the rest of the ARN of resources with ovi's tags, "instance/*"
	creates string // with ovi's tags in the call
	changes string // of resources with ovi's tags
	beside  string // creates and changes that also act on other resources
	plain   string // that know no tags
	others  []string
	linked  string // the service whose own role it may create
}

const (
	passing = "iam:PassRole"
	// parameters has the images that AWS publishes.
	parameters = "ssm:GetParameter"
)

// needs is the table of them, by kind.
func needs() map[string]need {
	out := map[string]need{}
	for _, part := range []map[string]need{networkNeeds(), computeNeeds(), servingNeeds(), dataNeeds(), keptNeeds()} {
		for kind, n := range part {
			out[kind] = n
		}
	}
	return out
}

func networkNeeds() map[string]need {
	return map[string]need{
		api.KindVPC: {
			service: "ec2", reads: "DescribeVpcs DescribeSubnets DescribeSecurityGroups DescribeInternetGateways " +
				"DescribeNatGateways DescribeRouteTables DescribeInstances",
			creates: "CreateVpc", changes: "AssociateVpcCidrBlock DeleteVpc DisassociateVpcCidrBlock ModifyVpcAttribute",
		},
		api.KindSubnet: {
			service: "ec2", own: "subnet/*", reads: "DescribeSubnets DescribeVpcs DescribeInstances " +
				"DescribeInstanceTypeOfferings DescribeNatGateways DescribeNetworkInterfaces",
			creates: "CreateSubnet", changes: "AssociateSubnetCidrBlock DeleteSubnet DisassociateSubnetCidrBlock " +
				"ModifySubnetAttribute", beside: "CreateSubnet",
		},
		api.KindGroup: {
			service: "ec2", own: "security-group/*",
			reads:   "DescribeSecurityGroups DescribeSecurityGroupRules DescribeInstances DescribeNetworkInterfaces",
			creates: "CreateSecurityGroup",
			changes: "DeleteSecurityGroup AuthorizeSecurityGroupIngress AuthorizeSecurityGroupEgress " +
				"RevokeSecurityGroupIngress RevokeSecurityGroupEgress",
			beside: "CreateSecurityGroup AuthorizeSecurityGroupIngress AuthorizeSecurityGroupEgress " +
				"RevokeSecurityGroupIngress RevokeSecurityGroupEgress",
		},
		network.KindInternetGateway: {
			service: "ec2", own: "internet-gateway/*", reads: "DescribeInternetGateways",
			creates: "CreateInternetGateway", changes: "AttachInternetGateway DetachInternetGateway DeleteInternetGateway",
			beside: "AttachInternetGateway DetachInternetGateway",
		},
		network.KindRouteTable: {
			service: "ec2", own: "route-table/*", reads: "DescribeRouteTables",
			creates: "CreateRouteTable", changes: "AssociateRouteTable CreateRoute DeleteRoute DeleteRouteTable " +
				"DisassociateRouteTable ReplaceRoute",
			beside: "AssociateRouteTable CreateRoute CreateRouteTable DisassociateRouteTable ReplaceRoute",
		},
		network.KindEIP: {
			service: "ec2", own: "elastic-ip/*", reads: "DescribeAddresses DescribeInstances DescribeNetworkInterfaces",
			creates: "AllocateAddress", changes: "AssociateAddress DisassociateAddress ReleaseAddress",
			beside: "AssociateAddress DisassociateAddress",
		},
		network.KindInterface: {
			service: "ec2", own: "network-interface/*", reads: "DescribeNetworkInterfaces",
			creates: "CreateNetworkInterface", changes: "AttachNetworkInterface DeleteNetworkInterface DetachNetworkInterface " +
				"ModifyNetworkInterfaceAttribute",
			beside: "AttachNetworkInterface CreateNetworkInterface DetachNetworkInterface ModifyNetworkInterfaceAttribute",
		},
		network.KindNAT: {
			service: "ec2", own: "natgateway/*", reads: "DescribeNatGateways DescribeAddresses",
			creates: "CreateNatGateway", changes: "DeleteNatGateway", beside: "CreateNatGateway",
		},
	}
}

// keptNeeds returns the needs of logs, keys and secrets, and of parts of networks and databases. An alias
// of a key has no tags.
func keptNeeds() map[string]need {
	return map[string]need{
		firewall.KindRule: {
			service: "ec2", own: "security-group-rule/*", reads: "DescribeSecurityGroupRules DescribeSecurityGroups",
			creates: "AuthorizeSecurityGroupIngress AuthorizeSecurityGroupEgress",
			changes: "ModifySecurityGroupRules RevokeSecurityGroupIngress RevokeSecurityGroupEgress",
			beside: "AuthorizeSecurityGroupIngress AuthorizeSecurityGroupEgress ModifySecurityGroupRules " +
				"RevokeSecurityGroupIngress RevokeSecurityGroupEgress",
		},
		network.KindEndpoint: {
			service: "ec2", own: "vpc-endpoint/*", reads: "DescribeVpcEndpoints",
			creates: "CreateVpcEndpoint", changes: "DeleteVpcEndpoints ModifyVpcEndpoint",
			beside: "CreateVpcEndpoint ModifyVpcEndpoint",
			others: []string{"route53:AssociateVPCWithHostedZone"},
		},
		database.KindDBParameters: {
			service: "rds", reads: "DescribeDBInstances DescribeDBParameterGroups DescribeDBParameters ListTagsForResource",
			creates: "AddTagsToResource CreateDBParameterGroup",
			changes: "AddTagsToResource DeleteDBParameterGroup ModifyDBParameterGroup RemoveTagsFromResource " +
				"ResetDBParameterGroup",
		},
		keys.KindLogs: {
			service: "logs", reads: "DescribeLogGroups ListTagsForResource", creates: "CreateLogGroup TagResource",
			changes: "AssociateKmsKey DeleteLogGroup DeleteRetentionPolicy DisassociateKmsKey PutRetentionPolicy TagResource " +
				"UntagResource",
		},
		keys.KindKMS: {
			service: "kms", own: "key/*", reads: "DescribeKey GetKeyPolicy GetKeyRotationStatus ListAliases ListKeys " +
				"ListResourceTags", creates: "CreateKey TagResource",
			changes: "CancelKeyDeletion CreateAlias DeleteAlias DisableKey DisableKeyRotation EnableKey EnableKeyRotation " +
				"PutKeyPolicy ScheduleKeyDeletion TagResource UntagResource UpdateAlias UpdateKeyDescription",
			beside: "CreateAlias DeleteAlias UpdateAlias",
		},
		keys.KindSecret: {
			service: "secretsmanager", reads: "DescribeSecret GetRandomPassword ListSecrets",
			creates: "CreateSecret TagResource",
			changes: "DeleteSecret RestoreSecret TagResource UntagResource UpdateSecret",
			others:  []string{"kms:GenerateDataKey", "kms:Decrypt"},
		},
		keys.KindCertificate: {
			service: "acm", reads: "DescribeCertificate ListCertificates ListTagsForCertificate",
			creates: "AddTagsToCertificate RequestCertificate",
			changes: "AddTagsToCertificate DeleteCertificate RemoveTagsFromCertificate",
		},
	}
}

func computeNeeds() map[string]need {
	return map[string]need{
		api.KindEC2: {
			service: "ec2", own: "instance/*",
			reads: "DescribeInstances DescribeInstanceAttribute DescribeInstanceStatus DescribeVolumes " +
				"DescribeVolumesModifications DescribeImages DescribeInstanceTypeOfferings DescribeIamInstanceProfileAssociations",
			creates: "RunInstances",
			changes: "AssociateIamInstanceProfile DisassociateIamInstanceProfile ModifyInstanceAttribute " +
				"ModifyInstanceMetadataOptions ModifyVolume ReplaceIamInstanceProfileAssociation StartInstances StopInstances " +
				"TerminateInstances",
			plain:  "CancelSpotInstanceRequests", // the request of an adopted instance has no tags of ovi
			beside: "ModifyInstanceAttribute RunInstances", others: []string{parameters, passing},
		},
		api.KindEBS: {
			service: "ec2", own: "volume/*", reads: "DescribeInstances DescribeVolumes DescribeVolumesModifications",
			creates: "CreateVolume", changes: "AttachVolume DeleteVolume DetachVolume ModifyVolume",
			beside: "AttachVolume CreateVolume DetachVolume",
		},
		compute.KindKeyPair: {service: "ec2", reads: "DescribeKeyPairs", creates: "ImportKeyPair", changes: "DeleteKeyPair"},
		compute.KindTemplate: {
			service: "ec2", reads: "DescribeImages DescribeLaunchTemplates DescribeLaunchTemplateVersions",
			creates: "CreateLaunchTemplate", changes: "CreateLaunchTemplateVersion DeleteLaunchTemplate ModifyLaunchTemplate",
			others: []string{parameters},
		},
		compute.KindScaling: {
			service: "autoscaling", reads: "DescribeAutoScalingGroups DescribeScalingActivities",
			creates: "CreateAutoScalingGroup CreateOrUpdateTags",
			changes: "AttachLoadBalancerTargetGroups CreateOrUpdateTags DeleteAutoScalingGroup DeleteTags " +
				"DetachLoadBalancerTargetGroups UpdateAutoScalingGroup",
			others: []string{"ec2:RunInstances", passing}, linked: "autoscaling.amazonaws.com",
		},
		awsidentity.KindRole: {
			service: "iam",
			reads: "GetAccountAuthorizationDetails GetInstanceProfile GetPolicy GetRole GetRolePolicy " +
				"ListAttachedRolePolicies ListInstanceProfilesForRole ListRolePolicies",
			creates: "CreateInstanceProfile CreateRole TagInstanceProfile TagRole",
			changes: "AddRoleToInstanceProfile AttachRolePolicy DeleteInstanceProfile DeleteRole DeleteRolePolicy " +
				"DetachRolePolicy PutRolePolicy RemoveRoleFromInstanceProfile TagRole UntagRole UpdateAssumeRolePolicy UpdateRole",
			others: []string{passing},
		},
	}
}

func servingNeeds() map[string]need {
	const service, linked = "elasticloadbalancing", "elasticloadbalancing.amazonaws.com"
	return map[string]need{
		balance.KindBalancer: {
			service: service, reads: "DescribeLoadBalancers DescribeTags", creates: "AddTags CreateLoadBalancer",
			changes: "AddTags DeleteLoadBalancer RemoveTags SetSecurityGroups SetSubnets", linked: linked,
		},
		balance.KindTargets: {
			service: service, reads: "DescribeTags DescribeTargetGroups", creates: "AddTags CreateTargetGroup",
			changes: "AddTags DeleteTargetGroup ModifyTargetGroup RemoveTags",
		},
		balance.KindListener: {
			service: service, reads: "DescribeListeners DescribeLoadBalancers DescribeTags DescribeTargetGroups",
			creates: "AddTags CreateListener",
			changes: "AddTags DeleteListener ModifyListener RemoveTags", others: []string{"acm:DescribeCertificate"},
		},
		dns.KindZone: {
			service: "route53", reads: "GetChange GetHostedZone ListHostedZones ListHostedZonesByName ListResourceRecordSets " +
				"ListTagsForResources",
			plain:  "AssociateVPCWithHostedZone ChangeTagsForResource CreateHostedZone DeleteHostedZone UpdateHostedZoneComment",
			others: []string{"ec2:DescribeVpcs"},
		},
		dns.KindRecord: {
			service: "route53", reads: "GetChange ListHostedZones ListResourceRecordSets ListTagsForResources",
			plain: "ChangeResourceRecordSets",
		},
	}
}

func dataNeeds() map[string]need {
	return map[string]need{
		api.KindRDS: {
			service: "rds", own: "db:*", reads: "DescribeDBEngineVersions DescribeDBInstances DescribeDBSnapshots " +
				"DescribeDBSubnetGroups",
			creates: "AddTagsToResource CreateDBInstance RestoreDBInstanceFromDBSnapshot",
			changes: "AddTagsToResource DeleteDBInstance ModifyDBInstance RemoveTagsFromResource StartDBInstance StopDBInstance",
			beside:  "CreateDBInstance DeleteDBInstance ModifyDBInstance RestoreDBInstanceFromDBSnapshot",
			plain:   "CreateDBSnapshot",
			others: []string{
				"ec2:DescribeSecurityGroups", "kms:DescribeKey", "secretsmanager:CreateSecret",
				"secretsmanager:TagResource",
			}, linked: "rds.amazonaws.com",
		},
		api.KindDBSubnets: {
			service: "rds", reads: "DescribeDBSubnetGroups ListTagsForResource",
			creates: "AddTagsToResource CreateDBSubnetGroup",
			changes: "AddTagsToResource DeleteDBSubnetGroup ModifyDBSubnetGroup RemoveTagsFromResource",
		},
		api.KindS3: {
			service: "s3", reads: "GetBucketABAC GetBucketCORS GetBucketOwnershipControls GetBucketPolicy " +
				"GetBucketPublicAccessBlock GetBucketTagging GetBucketVersioning GetEncryptionConfiguration " +
				"GetLifecycleConfiguration ListAllMyBuckets ListBucket",
			plain: "CreateBucket DeleteBucket DeleteBucketPolicy PutBucketCORS PutBucketOwnershipControls PutBucketPolicy " +
				"PutBucketPublicAccessBlock PutBucketTagging PutBucketVersioning PutEncryptionConfiguration " +
				"PutLifecycleConfiguration TagResource UntagResource",
		},
	}
}
