// Package terms knows what other tools call the things that a configuration has: Terraform's attributes and types, the
// keys of other formats, and everyday names of cloud resources. It advises; nothing is read under such a name.
package terms

import (
	"net/netip"
	"regexp"
	"slices"
	"strings"
)

// Attribute maps the name of an attribute in Terraform to the kind's own, one of names.
func Attribute(name string, names []string) (string, bool) {
	for _, row := range [...][2]string{
		{"cidr_block", "cidr"},
		{"cidr_blocks", "cidr"},
		{"ipv6_cidr_blocks", "cidr"},
		{"source_security_group_id", "security_group"},
		{"prefix_list_ids", "prefix_list"},
		{"availability_zone", "zone"},
		{"instance_type", "size"},
		{"instance_class", "size"},
		{"ami", "image"},
		{"vpc_id", "vpc"},
		{"subnet_id", "subnet"},
		{"subnet_ids", "subnets"},
		{"vpc_security_group_ids", "security_groups"},
		{"allocated_storage", "storage"},
		{"instance_id", "attach_to"},
		{"root_block_device", "root_volume"},
		{"http_put_response_hop_limit", "imds_hop_limit"},
		{"backup_retention_period", "backup_days"},
		{"auto_minor_version_upgrade", "minor_upgrades"},
		{"max_allocated_storage", "max_storage"},
		{"storage_throughput", "throughput"},
		{"kms_key_id", "kms_key"},
		{"object_ownership", "ownership"},
		{"snapshot_identifier", "snapshot"},
		{"preferred_backup_window", "backup_window"},
		{"preferred_maintenance_window", "maintenance_window"},
		{"db_subnet_group_name", "subnet_group"},
		{"parameter_group_name", "parameter_group"},
		{"db_name", "database"},
		{"publicly_accessible", "public"},
		{"network_interface_id", "network_interface"},
		{"private_ips", "private_ip"},
		{"iam_instance_profile", "iam_profile"},
		{"retention_in_days", "retention_days"},
		{"deletion_window_in_days", "deletion_window"},
		{"recovery_window_in_days", "recovery_window"},
		{"assign_generated_ipv6_cidr_block", "ipv6"},
		{"assign_ipv6_address_on_creation", "assign_ipv6"},
		{"load_balancer_arn", "load_balancer"},
		{"target_group_arn", "target_group"},
		{"certificate_arn", "certificate"},
		{"matcher", "codes"},
		{"healthy_threshold", "healthy"},
		{"unhealthy_threshold", "unhealthy"},
		{"status_code", "status"},
		{"managed_policy_arns", "managed_policies"},
	} {
		if row[0] == name && slices.Contains(names, row[1]) {
			return row[1], true
		}
	}
	return "", false
}

// Missing advises about an attribute that other tools have for a kind, and that is expressed in another way here. It
// returns "" for other names.
func Missing(kind, name string) string {
	if name == "dynamic" || strings.HasPrefix(name, "dynamic ") {
		return `give the attribute a list: ingress: "${LIST.map(x, {'port': x})}"`
	}
	for _, row := range [...][3]string{
		{"", "provisioner", "use user_data for commands at the first start, or an image that has run them"},
		{"", "identifier", "write it as the name of the block: name: NAME"},
		{"", "tags_all", "use tags of the file, which all its resources get"},
		{"rds", "manage_master_user_password", "omit password: it is generated then, and kept in a secret"},
		{"rds", "skip_final_snapshot", "use final_snapshot: false"},
		{"rds", "apply_immediately", "remove it: changes are applied at once"},
		{"s3", "acl", "remove it: a bucket is private; ownership and policy decide who else has access"},
		{"s3", "force_destroy", "remove it: a bucket with objects is never emptied; empty it before you delete it"},
		{"load_balancer", "listeners", "write a block for each: {type: listener, load_balancer: NAME, port: 80}"},
		{"load_balancer", "listener", "write a block: {type: listener, load_balancer: NAME, port: 80}"},
		{"load_balancer", "internal", "use scheme: internal"},
		{"listener", "default_action", "use target_group or redirect"},
		{"subnet", "route_table", "name the subnet in its route table: subnets: [NAME] in a block {type: route_table}"},
		{"ec2", "target_groups", "use an autoscaling_group, which registers its instances in its target_groups"},
		{"target_group", "targets", "set target_groups of an autoscaling_group, which registers its instances"},
		{"vpc", "subnets", "write a block for each: {type: subnet, vpc: NAME, cidr: 10.0.1.0/24}"},
	} {
		if (row[0] == "" || row[0] == kind) && row[1] == name {
			return row[2]
		}
	}
	return ""
}

