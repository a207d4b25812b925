package api

import (
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

type ec2Calls struct {
	AssociateIamInstanceProfile call[ec2.AssociateIamInstanceProfileInput,
		ec2.AssociateIamInstanceProfileOutput, ec2.Options]
	AssociateSubnetCidrBlock call[ec2.AssociateSubnetCidrBlockInput, ec2.AssociateSubnetCidrBlockOutput,
		ec2.Options]
	AssociateVpcCidrBlock call[ec2.AssociateVpcCidrBlockInput, ec2.AssociateVpcCidrBlockOutput,
		ec2.Options]
	AttachVolume                 call[ec2.AttachVolumeInput, ec2.AttachVolumeOutput, ec2.Options]
	AuthorizeSecurityGroupEgress call[ec2.AuthorizeSecurityGroupEgressInput,
		ec2.AuthorizeSecurityGroupEgressOutput, ec2.Options]
	AuthorizeSecurityGroupIngress call[ec2.AuthorizeSecurityGroupIngressInput,
		ec2.AuthorizeSecurityGroupIngressOutput, ec2.Options]
	CancelSpotInstanceRequests call[ec2.CancelSpotInstanceRequestsInput, ec2.CancelSpotInstanceRequestsOutput,
		ec2.Options]
	CreateSecurityGroup                    call[ec2.CreateSecurityGroupInput, ec2.CreateSecurityGroupOutput, ec2.Options]
	CreateSubnet                           call[ec2.CreateSubnetInput, ec2.CreateSubnetOutput, ec2.Options]
	CreateTags                             call[ec2.CreateTagsInput, ec2.CreateTagsOutput, ec2.Options]
	CreateVolume                           call[ec2.CreateVolumeInput, ec2.CreateVolumeOutput, ec2.Options]
	CreateVpc                              call[ec2.CreateVpcInput, ec2.CreateVpcOutput, ec2.Options]
	DeleteSecurityGroup                    call[ec2.DeleteSecurityGroupInput, ec2.DeleteSecurityGroupOutput, ec2.Options]
	DeleteSubnet                           call[ec2.DeleteSubnetInput, ec2.DeleteSubnetOutput, ec2.Options]
	DeleteTags                             call[ec2.DeleteTagsInput, ec2.DeleteTagsOutput, ec2.Options]
	DeleteVolume                           call[ec2.DeleteVolumeInput, ec2.DeleteVolumeOutput, ec2.Options]
	DeleteVpc                              call[ec2.DeleteVpcInput, ec2.DeleteVpcOutput, ec2.Options]
	DescribeIamInstanceProfileAssociations call[ec2.DescribeIamInstanceProfileAssociationsInput,
		ec2.DescribeIamInstanceProfileAssociationsOutput, ec2.Options]
	DescribeImages            call[ec2.DescribeImagesInput, ec2.DescribeImagesOutput, ec2.Options]
	DescribeInstanceAttribute call[ec2.DescribeInstanceAttributeInput, ec2.DescribeInstanceAttributeOutput,
		ec2.Options]
	DescribeInstances      call[ec2.DescribeInstancesInput, ec2.DescribeInstancesOutput, ec2.Options]
	DescribeInstanceStatus call[ec2.DescribeInstanceStatusInput, ec2.DescribeInstanceStatusOutput,
		ec2.Options]
	DescribeInstanceTypeOfferings call[ec2.DescribeInstanceTypeOfferingsInput,
		ec2.DescribeInstanceTypeOfferingsOutput, ec2.Options]
	DescribeSecurityGroupRules call[ec2.DescribeSecurityGroupRulesInput, ec2.DescribeSecurityGroupRulesOutput,
		ec2.Options]
	DescribeSecurityGroups call[ec2.DescribeSecurityGroupsInput, ec2.DescribeSecurityGroupsOutput,
		ec2.Options]
	DescribeSubnets              call[ec2.DescribeSubnetsInput, ec2.DescribeSubnetsOutput, ec2.Options]
	DescribeVolumes              call[ec2.DescribeVolumesInput, ec2.DescribeVolumesOutput, ec2.Options]
	DescribeVolumesModifications call[ec2.DescribeVolumesModificationsInput,
		ec2.DescribeVolumesModificationsOutput, ec2.Options]
	DescribeVpcs                   call[ec2.DescribeVpcsInput, ec2.DescribeVpcsOutput, ec2.Options]
	DetachVolume                   call[ec2.DetachVolumeInput, ec2.DetachVolumeOutput, ec2.Options]
	DisassociateIamInstanceProfile call[ec2.DisassociateIamInstanceProfileInput,
		ec2.DisassociateIamInstanceProfileOutput, ec2.Options]
	DisassociateSubnetCidrBlock call[ec2.DisassociateSubnetCidrBlockInput,
		ec2.DisassociateSubnetCidrBlockOutput, ec2.Options]
	DisassociateVpcCidrBlock call[ec2.DisassociateVpcCidrBlockInput, ec2.DisassociateVpcCidrBlockOutput,
		ec2.Options]
	ModifyInstanceAttribute call[ec2.ModifyInstanceAttributeInput, ec2.ModifyInstanceAttributeOutput,
		ec2.Options]
	ModifySecurityGroupRules call[ec2.ModifySecurityGroupRulesInput, ec2.ModifySecurityGroupRulesOutput,
		ec2.Options]
	ModifyInstanceMetadataOptions call[ec2.ModifyInstanceMetadataOptionsInput,
		ec2.ModifyInstanceMetadataOptionsOutput, ec2.Options]
	ModifySubnetAttribute call[ec2.ModifySubnetAttributeInput, ec2.ModifySubnetAttributeOutput,
		ec2.Options]
	ModifyVolume                         call[ec2.ModifyVolumeInput, ec2.ModifyVolumeOutput, ec2.Options]
	ModifyVpcAttribute                   call[ec2.ModifyVpcAttributeInput, ec2.ModifyVpcAttributeOutput, ec2.Options]
	ReplaceIamInstanceProfileAssociation call[ec2.ReplaceIamInstanceProfileAssociationInput,
		ec2.ReplaceIamInstanceProfileAssociationOutput, ec2.Options]
	RevokeSecurityGroupEgress call[ec2.RevokeSecurityGroupEgressInput, ec2.RevokeSecurityGroupEgressOutput,
		ec2.Options]
	RevokeSecurityGroupIngress call[ec2.RevokeSecurityGroupIngressInput, ec2.RevokeSecurityGroupIngressOutput,
		ec2.Options]
	RunInstances       call[ec2.RunInstancesInput, ec2.RunInstancesOutput, ec2.Options]
	StartInstances     call[ec2.StartInstancesInput, ec2.StartInstancesOutput, ec2.Options]
	StopInstances      call[ec2.StopInstancesInput, ec2.StopInstancesOutput, ec2.Options]
	TerminateInstances call[ec2.TerminateInstancesInput, ec2.TerminateInstancesOutput, ec2.Options]

	routingCalls
	launchCalls
}

// launchCalls are the API calls of launch templates and key pairs.
type launchCalls struct {
	CreateLaunchTemplate        call[ec2.CreateLaunchTemplateInput, ec2.CreateLaunchTemplateOutput, ec2.Options]
	CreateLaunchTemplateVersion call[ec2.CreateLaunchTemplateVersionInput, ec2.CreateLaunchTemplateVersionOutput,
		ec2.Options]
	DeleteLaunchTemplate           call[ec2.DeleteLaunchTemplateInput, ec2.DeleteLaunchTemplateOutput, ec2.Options]
	DescribeLaunchTemplates        call[ec2.DescribeLaunchTemplatesInput, ec2.DescribeLaunchTemplatesOutput, ec2.Options]
	DescribeLaunchTemplateVersions call[ec2.DescribeLaunchTemplateVersionsInput, ec2.DescribeLaunchTemplateVersionsOutput,
		ec2.Options]
	ModifyLaunchTemplate call[ec2.ModifyLaunchTemplateInput, ec2.ModifyLaunchTemplateOutput, ec2.Options]
	DeleteKeyPair        call[ec2.DeleteKeyPairInput, ec2.DeleteKeyPairOutput, ec2.Options]
	DescribeKeyPairs     call[ec2.DescribeKeyPairsInput, ec2.DescribeKeyPairsOutput, ec2.Options]
	ImportKeyPair        call[ec2.ImportKeyPairInput, ec2.ImportKeyPairOutput, ec2.Options]
}

// routingCalls are the API calls of routes, gateways and endpoints of a VPC.
type routingCalls struct {
	AllocateAddress          call[ec2.AllocateAddressInput, ec2.AllocateAddressOutput, ec2.Options]
	AssociateAddress         call[ec2.AssociateAddressInput, ec2.AssociateAddressOutput, ec2.Options]
	AssociateRouteTable      call[ec2.AssociateRouteTableInput, ec2.AssociateRouteTableOutput, ec2.Options]
	AttachInternetGateway    call[ec2.AttachInternetGatewayInput, ec2.AttachInternetGatewayOutput, ec2.Options]
	CreateInternetGateway    call[ec2.CreateInternetGatewayInput, ec2.CreateInternetGatewayOutput, ec2.Options]
	CreateNatGateway         call[ec2.CreateNatGatewayInput, ec2.CreateNatGatewayOutput, ec2.Options]
	CreateVpcEndpoint        call[ec2.CreateVpcEndpointInput, ec2.CreateVpcEndpointOutput, ec2.Options]
	DeleteVpcEndpoints       call[ec2.DeleteVpcEndpointsInput, ec2.DeleteVpcEndpointsOutput, ec2.Options]
	DescribeVpcEndpoints     call[ec2.DescribeVpcEndpointsInput, ec2.DescribeVpcEndpointsOutput, ec2.Options]
	ModifyVpcEndpoint        call[ec2.ModifyVpcEndpointInput, ec2.ModifyVpcEndpointOutput, ec2.Options]
	CreateRoute              call[ec2.CreateRouteInput, ec2.CreateRouteOutput, ec2.Options]
	CreateRouteTable         call[ec2.CreateRouteTableInput, ec2.CreateRouteTableOutput, ec2.Options]
	DeleteInternetGateway    call[ec2.DeleteInternetGatewayInput, ec2.DeleteInternetGatewayOutput, ec2.Options]
	DeleteNatGateway         call[ec2.DeleteNatGatewayInput, ec2.DeleteNatGatewayOutput, ec2.Options]
	DeleteRoute              call[ec2.DeleteRouteInput, ec2.DeleteRouteOutput, ec2.Options]
	DeleteRouteTable         call[ec2.DeleteRouteTableInput, ec2.DeleteRouteTableOutput, ec2.Options]
	DescribeAddresses        call[ec2.DescribeAddressesInput, ec2.DescribeAddressesOutput, ec2.Options]
	DescribeInternetGateways call[ec2.DescribeInternetGatewaysInput, ec2.DescribeInternetGatewaysOutput, ec2.Options]
	DescribeNatGateways      call[ec2.DescribeNatGatewaysInput, ec2.DescribeNatGatewaysOutput, ec2.Options]
	DescribeRouteTables      call[ec2.DescribeRouteTablesInput, ec2.DescribeRouteTablesOutput, ec2.Options]
	DetachInternetGateway    call[ec2.DetachInternetGatewayInput, ec2.DetachInternetGatewayOutput, ec2.Options]
	DisassociateAddress      call[ec2.DisassociateAddressInput, ec2.DisassociateAddressOutput, ec2.Options]
	DisassociateRouteTable   call[ec2.DisassociateRouteTableInput, ec2.DisassociateRouteTableOutput, ec2.Options]
	ReleaseAddress           call[ec2.ReleaseAddressInput, ec2.ReleaseAddressOutput, ec2.Options]
	ReplaceRoute             call[ec2.ReplaceRouteInput, ec2.ReplaceRouteOutput, ec2.Options]

	AttachNetworkInterface    call[ec2.AttachNetworkInterfaceInput, ec2.AttachNetworkInterfaceOutput, ec2.Options]
	CreateNetworkInterface    call[ec2.CreateNetworkInterfaceInput, ec2.CreateNetworkInterfaceOutput, ec2.Options]
	DeleteNetworkInterface    call[ec2.DeleteNetworkInterfaceInput, ec2.DeleteNetworkInterfaceOutput, ec2.Options]
	DescribeNetworkInterfaces call[ec2.DescribeNetworkInterfacesInput, ec2.DescribeNetworkInterfacesOutput,
		ec2.Options]
	DetachNetworkInterface          call[ec2.DetachNetworkInterfaceInput, ec2.DetachNetworkInterfaceOutput, ec2.Options]
	ModifyNetworkInterfaceAttribute call[ec2.ModifyNetworkInterfaceAttributeInput,
		ec2.ModifyNetworkInterfaceAttributeOutput, ec2.Options]
}

type rdsCalls struct {
	AddTagsToResource        call[rds.AddTagsToResourceInput, rds.AddTagsToResourceOutput, rds.Options]
	CreateDBInstance         call[rds.CreateDBInstanceInput, rds.CreateDBInstanceOutput, rds.Options]
	DeleteDBInstance         call[rds.DeleteDBInstanceInput, rds.DeleteDBInstanceOutput, rds.Options]
	DescribeDBEngineVersions call[rds.DescribeDBEngineVersionsInput, rds.DescribeDBEngineVersionsOutput,
		rds.Options]
	DescribeDBInstances             call[rds.DescribeDBInstancesInput, rds.DescribeDBInstancesOutput, rds.Options]
	DescribeDBSnapshots             call[rds.DescribeDBSnapshotsInput, rds.DescribeDBSnapshotsOutput, rds.Options]
	DescribeDBSubnetGroups          call[rds.DescribeDBSubnetGroupsInput, rds.DescribeDBSubnetGroupsOutput, rds.Options]
	ModifyDBInstance                call[rds.ModifyDBInstanceInput, rds.ModifyDBInstanceOutput, rds.Options]
	RemoveTagsFromResource          call[rds.RemoveTagsFromResourceInput, rds.RemoveTagsFromResourceOutput, rds.Options]
	RestoreDBInstanceFromDBSnapshot call[rds.RestoreDBInstanceFromDBSnapshotInput,
		rds.RestoreDBInstanceFromDBSnapshotOutput, rds.Options]
	StartDBInstance call[rds.StartDBInstanceInput, rds.StartDBInstanceOutput, rds.Options]
	StopDBInstance  call[rds.StopDBInstanceInput, rds.StopDBInstanceOutput, rds.Options]

	CreateDBParameterGroup    call[rds.CreateDBParameterGroupInput, rds.CreateDBParameterGroupOutput, rds.Options]
	DeleteDBParameterGroup    call[rds.DeleteDBParameterGroupInput, rds.DeleteDBParameterGroupOutput, rds.Options]
	DescribeDBParameterGroups call[rds.DescribeDBParameterGroupsInput, rds.DescribeDBParameterGroupsOutput, rds.Options]
	DescribeDBParameters      call[rds.DescribeDBParametersInput, rds.DescribeDBParametersOutput, rds.Options]
	ModifyDBParameterGroup    call[rds.ModifyDBParameterGroupInput, rds.ModifyDBParameterGroupOutput, rds.Options]
	ResetDBParameterGroup     call[rds.ResetDBParameterGroupInput, rds.ResetDBParameterGroupOutput, rds.Options]

	CreateDBSubnetGroup call[rds.CreateDBSubnetGroupInput, rds.CreateDBSubnetGroupOutput, rds.Options]
	DeleteDBSubnetGroup call[rds.DeleteDBSubnetGroupInput, rds.DeleteDBSubnetGroupOutput, rds.Options]
	ListTagsForResource call[rds.ListTagsForResourceInput, rds.ListTagsForResourceOutput, rds.Options]
	ModifyDBSubnetGroup call[rds.ModifyDBSubnetGroupInput, rds.ModifyDBSubnetGroupOutput, rds.Options]
}

type s3Calls struct {
	CreateBucket         call[s3.CreateBucketInput, s3.CreateBucketOutput, s3.Options]
	DeleteBucket         call[s3.DeleteBucketInput, s3.DeleteBucketOutput, s3.Options]
	GetBucketAbac        call[s3.GetBucketAbacInput, s3.GetBucketAbacOutput, s3.Options]
	GetBucketEncryption  call[s3.GetBucketEncryptionInput, s3.GetBucketEncryptionOutput, s3.Options]
	GetBucketTagging     call[s3.GetBucketTaggingInput, s3.GetBucketTaggingOutput, s3.Options]
	GetBucketVersioning  call[s3.GetBucketVersioningInput, s3.GetBucketVersioningOutput, s3.Options]
	GetPublicAccessBlock call[s3.GetPublicAccessBlockInput, s3.GetPublicAccessBlockOutput, s3.Options]
	HeadBucket           call[s3.HeadBucketInput, s3.HeadBucketOutput, s3.Options]
	ListBuckets          call[s3.ListBucketsInput, s3.ListBucketsOutput, s3.Options]
	PutBucketEncryption  call[s3.PutBucketEncryptionInput, s3.PutBucketEncryptionOutput, s3.Options]
	PutBucketTagging     call[s3.PutBucketTaggingInput, s3.PutBucketTaggingOutput, s3.Options]
	PutBucketVersioning  call[s3.PutBucketVersioningInput, s3.PutBucketVersioningOutput, s3.Options]
	PutPublicAccessBlock call[s3.PutPublicAccessBlockInput, s3.PutPublicAccessBlockOutput, s3.Options]

	bucketCalls
}

func ec2CallsOf(c *ec2.Client) ec2Calls {
	return ec2Calls{
		AssociateIamInstanceProfile:            c.AssociateIamInstanceProfile,
		AssociateSubnetCidrBlock:               c.AssociateSubnetCidrBlock,
		AssociateVpcCidrBlock:                  c.AssociateVpcCidrBlock,
		AttachVolume:                           c.AttachVolume,
		AuthorizeSecurityGroupEgress:           c.AuthorizeSecurityGroupEgress,
		AuthorizeSecurityGroupIngress:          c.AuthorizeSecurityGroupIngress,
		CancelSpotInstanceRequests:             c.CancelSpotInstanceRequests,
		CreateSecurityGroup:                    c.CreateSecurityGroup,
		CreateSubnet:                           c.CreateSubnet,
		CreateTags:                             c.CreateTags,
		CreateVolume:                           c.CreateVolume,
		CreateVpc:                              c.CreateVpc,
		DeleteSecurityGroup:                    c.DeleteSecurityGroup,
		DeleteSubnet:                           c.DeleteSubnet,
		DeleteTags:                             c.DeleteTags,
		DeleteVolume:                           c.DeleteVolume,
		DeleteVpc:                              c.DeleteVpc,
		DescribeIamInstanceProfileAssociations: c.DescribeIamInstanceProfileAssociations,
		DescribeImages:                         c.DescribeImages,
		DescribeInstanceAttribute:              c.DescribeInstanceAttribute,
		DescribeInstances:                      c.DescribeInstances,
		DescribeInstanceStatus:                 c.DescribeInstanceStatus,
		DescribeInstanceTypeOfferings:          c.DescribeInstanceTypeOfferings,
		DescribeSecurityGroupRules:             c.DescribeSecurityGroupRules,
		DescribeSecurityGroups:                 c.DescribeSecurityGroups,
		DescribeSubnets:                        c.DescribeSubnets,
		DescribeVolumes:                        c.DescribeVolumes,
		DescribeVolumesModifications:           c.DescribeVolumesModifications,
		DescribeVpcs:                           c.DescribeVpcs,
		DetachVolume:                           c.DetachVolume,
		DisassociateIamInstanceProfile:         c.DisassociateIamInstanceProfile,
		DisassociateSubnetCidrBlock:            c.DisassociateSubnetCidrBlock,
		DisassociateVpcCidrBlock:               c.DisassociateVpcCidrBlock,
		ModifyInstanceAttribute:                withSecret(c.ModifyInstanceAttribute, changeHasSecret),
		ModifySecurityGroupRules:               c.ModifySecurityGroupRules,
		ModifyInstanceMetadataOptions:          c.ModifyInstanceMetadataOptions,
		ModifySubnetAttribute:                  c.ModifySubnetAttribute,
		ModifyVolume:                           c.ModifyVolume,
		ModifyVpcAttribute:                     c.ModifyVpcAttribute,
		ReplaceIamInstanceProfileAssociation:   c.ReplaceIamInstanceProfileAssociation,
		RevokeSecurityGroupEgress:              c.RevokeSecurityGroupEgress,
		RevokeSecurityGroupIngress:             c.RevokeSecurityGroupIngress,
		RunInstances:                           withSecret(c.RunInstances, runHasSecret),
		StartInstances:                         c.StartInstances,
		StopInstances:                          c.StopInstances,
		TerminateInstances:                     c.TerminateInstances,

		routingCalls: routingCallsOf(c),
		launchCalls:  launchCallsOf(c),
	}
}

func launchCallsOf(c *ec2.Client) launchCalls {
	return launchCalls{
		CreateLaunchTemplate:           withSecret(c.CreateLaunchTemplate, templateHasSecret),
		CreateLaunchTemplateVersion:    withSecret(c.CreateLaunchTemplateVersion, versionHasSecret),
		DeleteLaunchTemplate:           c.DeleteLaunchTemplate,
		DescribeLaunchTemplates:        c.DescribeLaunchTemplates,
		DescribeLaunchTemplateVersions: c.DescribeLaunchTemplateVersions,
		ModifyLaunchTemplate:           c.ModifyLaunchTemplate,
		DeleteKeyPair:                  c.DeleteKeyPair,
		DescribeKeyPairs:               c.DescribeKeyPairs,
		ImportKeyPair:                  c.ImportKeyPair,
	}
}

func routingCallsOf(c *ec2.Client) routingCalls {
	return routingCalls{
		AllocateAddress:          c.AllocateAddress,
		AssociateAddress:         c.AssociateAddress,
		AssociateRouteTable:      c.AssociateRouteTable,
		AttachInternetGateway:    c.AttachInternetGateway,
		CreateInternetGateway:    c.CreateInternetGateway,
		CreateNatGateway:         c.CreateNatGateway,
		CreateVpcEndpoint:        c.CreateVpcEndpoint,
		DeleteVpcEndpoints:       c.DeleteVpcEndpoints,
		DescribeVpcEndpoints:     c.DescribeVpcEndpoints,
		ModifyVpcEndpoint:        c.ModifyVpcEndpoint,
		CreateRoute:              c.CreateRoute,
		CreateRouteTable:         c.CreateRouteTable,
		DeleteInternetGateway:    c.DeleteInternetGateway,
		DeleteNatGateway:         c.DeleteNatGateway,
		DeleteRoute:              c.DeleteRoute,
		DeleteRouteTable:         c.DeleteRouteTable,
		DescribeAddresses:        c.DescribeAddresses,
		DescribeInternetGateways: c.DescribeInternetGateways,
		DescribeNatGateways:      c.DescribeNatGateways,
		DescribeRouteTables:      c.DescribeRouteTables,
		DetachInternetGateway:    c.DetachInternetGateway,
		DisassociateAddress:      c.DisassociateAddress,
		DisassociateRouteTable:   c.DisassociateRouteTable,
		ReleaseAddress:           c.ReleaseAddress,
		ReplaceRoute:             c.ReplaceRoute,

		AttachNetworkInterface:          c.AttachNetworkInterface,
		CreateNetworkInterface:          c.CreateNetworkInterface,
		DeleteNetworkInterface:          c.DeleteNetworkInterface,
		DescribeNetworkInterfaces:       c.DescribeNetworkInterfaces,
		DetachNetworkInterface:          c.DetachNetworkInterface,
		ModifyNetworkInterfaceAttribute: c.ModifyNetworkInterfaceAttribute,
	}
}

func rdsCallsOf(c *rds.Client) rdsCalls {
	return rdsCalls{
		AddTagsToResource:               c.AddTagsToResource,
		CreateDBInstance:                withSecret(c.CreateDBInstance, createHasSecret),
		DeleteDBInstance:                c.DeleteDBInstance,
		DescribeDBEngineVersions:        c.DescribeDBEngineVersions,
		DescribeDBSnapshots:             c.DescribeDBSnapshots,
		DescribeDBSubnetGroups:          c.DescribeDBSubnetGroups,
		DescribeDBInstances:             c.DescribeDBInstances,
		ModifyDBInstance:                withSecret(c.ModifyDBInstance, modifyHasSecret),
		RemoveTagsFromResource:          c.RemoveTagsFromResource,
		RestoreDBInstanceFromDBSnapshot: c.RestoreDBInstanceFromDBSnapshot,
		StartDBInstance:                 c.StartDBInstance,
		StopDBInstance:                  c.StopDBInstance,

		CreateDBParameterGroup:    c.CreateDBParameterGroup,
		DeleteDBParameterGroup:    c.DeleteDBParameterGroup,
		DescribeDBParameterGroups: c.DescribeDBParameterGroups,
		DescribeDBParameters:      c.DescribeDBParameters,
		ModifyDBParameterGroup:    c.ModifyDBParameterGroup,
		ResetDBParameterGroup:     c.ResetDBParameterGroup,

		CreateDBSubnetGroup: c.CreateDBSubnetGroup,
		DeleteDBSubnetGroup: c.DeleteDBSubnetGroup,
		ListTagsForResource: c.ListTagsForResource,
		ModifyDBSubnetGroup: c.ModifyDBSubnetGroup,
	}
}

func s3CallsOf(c *s3.Client) s3Calls {
	return s3Calls{
		CreateBucket:         c.CreateBucket,
		DeleteBucket:         c.DeleteBucket,
		GetBucketAbac:        c.GetBucketAbac,
		GetBucketEncryption:  c.GetBucketEncryption,
		GetBucketTagging:     c.GetBucketTagging,
		GetBucketVersioning:  c.GetBucketVersioning,
		GetPublicAccessBlock: c.GetPublicAccessBlock,
		HeadBucket:           c.HeadBucket,
		ListBuckets:          c.ListBuckets,
		PutBucketEncryption:  c.PutBucketEncryption,
		PutBucketTagging:     c.PutBucketTagging,
		PutBucketVersioning:  c.PutBucketVersioning,
		PutPublicAccessBlock: c.PutPublicAccessBlock,

		bucketCalls: bucketCallsOf(c),
	}
}
