package aws

// operation is a call that this provider makes, with the permissions that it needs. Only this table names calls:
// callsgen writes api/calls.go from it, and a test compares it with the calls that the other tests make. After a
// change, run `go generate ./provider/aws`.
type operation struct {
	call    string   // "ec2.RunInstances"
	actions []string // of IAM; empty means the one of the same name
	destroy bool     // deletes resources
	secret  bool     // its request can carry a secret: api has the function callHasSecret that tells
}

// operations are all of them.
func operations() []operation {
	all := []operation{{call: "sts.GetCallerIdentity"}, {call: "sts.AssumeRole"}, {call: "ssm.GetParameter"}}
	all = append(all, ec2Operations()...)
	all = append(all, routingOperations()...)
	all = append(all, launchOperations()...)
	all = append(all, roleOperations()...)
	all = append(all, balancerOperations()...)
	all = append(all, scalingOperations()...)
	all = append(all, dnsOperations()...)
	all = append(all, keptOperations()...)
	return append(all, dataOperations()...)
}

func ec2Operations() []operation {
	return []operation{
		{call: "ec2.DescribeVpcs"},
		{call: "ec2.DescribeSubnets"},
		{call: "ec2.DescribeSecurityGroups"},
		{call: "ec2.DescribeSecurityGroupRules"},
		{call: "ec2.DescribeInstanceTypeOfferings"},
		{call: "ec2.DescribeInstances"},
		{call: "ec2.DescribeInstanceAttribute"},
		{call: "ec2.DescribeInstanceStatus"},
		{call: "ec2.DescribeVolumes"},
		{call: "ec2.DescribeVolumesModifications"},
		{call: "ec2.DescribeImages"},
		{call: "ec2.DescribeIamInstanceProfileAssociations"},
		{call: "ec2.CreateTags"},
		{call: "ec2.DeleteTags"},
		{call: "ec2.CreateVpc"},
		{call: "ec2.ModifyVpcAttribute"},
		{call: "ec2.AssociateVpcCidrBlock"},
		{call: "ec2.DisassociateVpcCidrBlock"},
		{call: "ec2.DeleteVpc", destroy: true},
		{call: "ec2.CreateSubnet"},
		{call: "ec2.ModifySubnetAttribute"},
		{call: "ec2.AssociateSubnetCidrBlock"},
		{call: "ec2.DisassociateSubnetCidrBlock"},
		{call: "ec2.DeleteSubnet", destroy: true},
		{call: "ec2.CreateSecurityGroup"},
		{call: "ec2.DeleteSecurityGroup", destroy: true},
		{call: "ec2.AuthorizeSecurityGroupIngress"},
		{call: "ec2.AuthorizeSecurityGroupEgress"},
		{call: "ec2.RevokeSecurityGroupIngress"},
		{call: "ec2.RevokeSecurityGroupEgress"},
		{
			call: "ec2.RunInstances", secret: true,
			actions: append([]string{"ec2:RunInstances", "iam:PassRole"}, volumeKeyActions()...),
		},
		{call: "ec2.StartInstances"},
		{call: "ec2.StopInstances"},
		{call: "ec2.ModifyInstanceAttribute", secret: true},
		{call: "ec2.ModifySecurityGroupRules"},
		{call: "ec2.ModifyInstanceMetadataOptions"},
		{call: "ec2.CancelSpotInstanceRequests"},
		{call: "ec2.TerminateInstances", destroy: true},
		{call: "ec2.AssociateIamInstanceProfile", actions: []string{"ec2:AssociateIamInstanceProfile", "iam:PassRole"}},
		{
			call:    "ec2.ReplaceIamInstanceProfileAssociation",
			actions: []string{"ec2:ReplaceIamInstanceProfileAssociation", "iam:PassRole"},
		},
		{call: "ec2.DisassociateIamInstanceProfile"},
		{call: "ec2.CreateVolume", actions: append([]string{"ec2:CreateVolume"}, volumeKeyActions()...)},
		{call: "ec2.ModifyVolume"},
		{call: "ec2.AttachVolume"},
		{call: "ec2.DetachVolume"},
		{call: "ec2.DeleteVolume", destroy: true},
	}
}

