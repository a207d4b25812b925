package aws

import (
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/provider/aws/balance"
	"github.com/ovi-project/ovi/provider/aws/compute"
	"github.com/ovi-project/ovi/provider/aws/database"
	"github.com/ovi-project/ovi/provider/aws/dns"
	awsidentity "github.com/ovi-project/ovi/provider/aws/identity"
	"github.com/ovi-project/ovi/provider/aws/keys"
	"github.com/ovi-project/ovi/provider/aws/network"
)

// terraformTypes are the resource types of Terraform's AWS provider, version 4 and later, whose
// resources or attributes the kinds have. aws_alb and the types with its prefix are other names of
// the types of aws_lb.
func terraformTypes() map[string]provider.Foreign {
	all := map[string]provider.Foreign{
		"aws_instance":       {Kind: api.KindEC2},
		"aws_ebs_volume":     {Kind: api.KindEBS},
		"aws_db_instance":    {Kind: api.KindRDS, ID: "identifier"}, // since version 5 the id is the resource id
		"aws_s3_bucket":      {Kind: api.KindS3, ID: "bucket"},
		"aws_vpc":            {Kind: api.KindVPC},
		"aws_subnet":         {Kind: api.KindSubnet},
		"aws_security_group": {Kind: api.KindGroup},

		"aws_internet_gateway":  {Kind: network.KindInternetGateway},
		"aws_route_table":       {Kind: network.KindRouteTable},
		"aws_eip":               {Kind: network.KindEIP},
		"aws_nat_gateway":       {Kind: network.KindNAT},
		"aws_db_subnet_group":   {Kind: api.KindDBSubnets},
		"aws_key_pair":          {Kind: compute.KindKeyPair},
		"aws_iam_role":          {Kind: awsidentity.KindRole},
		"aws_launch_template":   {Kind: compute.KindTemplate},
		"aws_autoscaling_group": {Kind: compute.KindScaling},
		"aws_lb":                {Kind: balance.KindBalancer},
		"aws_alb":               {Kind: balance.KindBalancer},
		"aws_lb_target_group":   {Kind: balance.KindTargets},
		"aws_alb_target_group":  {Kind: balance.KindTargets},
		"aws_lb_listener":       {Kind: balance.KindListener},
		"aws_alb_listener":      {Kind: balance.KindListener},

		"aws_vpc_endpoint":               {Kind: network.KindEndpoint},
		"aws_db_parameter_group":         {Kind: database.KindDBParameters, ID: "name"},
		"aws_cloudwatch_log_group":       {Kind: keys.KindLogs, ID: "name"},
		"aws_kms_key":                    {Kind: keys.KindKMS, ID: "key_id"},
		"aws_kms_alias":                  {PartOf: keys.KindKMS},
		"aws_secretsmanager_secret":      {Kind: keys.KindSecret, ID: "arn"},
		"aws_acm_certificate":            {Kind: keys.KindCertificate, ID: "arn"},
		"aws_acm_certificate_validation": {PartOf: keys.KindCertificate},

		"aws_secretsmanager_secret_version": {PartOf: keys.KindSecret},

		"aws_route53_zone":   {Kind: dns.KindZone},
		"aws_route53_record": {Kind: dns.KindRecord, ID: "zone_id/fqdn/type"},

		"aws_route": {PartOf: network.KindRouteTable},
		"aws_vpc_endpoint_route_table_association": {PartOf: network.KindEndpoint},
		"aws_vpc_endpoint_subnet_association":      {PartOf: network.KindEndpoint},
		"aws_route_table_association":              {PartOf: network.KindRouteTable},
		"aws_eip_association":                      {PartOf: network.KindEIP},
		"aws_internet_gateway_attachment":          {PartOf: network.KindInternetGateway},

		"aws_iam_instance_profile":       {PartOf: awsidentity.KindRole},
		"aws_iam_role_policy":            {PartOf: awsidentity.KindRole},
		"aws_iam_role_policy_attachment": {PartOf: awsidentity.KindRole},

		"aws_network_interface":               {Kind: network.KindInterface},
		"aws_network_interface_attachment":    {PartOf: network.KindInterface},
		"aws_network_interface_sg_attachment": {PartOf: network.KindInterface},

		// the parts of a bucket, which are resources of their own there
		"aws_s3_bucket_versioning":                           {PartOf: api.KindS3},
		"aws_s3_bucket_cors_configuration":                   {PartOf: api.KindS3},
		"aws_s3_bucket_lifecycle_configuration":              {PartOf: api.KindS3},
		"aws_s3_bucket_ownership_controls":                   {PartOf: api.KindS3},
		"aws_s3_bucket_policy":                               {PartOf: api.KindS3},
		"aws_s3_bucket_public_access_block":                  {PartOf: api.KindS3},
		"aws_s3_bucket_server_side_encryption_configuration": {PartOf: api.KindS3},

		"aws_volume_attachment":               {PartOf: api.KindEBS},
		"aws_security_group_rule":             {PartOf: api.KindGroup},
		"aws_vpc_security_group_ingress_rule": {PartOf: api.KindGroup},
		"aws_vpc_security_group_egress_rule":  {PartOf: api.KindGroup},
	}
	all["aws_iam_policy_document"] = policyDocument()
	return withCode(all)
}

// policyDocument is the data source that writes policies. Version and Effect have the defaults of
// the data source, because a policy of ovi states both.
func policyDocument() provider.Foreign {
	return provider.Foreign{Document: map[string]string{
		"version": "Version=2012-10-17", "policy_id": "Id",
		"statement": "Statement[]", "statement.sid": "Sid", "statement.effect": "Effect=Allow",
		"statement.actions": "Action", "statement.not_actions": "NotAction",
		"statement.resources": "Resource", "statement.not_resources": "NotResource",
		"statement.principals":     "Principal{type}=identifiers",
		"statement.not_principals": "NotPrincipal{type}=identifiers",
		"statement.condition":      "Condition{test}{variable}=values",
	}}
}