// Key maps a key that other tools have next to the attributes of a resource to the one with the same effect; "" if keys
// has none.
func Key(name string, keys []string) string {
	for _, row := range [...][3]string{
		{"needs", "depends_on"},
		{"dependsOn", "depends_on"},
		{"requires", "depends_on"},
		{"lifecycle", "blessed", "blessed: true to prevent every action, replace: create-first, or ignore: [ATTRIBUTE]"},
		{"prevent_destroy", "blessed", "blessed: true, which prevents every action"},
		{"create_before_destroy", "replace", "replace: create-first"},
		{"ignore_changes", "ignore"},
		{"for_each", "count", "count, or one block for each"},
		{"enabled", "when", "when: CONDITION"},
		{"condition", "when", "when: CONDITION"},
		{"if", "when", "when: CONDITION"},
		{"labels", "tags"},
	} {
		if row[0] == name && slices.Contains(keys, row[1]) {
			if row[2] != "" {
				return row[2]
			}
			return row[1]
		}
	}
	return ""
}

// Kind maps an everyday name of a resource, or its type in Terraform, to one of kinds; "" if it has none.
func Kind(name string, kinds []string) string {
	name = strings.TrimPrefix(strings.ToLower(strings.ReplaceAll(name, "-", "_")), "aws_")
	for _, row := range [...][2]string{
		{"instance", "ec2"},
		{"vm", "ec2"},
		{"server", "ec2"},
		{"ec2_instance", "ec2"},
		{"bucket", "s3"},
		{"s3_bucket", "s3"},
		{"database", "rds"},
		{"db", "rds"},
		{"db_instance", "rds"},
		{"volume", "ebs"},
		{"disk", "ebs"},
		{"ebs_volume", "ebs"},
		{"asg", "autoscaling_group"},
		{"lb", "load_balancer"},
		{"alb", "load_balancer"},
		{"nlb", "load_balancer"},
		{"elb", "load_balancer"},
		{"lb_listener", "listener"},
		{"lb_target_group", "target_group"},
		{"tg", "target_group"},
		{"sg", "security_group"},
		{"igw", "internet_gateway"},
		{"nat", "nat_gateway"},
		{"network", "vpc"},
		{"role", "iam_role"},
		{"lt", "launch_template"},
		{"keypair", "key_pair"},
		{"key", "kms_key"},
		{"zone", "dns_zone"},
		{"route53_zone", "dns_zone"},
		{"record", "dns_record"},
		{"route53_record", "dns_record"},
		{"cert", "certificate"},
		{"acm_certificate", "certificate"},
		{"cloudwatch_log_group", "log_group"},
		{"secretsmanager_secret", "secret"},
	} {
		if row[0] == name && slices.Contains(kinds, row[1]) {
			return row[1]
		}
	}
	if slices.Contains(kinds, name) {
		return name
	}
	return ""
}

// Matching completes a text that a whole pattern does not match: a network without its length, or a text that lacks the
// beginning or the end of the example, which is written as in a configuration. It returns "" if no completion matches.
func Matching(pattern, example, text string) string {
	whole, err := regexp.Compile("^(?:" + pattern + ")$")
	if err != nil || text == "" || whole.MatchString(text) {
		return ""
	}
	example, _, _ = strings.Cut(strings.Trim(example, `[]"'`), ",")
	tries := []string{strings.TrimSpace(text), strings.ToLower(text), network(text)}
	if i := strings.LastIndexByte(example, '/'); i >= 0 {
		tries = append(tries, example[:i+1]+text)
	} else if i := strings.IndexByte(example, '.'); i >= 0 && strings.Contains(text, ".") {
		tries = append(tries, example[:i+1]+text)
	} else if strings.Count(example, ".") > 1 { // a domain
		tries = append(tries, text+example[i:])
	}
	for _, try := range tries {
		if try != text && try != "" && whole.MatchString(try) {
			return try
		}
	}
	return ""
}

// network completes an address to a network: everything for the unspecified address, one address for a host. The length
// of a network, such as 10.0.0.0, cannot be guessed.
func network(address string) string {
	a, err := netip.ParseAddr(address)
	switch {
	case err != nil || a.Zone() != "":
		return ""
	case a.IsUnspecified():
		return address + "/0"
	}
	if b := a.AsSlice(); b[len(b)-1] == 0 {
		return ""
	}
	return netip.PrefixFrom(a, a.BitLen()).String()
}
