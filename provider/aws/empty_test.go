package aws_test

import (
	"strings"
	"testing"

	"github.com/ovi-project/ovi/resource"
)

func TestAnEmptyListOfGroupsIsRefused(t *testing.T) {
	for _, kind := range []string{"ec2", "rds"} {
		size := text("t3.micro")
		if kind == "rds" {
			size = text("db.t3.micro")
		}
		a := resource.AttrsOf(values{"size": size, "security_groups": resource.List{}})
		if _, problems := resource.Check(kindOf(t, kind), a); len(problems) != 1 || problems[0].Path != "security_groups" {
			t.Errorf("%s: AWS applies the default group, and that would be permanent drift: %+v", kind, problems)
		}
	}
}

func TestNamesThatAWSAccepts(t *testing.T) {
	long := strings.Repeat("a", 63)
	for _, c := range []struct {
		kind, name string
		ok         bool
	}{
		{"rds", "db", true},
		{"rds", "d", true},
		{"rds", long, true},
		{"rds", long + "a", false},
		{"rds", "DB", false},
		{"rds", "db-", false},
		{"rds", "1db", false},
		{"s3", "acme.assets-1", true},
		{"s3", "ab", false},
		{"s3", long, true},
		{"s3", long + "a", false},
		{"s3", "Acme", false},
		{"s3", "-acme", false},
		{"ec2", "web-0", true},
		{"ec2", "Web_0.a", true},
		{"ec2", "web/0", false},
		{"ec2", "", false},
		{"ec2", "-web", false},
		{"security_group", "web servers", true},
		{"security_group", "web/x", false},
	} {
		checker, err := resource.NewChecker(kindOf(t, c.kind))
		if err != nil {
			t.Fatal(err)
		}
		if problems := checker.CheckName(c.name); (len(problems) == 0) != c.ok {
			t.Errorf("%s %q: %+v", c.kind, c.name, problems)
		}
	}
}
