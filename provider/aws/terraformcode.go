package aws

import (
	"maps"

	"github.com/ovi-project/ovi/provider"
)

// withCode adds the attributes of Terraform's source code to a table of its types.
func withCode(all map[string]provider.Foreign) map[string]provider.Foreign {
	for _, t := range []map[string]provider.Foreign{
		codeOfNetworks(), codeOfParts(), codeOfInstances(), codeOfDatabases(), codeOfBalancers(), codeOfNames(),
	} {
		for name, x := range t {
			row := all[name]
			row.Name, row.Attrs, row.Of, row.Into, row.Sets = x.Name, x.Attrs, x.Of, x.Into, x.Sets
			all[name] = row
		}
	}
	return all
}

// everyProtocol maps the protocol -1, by which EC2 means all protocols, to the word that ovi uses.
const everyProtocol = "protocol{-1:all}"

// codeOfNetworks are the types of networks and of DNS. A rule of a security group has the same
// attributes for both directions.
func codeOfNetworks() map[string]provider.Foreign {
	rule := func(list string) map[string]string {
		return map[string]string{
			list: list + "[]", list + ".from_port": "from_port", list + ".to_port": "to_port",
			list + ".protocol":    everyProtocol,
			list + ".cidr_blocks": "cidr*", list + ".ipv6_cidr_blocks": "cidr*", list + ".security_groups": "security_group*",
			list + ".prefix_list_ids": "prefix_list*", list + ".description": "description", list + ".self": "self",
		}
	}
	group := map[string]string{"vpc_id": "vpc"}
	maps.Copy(group, rule("ingress"))
	maps.Copy(group, rule("egress"))
	return map[string]provider.Foreign{
		"aws_vpc": {Attrs: map[string]string{
			"cidr_block": "cidr", "enable_dns_support": "dns_support", "enable_dns_hostnames": "dns_hostnames",
			"assign_generated_ipv6_cidr_block": "ipv6", "ipv6_cidr_block": "ipv6_cidr",
		}},
		"aws_subnet": {Attrs: map[string]string{
			"vpc_id": "vpc", "cidr_block": "cidr", "availability_zone": "zone", "map_public_ip_on_launch": "public_ip",
			"assign_ipv6_address_on_creation": "assign_ipv6",
		}},
		"aws_security_group":   {Attrs: group, Sets: map[string]any{"egress": []string{}}}, // without it, nothing may leave
		"aws_internet_gateway": {Attrs: map[string]string{"vpc_id": "vpc"}},
		"aws_nat_gateway": {Attrs: map[string]string{
			"subnet_id": "subnet", "allocation_id": "eip", "connectivity_type": "connectivity", "public_ip": "public_address",
			"private_ip": "private_address",
		}},
		"aws_eip": {Attrs: map[string]string{
			"instance": "attach_to", "network_interface": "network_interface", "public_ip": "public_address",
		}},
		"aws_network_interface": {Attrs: map[string]string{
			"subnet_id": "subnet", "security_groups": "security_groups", "private_ip": "private_ip",
			"attachment.instance": "attach_to", "attachment.device_index": "device_index",
		}},
		"aws_route_table": {Attrs: map[string]string{
			"vpc_id": "vpc", "route": "routes[]", "route.cidr_block": "cidr", "route.ipv6_cidr_block": "cidr",
			"route.gateway_id": "internet_gateway", "route.nat_gateway_id": "nat_gateway", "route.instance_id": "instance",
			"route.vpc_peering_connection_id": "vpc_peering", "route.transit_gateway_id": "transit_gateway",
		}},
		"aws_vpc_endpoint": {Attrs: map[string]string{
			"vpc_id": "vpc", "service_name": "service",
			"vpc_endpoint_type": "endpoint_type{Gateway:gateway,Interface:interface}",
			"route_table_ids":   "route_tables", "subnet_ids": "subnets", "security_group_ids": "security_groups",
			"private_dns_enabled": "private_dns",
		}},
		"aws_route53_zone": {Attrs: map[string]string{"name": "domain", "vpc.vpc_id": "vpc", ".zone_id": "{id}"}},
		"aws_route53_record": {Attrs: map[string]string{
			"zone_id": "zone", "name": "domain", "type": "record_type", "records": "values", "alias.name": "alias.dns_name",
			"alias.zone_id": "alias.zone_id", "alias.evaluate_target_health": "alias.check_health", "fqdn": "domain",
		}},
	}
}

