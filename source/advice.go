package source

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/resource"
)

// terraformAttribute maps an attribute's name in Terraform to the kind's own.
func terraformAttribute(name string, names []string) (string, bool) {
	for _, row := range [...][2]string{
		{"cidr_block", "cidr"},
		{"availability_zone", "zone"},
		{"instance_type", "size"},
		{"instance_class", "size"},
		{"ami", "image"},
		{"vpc_id", "vpc"},
		{"subnet_id", "subnet"},
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
	} {
		if row[0] == name && slices.Contains(names, row[1]) {
			return row[1], true
		}
	}
	return "", false
}

// otherTools maps a key that other tools have beside a resource's attributes to the key that does
// the same, if the source has it.
func otherTools(name string, keys []string) string {
	for _, row := range [...][3]string{
		{"needs", "depends_on"},
		{"dependsOn", "depends_on"},
		{"requires", "depends_on"},
		{"lifecycle", "blessed", "blessed: true to prevent every action, replace: create-first, or ignore: [ATTRIBUTE]"},
		{"prevent_destroy", "blessed", "blessed: true, which prevents every action"},
		{"create_before_destroy", "replace", "replace: create-first"},
		{"ignore_changes", "ignore"},
		{"for_each", "count", "count, or one block for each"},
		{"labels", "tags"},
	} {
		if row[0] == name && slices.Contains(keys, row[1]) {
			return cmp.Or(row[2], row[1])
		}
	}
	return ""
}

// rule tells what an attribute can be, without any value.
func rule(a *resource.Attribute) string {
	switch {
	case a == nil:
		return "see `ovi kinds`"
	case len(a.Enum) > 0:
		return "use one of " + strings.Join(a.Enum, ", ")
	case a.Min != nil && a.Type == resource.TInt:
		return "use a number " + between(a)
	case a.Example != "":
		return forExample(cmp.Or(a.Name, "an element"), a.Example)
	case a.Pattern != "":
		return "use a value that matches " + a.Pattern
	}
	if a.Type == resource.TString {
		return "see `ovi kinds`"
	}
	return "use " + a.Type.String()
}

// sourceOf returns where a secret came from; empty if a part of it is written in the configuration.
func sourceOf(n *Node) string {
	if n.Parts == nil || len(*n.Parts) != 1 {
		return ""
	}
	return (*n.Parts)[0].From
}

func between(a *resource.Attribute) string {
	switch {
	case a.Max == nil:
		return fmt.Sprintf("of at least %d", *a.Min)
	case a.Min == nil:
		return fmt.Sprintf("of at most %d", *a.Max)
	}
	return fmt.Sprintf("from %d to %d", *a.Min, *a.Max)
}

func such(a *resource.Attribute) string {
	if a.Example == "" {
		return ""
	}
	return ", for example " + a.Example
}

func forExample(word, example string) string {
	if example == "" {
		return ""
	}
	return "for example, " + word + ": " + example
}
