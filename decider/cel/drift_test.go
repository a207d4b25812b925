package cel_test

import (
	"strings"
	"testing"

	"github.com/ovi-project/ovi/decider/cel"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/position"
	"github.com/ovi-project/ovi/resource/rules"
)

func TestDriftRules(t *testing.T) {
	d, err := cel.CompileDrift([]rules.Drift{
		{Kind: "rds", Path: "storage", When: "math.abs(new - old) <= 5"},
		{Path: "order", When: "old.all(x, x in new) && new.all(x, x in old)"},
		{Path: "tags.LastScan"},
		{Path: "broken", When: "old.nothing == 1"},
		{Path: "key", When: "old == new"},
		{Path: "name", When: "old.lowerAscii() == new.lowerAscii()"},
	})
	if err != nil {
		t.Fatal(err)
	}
	str := func(s string) resource.Value { return resource.String(s) }
	for name, c := range map[string]struct {
		kind string
		c    resource.Change
		want bool
	}{
		"within the tolerance":   {"rds", resource.Change{Path: "storage", From: resource.Int(20), To: resource.Int(24)}, true},
		"beyond the tolerance":   {"rds", resource.Change{Path: "storage", From: resource.Int(20), To: resource.Int(26)}, false},
		"of another kind":        {"ebs", resource.Change{Path: "storage", From: resource.Int(20), To: resource.Int(24)}, false},
		"nothing was there":      {"rds", resource.Change{Path: "storage", To: resource.Int(24)}, false},
		"another order":          {"ec2", resource.Change{Path: "order", From: resource.List{str("a"), str("b")}, To: resource.List{str("b"), str("a")}}, true},
		"another element":        {"ec2", resource.Change{Path: "order", From: resource.List{str("a"), str("b")}, To: resource.List{str("b"), str("c")}}, false},
		"a tag":                  {"ec2", resource.Change{On: resource.OnTag, Path: "tags.LastScan", From: str("1"), To: nil}, true},
		"another tag":            {"ec2", resource.Change{On: resource.OnTag, Path: "tags.team", From: str("1"), To: nil}, false},
		"a condition that fails": {"ec2", resource.Change{Path: "broken", From: resource.Int(1), To: resource.Int(2)}, false},
		"a secret":               {"ec2", resource.Change{Path: "key", From: resource.Digest("a"), To: resource.NewSecret("example", "b")}, false},
		"letter case":            {"ec2", resource.Change{Path: "name", From: str("Web"), To: str("web")}, true},
	} {
		if got := d.Ignores(c.kind, c.c); got != c.want {
			t.Errorf("%s: ignored %v, want %v", name, got, c.want)
		}
	}
	if none, err := cel.CompileDrift(nil); err != nil || none.Ignores("rds", resource.Change{Path: "storage"}) {
		t.Errorf("no rules ignore something: %v", err)
	}
	at := position.Position{File: "ovi.yaml", Line: 3, Column: 9}
	if _, err := cel.CompileDrift([]rules.Drift{{Path: "size", When: "odl == new", WhenAt: at}}); err == nil || !strings.Contains(err.Error(), "ovi.yaml:3:9") {
		t.Errorf("a condition with a typo: %v", err)
	}
}
