package aws

import (
	"maps"

	"github.com/ovi-project/ovi/provider"
)

// terraformTypes are the resource types of Terraform's AWS provider, version 4 and later, whose
// resources or attributes the kinds have.
func terraformTypes() map[string]provider.Foreign {
	all := map[string]provider.Foreign{
		"aws_instance":       {Kind: kindEC2},
		"aws_ebs_volume":     {Kind: kindEBS},
		"aws_db_instance":    {Kind: kindRDS, ID: "identifier"}, // since version 5 the id is the resource id
		"aws_s3_bucket":      {Kind: kindS3, ID: "bucket"},
		"aws_vpc":            {Kind: kindVPC},
		"aws_subnet":         {Kind: kindSubnet},
		"aws_security_group": {Kind: kindGroup},

		"aws_internet_gateway":  {Kind: kindInternetGateway},
		"aws_route_table":       {Kind: kindRouteTable},
		"aws_eip":               {Kind: kindEIP},
		"aws_nat_gateway":       {Kind: kindNAT},
		"aws_db_subnet_group":   {Kind: kindDBSubnets},
		"aws_key_pair":          {Kind: kindKeyPair},
		"aws_iam_role":          {Kind: kindRole},
		"aws_launch_template":   {Kind: kindTemplate},
		"aws_autoscaling_group": {Kind: kindScaling},
		"aws_lb":                {Kind: kindBalancer},
		"aws_alb":               {Kind: kindBalancer},
		"aws_lb_target_group":   {Kind: kindTargets},
		"aws_alb_target_group":  {Kind: kindTargets},
		"aws_lb_listener":       {Kind: kindListener},
		"aws_alb_listener":      {Kind: kindListener},

		"aws_vpc_endpoint":               {Kind: kindEndpoint},
		"aws_db_parameter_group":         {Kind: kindDBParameters, ID: "name"},
		"aws_cloudwatch_log_group":       {Kind: kindLogs, ID: "name"},
		"aws_kms_key":                    {Kind: kindKMS, ID: "key_id"},
		"aws_kms_alias":                  {PartOf: kindKMS},
		"aws_secretsmanager_secret":      {Kind: kindSecret, ID: "arn"},
		"aws_acm_certificate":            {Kind: kindCertificate, ID: "arn"},
		"aws_acm_certificate_validation": {PartOf: kindCertificate},

		"aws_secretsmanager_secret_version": {PartOf: kindSecret},

		"aws_route53_zone":   {Kind: kindZone},
		"aws_route53_record": {Kind: kindRecord, ID: "zone_id/fqdn/type"},

		"aws_route": {PartOf: kindRouteTable},
		"aws_vpc_endpoint_route_table_association": {PartOf: kindEndpoint},
		"aws_vpc_endpoint_subnet_association":      {PartOf: kindEndpoint},
		"aws_route_table_association":              {PartOf: kindRouteTable},
		"aws_eip_association":                      {PartOf: kindEIP},
		"aws_internet_gateway_attachment":          {PartOf: kindInternetGateway},

		"aws_iam_instance_profile":       {PartOf: kindRole},
		"aws_iam_role_policy":            {PartOf: kindRole},
		"aws_iam_role_policy_attachment": {PartOf: kindRole},

		"aws_volume_attachment":               {PartOf: kindEBS},
		"aws_security_group_rule":             {PartOf: kindGroup},
		"aws_vpc_security_group_ingress_rule": {PartOf: kindGroup},
		"aws_vpc_security_group_egress_rule":  {PartOf: kindGroup},
	}
	maps.Copy(all, terraformInterfaces())
	maps.Copy(all, terraformBuckets())
	return all
}

func terraformInterfaces() map[string]provider.Foreign {
	return map[string]provider.Foreign{
		"aws_network_interface":               {Kind: kindInterface},
		"aws_network_interface_attachment":    {PartOf: kindInterface},
		"aws_network_interface_sg_attachment": {PartOf: kindInterface},
	}
}

// terraformBuckets are the parts of a bucket, which are resources of their own there.
func terraformBuckets() map[string]provider.Foreign {
	return map[string]provider.Foreign{
		"aws_s3_bucket_versioning":                           {PartOf: kindS3},
		"aws_s3_bucket_cors_configuration":                   {PartOf: kindS3},
		"aws_s3_bucket_lifecycle_configuration":              {PartOf: kindS3},
		"aws_s3_bucket_ownership_controls":                   {PartOf: kindS3},
		"aws_s3_bucket_policy":                               {PartOf: kindS3},
		"aws_s3_bucket_public_access_block":                  {PartOf: kindS3},
		"aws_s3_bucket_server_side_encryption_configuration": {PartOf: kindS3},
	}
}