// routingOperations returns the API operations of routes, gateways and endpoints of a VPC.
func routingOperations() []operation {
	return []operation{
		{call: "ec2.AllocateAddress"},
		{call: "ec2.AssociateAddress"},
		{call: "ec2.AssociateRouteTable"},
		{call: "ec2.AttachInternetGateway"},
		{call: "ec2.CreateInternetGateway"},
		{call: "ec2.CreateNatGateway"},
		{call: "ec2.CreateVpcEndpoint"},
		{call: "ec2.DeleteVpcEndpoints", destroy: true},
		{call: "ec2.DescribeVpcEndpoints"},
		{call: "ec2.ModifyVpcEndpoint"},
		{call: "ec2.CreateRoute"},
		{call: "ec2.CreateRouteTable"},
		{call: "ec2.DeleteInternetGateway", destroy: true},
		{call: "ec2.DeleteNatGateway", destroy: true},
		{call: "ec2.DeleteRoute"},
		{call: "ec2.DeleteRouteTable", destroy: true},
		{call: "ec2.DescribeAddresses"},
		{call: "ec2.DescribeInternetGateways"},
		{call: "ec2.DescribeNatGateways"},
		{call: "ec2.DescribeRouteTables"},
		{call: "ec2.DetachInternetGateway"},
		{call: "ec2.DisassociateAddress"},
		{call: "ec2.DisassociateRouteTable"},
		{call: "ec2.ReleaseAddress", destroy: true},
		{call: "ec2.ReplaceRoute"},
		{call: "ec2.AttachNetworkInterface"},
		{call: "ec2.CreateNetworkInterface"},
		{call: "ec2.DeleteNetworkInterface", destroy: true},
		{call: "ec2.DescribeNetworkInterfaces"},
		{call: "ec2.DetachNetworkInterface"},
		{call: "ec2.ModifyNetworkInterfaceAttribute"},
	}
}

// launchOperations returns the API operations of launch templates and key pairs.
func launchOperations() []operation {
	return []operation{
		{call: "ec2.CreateLaunchTemplate", secret: true},
		{call: "ec2.CreateLaunchTemplateVersion", secret: true},
		{call: "ec2.DeleteLaunchTemplate", destroy: true},
		{call: "ec2.DescribeLaunchTemplates"},
		{call: "ec2.DescribeLaunchTemplateVersions"},
		{call: "ec2.ModifyLaunchTemplate"},
		{call: "ec2.DeleteKeyPair", destroy: true},
		{call: "ec2.DescribeKeyPairs"},
		{call: "ec2.ImportKeyPair"},
	}
}

// roleOperations returns the API operations of roles and instance profiles.
func roleOperations() []operation {
	return []operation{
		{call: "iam.AddRoleToInstanceProfile"},
		{call: "iam.AttachRolePolicy"},
		{call: "iam.CreateInstanceProfile", actions: []string{"iam:CreateInstanceProfile", "iam:TagInstanceProfile"}},
		{call: "iam.CreateRole", actions: []string{"iam:CreateRole", "iam:TagRole"}},
		{call: "iam.DeleteInstanceProfile"},
		{call: "iam.DeleteRole", destroy: true},
		{call: "iam.DeleteRolePolicy"},
		{call: "iam.DetachRolePolicy"},
		{call: "iam.GetAccountAuthorizationDetails"},
		{call: "iam.GetInstanceProfile"},
		{call: "iam.GetPolicy"},
		{call: "iam.GetRole"},
		{call: "iam.GetRolePolicy"},
		{call: "iam.ListAttachedRolePolicies"},
		{call: "iam.ListInstanceProfilesForRole"},
		{call: "iam.ListRolePolicies"},
		{call: "iam.PutRolePolicy"},
		{call: "iam.RemoveRoleFromInstanceProfile"},
		{call: "iam.TagRole"},
		{call: "iam.UntagRole"},
		{call: "iam.UpdateAssumeRolePolicy"},
		{call: "iam.UpdateRole"},
	}
}

// balancerOperations returns the API operations of load balancers.
func balancerOperations() []operation {
	return []operation{
		{call: "elasticloadbalancing.AddTags"},
		{
			call:    "elasticloadbalancing.CreateListener",
			actions: []string{"elasticloadbalancing:CreateListener", "elasticloadbalancing:AddTags"},
		},
		{
			call: "elasticloadbalancing.CreateLoadBalancer",
			actions: []string{
				"elasticloadbalancing:CreateLoadBalancer", "elasticloadbalancing:AddTags",
				"iam:CreateServiceLinkedRole",
			},
		},
		{
			call:    "elasticloadbalancing.CreateTargetGroup",
			actions: []string{"elasticloadbalancing:CreateTargetGroup", "elasticloadbalancing:AddTags"},
		},
		{call: "elasticloadbalancing.DeleteListener", destroy: true},
		{call: "elasticloadbalancing.DeleteLoadBalancer", destroy: true},
		{call: "elasticloadbalancing.DeleteTargetGroup", destroy: true},
		{call: "elasticloadbalancing.DescribeListeners"},
		{call: "elasticloadbalancing.DescribeLoadBalancers"},
		{call: "elasticloadbalancing.DescribeTags"},
		{call: "elasticloadbalancing.DescribeTargetGroups"},
		{call: "elasticloadbalancing.ModifyListener"},
		{call: "elasticloadbalancing.ModifyTargetGroup"},
		{call: "elasticloadbalancing.RemoveTags"},
		{call: "elasticloadbalancing.SetSecurityGroups"},
		{call: "elasticloadbalancing.SetSubnets"},
	}
}

