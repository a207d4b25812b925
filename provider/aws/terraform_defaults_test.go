package aws_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/provider/aws"
	"github.com/ovi-project/ovi/resource"
)

// asElsewhere are the defaults that AWS or Terraform's provider has too, or whose attribute Terraform requires.
func asElsewhere() []string {
	return []string{
		"autoscaling_group health_check_type", "autoscaling_group template_version", "certificate key_algorithm",
		"db_parameter_group description", "db_parameter_group parameters", "db_subnet_group description",
		"dns_record ttl", "ebs device", "ec2 image", "ec2 root_volume", "ec2 termination_protection",
		"kms_key deletion_window", "kms_key description", "launch_template image", "launch_template root_volume",
		"listener protocol", "listener redirect.status", "load_balancer balancer_type", "load_balancer scheme",
		"log_group class", "nat_gateway connectivity", "network_interface device_index", "rds deletion_protection",
		"rds engine", "rds final_snapshot", "rds multi_az", "rds public", "rds storage", "rds username",
		"route_table routes", "route_table subnets", "s3 encryption", "s3 versioning", "secret pending_deletion",
		"secret recovery_window", "security_group description", "security_group egress", "security_group ingress",
		"security_group_rule direction", "subnet public_ip", "target_group protocol", "target_group target_type",
		"vpc_endpoint endpoint_type",
	}
}

// TestThePageOnTerraformHasTheDefaults holds the table of docs/adopt.md against the kinds. A new default is added to
// the table, or to asElsewhere.
func TestThePageOnTerraformHasTheDefaults(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/adopt.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "| kind | attribute | default of ovi |")
	table, _, _ = strings.Cut(table, "\n\n")
	var documented []string
	for _, line := range strings.Split(table, "\n")[2:] {
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		for kind := range strings.SplitSeq(cells[0], ", ") {
			documented = append(documented, strings.ReplaceAll(kind+" "+cells[1]+" = "+cells[2], "`", ""))
		}
	}
	var have []string
	for _, k := range aws.Kinds() {
		var visit func(prefix string, all []resource.Attribute)
		visit = func(prefix string, all []resource.Attribute) {
			for _, a := range all {
				value := a.CreateDefault
				if a.Default != nil {
					value = a.Default
				}
				if name := k.Name + " " + prefix + a.Name; value != nil && !slices.Contains(asElsewhere(), name) {
					have = append(have, fmt.Sprintf("%s = %v", name, value))
				}
				visit(prefix+a.Name+".", a.Fields)
			}
		}
		visit("", k.Attrs)
	}
	slices.Sort(documented)
	slices.Sort(have)
	if diff := cmp.Diff(have, documented); diff != "" {
		t.Errorf("docs/adopt.md (-kinds +page):\n%s", diff)
	}
}
