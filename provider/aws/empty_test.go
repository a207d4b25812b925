package aws_test

import (
	"testing"

	"github.com/ovi-project/ovi/resource"
)

func TestNoFirewallAtAllIsNoWish(t *testing.T) {
	for _, kind := range []string{"ec2", "rds"} {
		size := text("t3.micro")
		if kind == "rds" {
			size = text("db.t3.micro")
		}
		a := resource.AttrsOf(values{"size": size, "security_groups": resource.List{}})
		if _, problems := resource.Check(kindOf(t, kind), a); len(problems) != 1 || problems[0].Path != "security_groups" {
			t.Errorf("%s: AWS puts the default group around it, and that would be drift for ever: %+v", kind, problems)
		}
	}
}