// scalingOperations returns the API operations of autoscaling groups. AWS launches their instances in the
// caller's name.
func scalingOperations() []operation {
	return []operation{
		{call: "autoscaling.AttachLoadBalancerTargetGroups"},
		{
			call: "autoscaling.CreateAutoScalingGroup",
			actions: []string{
				"autoscaling:CreateAutoScalingGroup", "autoscaling:CreateOrUpdateTags", "ec2:RunInstances",
				"iam:PassRole", "iam:CreateServiceLinkedRole",
			},
		},
		{call: "autoscaling.CreateOrUpdateTags"},
		{call: "autoscaling.DeleteAutoScalingGroup", destroy: true},
		{call: "autoscaling.DeleteTags"},
		{call: "autoscaling.DescribeAutoScalingGroups"},
		{call: "autoscaling.DescribeScalingActivities"},
		{call: "autoscaling.DetachLoadBalancerTargetGroups"},
		{call: "autoscaling.UpdateAutoScalingGroup"},
	}
}

// dnsOperations returns the API operations of hosted zones. A zone that a VPC sees is associated with it in
// the caller's name.
func dnsOperations() []operation {
	return []operation{
		{call: "route53.ChangeResourceRecordSets"},
		{call: "route53.ChangeTagsForResource"},
		{call: "route53.CreateHostedZone", actions: []string{
			"route53:CreateHostedZone",
			"route53:AssociateVPCWithHostedZone",
		}},
		{call: "route53.DeleteHostedZone", destroy: true},
		{call: "route53.GetChange"},
		{call: "route53.GetHostedZone"},
		{call: "route53.ListHostedZones"},
		{call: "route53.ListHostedZonesByName"},
		{call: "route53.ListResourceRecordSets"},
		{call: "route53.ListTagsForResources"},
		{call: "route53.UpdateHostedZoneComment"},
	}
}

// keptOperations returns the API operations of secrets, logs, keys and certificates. An encrypted resource
// needs rights to its key, in the caller's name.
func keptOperations() []operation {
	return []operation{
		{call: "logs.AssociateKmsKey"},
		{call: "logs.CreateLogGroup", actions: []string{"logs:CreateLogGroup", "logs:TagResource"}},
		{call: "logs.DeleteLogGroup", destroy: true},
		{call: "logs.DeleteRetentionPolicy"},
		{call: "logs.DescribeLogGroups"},
		{call: "logs.DisassociateKmsKey"},
		{call: "logs.ListTagsForResource"},
		{call: "logs.PutRetentionPolicy"},
		{call: "logs.TagResource"},
		{call: "logs.UntagResource"},

		{call: "kms.CancelKeyDeletion"},
		{call: "kms.CreateAlias"},
		{call: "kms.CreateKey", actions: []string{"kms:CreateKey", "kms:TagResource"}},
		{call: "kms.DeleteAlias"},
		{call: "kms.DescribeKey"},
		{call: "kms.DisableKey"},
		{call: "kms.DisableKeyRotation"},
		{call: "kms.EnableKey"},
		{call: "kms.EnableKeyRotation"},
		{call: "kms.GetKeyPolicy"},
		{call: "kms.GetKeyRotationStatus"},
		{call: "kms.ListAliases"},
		{call: "kms.ListKeys"},
		{call: "kms.ListResourceTags"},
		{call: "kms.PutKeyPolicy"},
		{call: "kms.ScheduleKeyDeletion", destroy: true},
		{call: "kms.TagResource"},
		{call: "kms.UntagResource"},
		{call: "kms.UpdateAlias"},
		{call: "kms.UpdateKeyDescription"},

		{call: "secretsmanager.CreateSecret", secret: true, actions: []string{
			"secretsmanager:CreateSecret", "secretsmanager:TagResource",
			"kms:GenerateDataKey", "kms:Decrypt",
		}},
		{call: "secretsmanager.DeleteSecret", destroy: true},
		{call: "secretsmanager.DescribeSecret"},
		{call: "secretsmanager.GetRandomPassword"},
		{call: "secretsmanager.ListSecrets"},
		{call: "secretsmanager.RestoreSecret"},
		{call: "secretsmanager.TagResource"},
		{call: "secretsmanager.UntagResource"},
		{call: "secretsmanager.UpdateSecret", secret: true},

		{call: "acm.AddTagsToCertificate"},
		{call: "acm.DeleteCertificate", destroy: true},
		{call: "acm.DescribeCertificate"},
		{call: "acm.ListCertificates"},
		{call: "acm.ListTagsForCertificate"},
		{call: "acm.RemoveTagsFromCertificate"},
		{call: "acm.RequestCertificate", actions: []string{"acm:RequestCertificate", "acm:AddTagsToCertificate"}},
	}
}