// codeOfParts are the types that are attributes of a kind.
func codeOfParts() map[string]provider.Foreign {
	rule := map[string]string{
		"type": "", "from_port": "from_port", "to_port": "to_port", "protocol": everyProtocol, "cidr_blocks": "cidr*",
		"ipv6_cidr_blocks": "cidr*", "source_security_group_id": "security_group", "prefix_list_ids": "prefix_list*",
		"description": "description", "self": "self",
	}
	single := map[string]string{
		"from_port": "from_port", "to_port": "to_port", "ip_protocol": everyProtocol,
		"cidr_ipv4": "cidr", "cidr_ipv6": "cidr",
		"referenced_security_group_id": "security_group", "prefix_list_id": "prefix_list", "description": "description",
	}
	return map[string]provider.Foreign{
		"aws_security_group_rule":             {Of: "security_group_id", Into: "?", Attrs: rule},
		"aws_vpc_security_group_ingress_rule": {Of: "security_group_id", Into: "ingress", Attrs: single},
		"aws_vpc_security_group_egress_rule":  {Of: "security_group_id", Into: "egress", Attrs: single},
		"aws_route": {Of: "route_table_id", Into: "routes", Attrs: map[string]string{
			"destination_cidr_block": "cidr", "destination_ipv6_cidr_block": "cidr", "gateway_id": "internet_gateway",
			"nat_gateway_id": "nat_gateway", "instance_id": "instance", "transit_gateway_id": "transit_gateway",
			"vpc_peering_connection_id": "vpc_peering",
		}},
		"aws_route_table_association":    {Of: "route_table_id", Attrs: map[string]string{"subnet_id": "subnets+"}},
		"aws_eip_association":            {Of: "allocation_id", Attrs: map[string]string{"instance_id": "attach_to"}},
		"aws_iam_role_policy":            {Of: "role", Into: "policies{name}=policy"},
		"aws_iam_role_policy_attachment": {Of: "role", Attrs: map[string]string{"policy_arn": "managed_policies+"}},
		"aws_iam_instance_profile":       {Of: "role", Sets: map[string]any{"instance_profile": true}, Name: "name"},
		"aws_volume_attachment": {Of: "volume_id", Attrs: map[string]string{
			"instance_id": "attach_to", "device_name": "device",
		}},
		"aws_s3_bucket_policy":                {Of: "bucket", Attrs: map[string]string{"policy": "policy"}},
		"aws_vpc_endpoint_subnet_association": {Of: "vpc_endpoint_id", Attrs: map[string]string{"subnet_id": "subnets+"}},
		"aws_vpc_endpoint_route_table_association": {
			Of: "vpc_endpoint_id", Attrs: map[string]string{"route_table_id": "route_tables+"},
		},
		"aws_s3_bucket_versioning": {Of: "bucket", Attrs: map[string]string{
			"versioning_configuration.status": "versioning{Enabled:true,Suspended:false,Disabled:false}",
		}},
		"aws_s3_bucket_ownership_controls": {Of: "bucket", Attrs: map[string]string{"rule.object_ownership": "ownership"}},
		"aws_s3_bucket_server_side_encryption_configuration": {Of: "bucket", Attrs: map[string]string{
			"rule.apply_server_side_encryption_by_default.sse_algorithm":     "encryption",
			"rule.apply_server_side_encryption_by_default.kms_master_key_id": "kms_key",
		}},
		"aws_s3_bucket_public_access_block": {Of: "bucket", Attrs: map[string]string{
			"block_public_acls": "block_public_access", "block_public_policy": "block_public_access",
			"ignore_public_acls": "block_public_access", "restrict_public_buckets": "block_public_access",
		}},
		"aws_kms_alias": {Of: "target_key_id", Attrs: map[string]string{"name": "alias"}},
	}
}

// codeOfInstances are instances, volumes, templates and groups. The root volume has the same
// attributes in an instance and in a template.
func codeOfInstances() map[string]provider.Foreign {
	root := func(block string) map[string]string {
		return map[string]string{
			block + ".volume_size": "root_volume.size", block + ".volume_type": "root_volume.type",
			block + ".iops":       "root_volume.iops",
			block + ".throughput": "root_volume.throughput", block + ".encrypted": "root_volume.encrypted",
			block + ".kms_key_id": "root_volume.kms_key",
		}
	}
	instance := map[string]string{
		"ami": "image", "instance_type": "size", "subnet_id": "subnet", "vpc_security_group_ids": "security_groups",
		"availability_zone": "zone", "associate_public_ip_address": "public_ip", "iam_instance_profile": "iam_profile",
		"metadata_options.http_tokens": "imdsv2", "metadata_options.http_put_response_hop_limit": "imds_hop_limit",
		"disable_api_termination": "termination_protection", "public_ip": "public_address", ".private_ip": "private_address",
	}
	maps.Copy(instance, root("root_block_device"))
	template := map[string]string{
		"image_id": "image", "instance_type": "size", "vpc_security_group_ids": "security_groups",
		"iam_instance_profile.name": "iam_profile", "metadata_options.http_tokens": "imdsv2",
		"metadata_options.http_put_response_hop_limit": "imds_hop_limit", "latest_version": "version",
		"tag_specifications.tags": "instance_tags",
	}
	maps.Copy(template, root("block_device_mappings.ebs"))
	return map[string]provider.Foreign{
		"aws_instance": {Attrs: instance},
		"aws_ebs_volume": {Attrs: map[string]string{
			"type": "volume_type", "availability_zone": "zone", "kms_key_id": "kms_key", "snapshot_id": "snapshot",
		}},
		"aws_key_pair":        {Name: "key_name"},
		"aws_launch_template": {Name: "name", Attrs: template},
		"aws_autoscaling_group": {Name: "name", Attrs: map[string]string{
			"min_size": "min", "max_size": "max", "desired_capacity": "desired", "vpc_zone_identifier": "subnets",
			"target_group_arns": "target_groups", "health_check_grace_period": "health_check_grace",
			"launch_template.id": "launch_template", "launch_template.name": "launch_template",
			"launch_template.version": "template_version",
		}},
	}
}

