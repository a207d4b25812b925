package terms_test

import (
	"testing"

	"github.com/ovi-project/ovi/source/terms"
)

func TestTextsAreCompleted(t *testing.T) {
	t.Parallel()
	const (
		network = `[0-9a-fA-F.:]+/[0-9]{1,3}`
		service = `[a-z0-9.-]+\.amazonaws\.com(\.cn)?`
		policy  = `arn:aws[a-z-]*:iam::(aws|[0-9]{12}):policy/.+`
	)
	for _, x := range []struct{ pattern, example, text, want string }{
		{network, `10.0.0.0/16`, "0.0.0.0", "0.0.0.0/0"},
		{network, `10.0.0.0/16`, "::", "::/0"},
		{network, `10.0.0.0/16`, "203.0.113.7", "203.0.113.7/32"},
		{network, `10.0.0.0/16`, "2001:db8::7", "2001:db8::7/128"},
		{network, `10.0.0.0/16`, "10.0.0.0", ""}, // the length cannot be known
		{network, `10.0.0.0/16`, "10.0", ""},
		{network, `10.0.0.0/16`, " 10.0.0.0/8", "10.0.0.0/8"},
		{network, `10.0.0.0/16`, "10.0.0.0/8", ""}, // it matches
		{service, `[ec2.amazonaws.com]`, "ec2", "ec2.amazonaws.com"},
		{service, `[ec2.amazonaws.com]`, "EC2.amazonaws.com", "ec2.amazonaws.com"},
		{policy, `["arn:aws:iam::aws:policy/ReadOnlyAccess", x]`, "AdministratorAccess", "arn:aws:iam::aws:policy/AdministratorAccess"},
		{`db\.[a-z0-9-]+\.[a-z0-9-]+`, "db.t3.micro", "t3.micro", "db.t3.micro"},
		{`[0-9]+`, "", "x", ""},
		{`(`, "", "x", ""},
		{`[0-9]+`, "", "", ""},
	} {
		if got := terms.Matching(x.pattern, x.example, x.text); got != x.want {
			t.Errorf("%q for %s: %q, want %q", x.text, x.pattern, got, x.want)
		}
	}
}

func TestEverydayNamesOfKinds(t *testing.T) {
	t.Parallel()
	kinds := []string{"autoscaling_group", "ec2", "load_balancer", "rds", "s3", "subnet"}
	for name, want := range map[string]string{
		"asg": "autoscaling_group", "lb": "load_balancer", "bucket": "s3", "instance": "ec2", "database": "rds",
		"aws_instance": "ec2", "aws_subnet": "subnet", "Load-Balancer": "load_balancer", "aws_lambda_function": "",
		"sg": "", // the provider has no such kind
	} {
		if got := terms.Kind(name, kinds); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