func dataOperations() []operation {
	return []operation{
		{call: "rds.DescribeDBInstances"},
		{call: "rds.DescribeDBEngineVersions"},
		{call: "rds.DescribeDBSubnetGroups"},
		{call: "rds.ListTagsForResource"},
		{call: "rds.CreateDBSubnetGroup", actions: []string{"rds:CreateDBSubnetGroup", "rds:AddTagsToResource"}},
		{call: "rds.DescribeDBParameterGroups"},
		{call: "rds.DescribeDBParameters"},
		{call: "rds.CreateDBParameterGroup", actions: []string{"rds:CreateDBParameterGroup", "rds:AddTagsToResource"}},
		{call: "rds.ModifyDBParameterGroup"},
		{call: "rds.ResetDBParameterGroup"},
		{call: "rds.DeleteDBParameterGroup", destroy: true},
		{call: "rds.ModifyDBSubnetGroup"},
		{call: "rds.DeleteDBSubnetGroup", destroy: true},
		// The first database of an account creates RDS's own role; a managed password is a secret of
		// Secrets Manager that is created in the caller's name. A deletion creates the final snapshot.
		{call: "rds.CreateDBInstance", secret: true, actions: []string{
			"rds:CreateDBInstance", "rds:AddTagsToResource", "iam:CreateServiceLinkedRole",
			"rds:CreateDBSnapshot", granting, "secretsmanager:CreateSecret", "secretsmanager:TagResource",
		}},
		{call: "rds.ModifyDBInstance", secret: true},
		{call: "rds.DescribeDBSnapshots"},
		{
			call: "rds.RestoreDBInstanceFromDBSnapshot",
			actions: []string{
				"rds:RestoreDBInstanceFromDBSnapshot", "rds:AddTagsToResource", "iam:CreateServiceLinkedRole",
				granting,
			},
		},
		{call: "rds.StartDBInstance"},
		{call: "rds.StopDBInstance"},
		{call: "rds.AddTagsToResource"},
		{call: "rds.RemoveTagsFromResource"},
		{call: "rds.DeleteDBInstance", destroy: true},

		{call: "s3.ListBuckets", actions: []string{"s3:ListAllMyBuckets"}},
		{call: "s3.HeadBucket", actions: []string{"s3:ListBucket"}},
		{call: "s3.GetBucketAbac", actions: []string{"s3:GetBucketABAC"}},
		{call: "s3.GetBucketTagging"},
		{call: "s3.GetBucketVersioning"},
		{call: "s3.GetPublicAccessBlock", actions: []string{"s3:GetBucketPublicAccessBlock"}},
		{call: "s3.GetBucketEncryption", actions: []string{"s3:GetEncryptionConfiguration"}},
		{call: "s3.CreateBucket", actions: []string{"s3:CreateBucket", "s3:TagResource"}},
		{call: "s3.PutBucketTagging"},
		{call: "s3.TagResource"},
		{call: "s3.UntagResource"},
		{call: "s3.PutBucketVersioning"},
		{call: "s3.PutPublicAccessBlock", actions: []string{"s3:PutBucketPublicAccessBlock"}},
		{call: "s3.PutBucketEncryption", actions: []string{"s3:PutEncryptionConfiguration"}},
		{call: "s3.GetBucketOwnershipControls"},
		{call: "s3.PutBucketOwnershipControls"},
		{call: "s3.GetBucketPolicy"},
		{call: "s3.PutBucketPolicy"},
		{call: "s3.DeleteBucketPolicy"},
		{call: "s3.GetBucketLifecycleConfiguration", actions: []string{"s3:GetLifecycleConfiguration"}},
		{call: "s3.PutBucketLifecycleConfiguration", actions: []string{"s3:PutLifecycleConfiguration"}},
		{call: "s3.DeleteBucketLifecycle", actions: []string{"s3:PutLifecycleConfiguration"}},
		{call: "s3.GetBucketCors", actions: []string{"s3:GetBucketCORS"}},
		{call: "s3.PutBucketCors", actions: []string{"s3:PutBucketCORS"}},
		{call: "s3.DeleteBucketCors", actions: []string{"s3:PutBucketCORS"}},
		{call: "s3.DeleteBucket", destroy: true},
	}
}
