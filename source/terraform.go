package source

import (
	"regexp"
	"strings"
)

// dotted matches a reference of Terraform: a root or a type, a name, and a path.
var dotted = regexp.MustCompile(`^([a-z][a-z0-9_]*)\.([A-Za-z0-9_-]+)((\.[A-Za-z0-9_\[\]]+)*)$`)

// AdviceForTerraform suggests how to write a reference of Terraform, such as aws_vpc.main.id. It returns "" for other
// texts. isKind reports whether the provider has a kind; it is nil where references to resources are not allowed.
func AdviceForTerraform(text string, isKind func(kind string) bool) string {
	m := dotted.FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	root, name, path := m[1], m[2], strings.TrimPrefix(m[3], ".")
	switch root {
	case "var":
		return "use ${vars." + name + "}"
	case "local":
		return "use ${locals." + name + "}"
	case "terraform":
		if name == "workspace" {
			return "use ${environment}, the name of the environment"
		}
	case "count":
		return "use ${index}, the number of the resource in a block with count"
	}
	if isKind == nil {
		return ""
	}
	switch root {
	case "data":
		return "add a block with lookup: and refer to it with ${KIND/NAME}"
	case "module":
		return "use ${use/" + name + ".OUTPUT}"
	case "self", "path", "terraform":
		return "write the value: " + root + " does not exist here"
	}
	kind := strings.TrimPrefix(root, "aws_")
	for _, row := range [...][2]string{
		{"instance", "ec2"},
		{"s3_bucket", "s3"},
		{"db_instance", "rds"},
		{"ebs_volume", "ebs"},
		{"lb", "load_balancer"},
		{"alb", "load_balancer"},
		{"lb_listener", "listener"},
		{"lb_target_group", "target_group"},
		{"route53_record", "dns_record"},
		{"route53_zone", "dns_zone"},
		{"acm_certificate", "certificate"},
		{"cloudwatch_log_group", "log_group"},
		{"secretsmanager_secret", "secret"},
	} {
		if row[0] == kind {
			kind = row[1]
		}
	}
	switch {
	case !isKind(kind):
		return ""
	case path == "" || path == "id" || path == "arn":
		return "use ${" + kind + "/" + name + "}"
	}
	return "use ${" + kind + "/" + name + "." + path + "}"
}

// bare matches the path of a variable, a local or an entry.
var bare = regexp.MustCompile(`^(vars|locals|each)(\.[A-Za-z_][A-Za-z0-9_]*)+$`)

// AsExpression suggests to write a path such as vars.size as an expression. It returns "" for other texts.
func AsExpression(text string) string {
	if !bare.MatchString(text) {
		return ""
	}
	return "use ${" + text + "}"
}

// dotSlash suggests KIND/NAME for KIND.NAME; "" for other texts.
func dotSlash(text string, isKind func(kind string) bool) string {
	kind, name, ok := strings.Cut(text, ".")
	if !ok || name == "" || !isKind(kind) {
		return ""
	}
	return "use " + kind + "/" + name
}