// codeOfDatabases are databases and their groups. skip_final_snapshot is the opposite of
// final_snapshot, which the exclamation mark says.
func codeOfDatabases() map[string]provider.Foreign {
	return map[string]provider.Foreign{
		"aws_db_instance": {Name: "identifier", Attrs: map[string]string{
			"instance_class": "size", "availability_zone": "zone", "publicly_accessible": "public", "db_name": "database",
			"snapshot_identifier": "snapshot", "allocated_storage": "storage", "max_allocated_storage": "max_storage",
			"storage_throughput": "throughput", "storage_encrypted": "encrypted", "kms_key_id": "kms_key",
			"vpc_security_group_ids": "security_groups", "db_subnet_group_name": "subnet_group",
			"parameter_group_name": "parameter_group", "backup_retention_period": "backup_days",
			"auto_minor_version_upgrade": "minor_upgrades", "skip_final_snapshot": "final_snapshot!",
		}},
		"aws_db_subnet_group":    {Name: "name", Attrs: map[string]string{"subnet_ids": "subnets"}},
		"aws_db_parameter_group": {Name: "name"},
	}
}

// codeOfBalancers are load balancers with their listeners and targets, under both names of each
// type.
func codeOfBalancers() map[string]provider.Foreign {
	balancer := provider.Foreign{Name: "name", Attrs: map[string]string{
		".arn":     "{id}",
		"internal": "scheme=internal|internet-facing", "load_balancer_type": "balancer_type",
	}}
	targets := provider.Foreign{Name: "name", Attrs: map[string]string{
		".arn":   "{id}",
		"vpc_id": "vpc", "health_check.protocol": "health_check.protocol", "health_check.port": "health_check.port",
		"health_check.path": "health_check.path", "health_check.matcher": "health_check.codes",
		"health_check.interval": "health_check.interval", "health_check.timeout": "health_check.timeout",
		"health_check.healthy_threshold":   "health_check.healthy",
		"health_check.unhealthy_threshold": "health_check.unhealthy",
	}}
	listener := provider.Foreign{Attrs: map[string]string{
		".arn":              "{id}",
		"load_balancer_arn": "load_balancer", "certificate_arn": "certificate",
		"default_action.target_group_arn":  "target_group",
		"default_action.redirect.protocol": "redirect.protocol", "default_action.redirect.host": "redirect.host",
		"default_action.redirect.port": "redirect.port", "default_action.redirect.path": "redirect.path",
		"default_action.redirect.status_code": "redirect.status",
	}}
	return map[string]provider.Foreign{
		"aws_lb": balancer, "aws_alb": balancer, "aws_lb_target_group": targets, "aws_alb_target_group": targets,
		"aws_lb_listener": listener, "aws_alb_listener": listener,
	}
}

// codeOfNames are buckets, roles, logs, keys, secrets and certificates.
func codeOfNames() map[string]provider.Foreign {
	return map[string]provider.Foreign{
		"aws_s3_bucket": {Name: "bucket", Attrs: map[string]string{"bucket": "bucket", ".arn": "arn:aws:s3:::{id}"}},
		"aws_iam_role": {Name: "name", Attrs: map[string]string{
			"assume_role_policy": "trust", "managed_policy_arns": "managed_policies", "max_session_duration": "max_session",
			"inline_policy": "policies{name}=policy",
		}},
		"aws_cloudwatch_log_group": {Name: "name", Attrs: map[string]string{
			"name": "log_name", "retention_in_days": "retention_days", "kms_key_id": "kms_key", "log_group_class": "class",
		}},
		"aws_kms_key": {Attrs: map[string]string{
			"enable_key_rotation": "rotation", "rotation_period_in_days": "rotation_days",
			"deletion_window_in_days": "deletion_window",
		}},
		"aws_secretsmanager_secret": {Name: "name", Attrs: map[string]string{
			"name": "secret_name", "kms_key_id": "kms_key", "recovery_window_in_days": "recovery_window",
		}},
		"aws_secretsmanager_secret_version": {Of: "secret_id", Attrs: map[string]string{"secret_string": "value"}},
		"aws_acm_certificate": {Attrs: map[string]string{
			"domain_name": "domain", "subject_alternative_names": "alternatives",
		}},
	}
}
