package rules_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/resource/rules"
)

func TestBudgets(t *testing.T) {
	t.Parallel()
	for in, c := range map[string]struct {
		n, owned int
		allowed  bool
	}{
		"10":   {10, 10, true},
		"0":    {1, 10, false},
		" 9 ":  {10, 1000, false},
		"10%":  {1, 10, true},
		"11%":  {2, 10, false},
		"10 %": {1, 9, false},
		"33%":  {1, 3, false},
		"100%": {9, 9, true},
		"0%":   {0, 0, true},
	} {
		b, err := rules.ParseBudget(in)
		if err != nil || b.Allows(c.n, c.owned) != c.allowed {
			t.Errorf("%q: %d of %d allowed: %v, %v; want %v", in, c.n, c.owned, b.Allows(c.n, c.owned), err, c.allowed)
		}
		if again, err := rules.ParseBudget(b.String()); err != nil || again != b {
			t.Errorf("%q comes back as %v, %v", in, again, err)
		}
	}
	for _, in := range []string{"", "-1", "ten", "101%", "%", "1.5", "10%%"} {
		if b, err := rules.ParseBudget(in); err == nil {
			t.Errorf("%q is read as %v", in, b)
		}
	}
	if none := (rules.Budget{}); !none.Allows(1000, 1) || none.String() != "" {
		t.Error("the zero budget is a limit")
	}
}

func TestIgnoring(t *testing.T) {
	t.Parallel()
	r := rules.Rules{Ignore: []rules.Ignore{{Paths: []string{"tags.aws:*"}}, {Kind: "ec2", Paths: []string{"root_volume.*", "env"}}}}
	if d := cmp.Diff([]string{"tags.aws:*", "root_volume.*", "env"}, r.Ignored("ec2")); d != "" {
		t.Error(d)
	}
	for path, want := range map[string]bool{
		"tags.aws:autoscaling:groupName": true, "tags.aws:a/b/c": true, "tags.team": false, "root_volume.size": true,
		"root_volume": false, "env": true, "env.A.B": true, "envy": false,
	} {
		if got := rules.MatchPath(r.Ignored("ec2"), path); got != want {
			t.Errorf("%s ignored: %v, want %v", path, got, want)
		}
	}
	for pattern, ok := range map[string]bool{"a.b": true, "a*": true, "": false, "[a": false, "a/[b": false} {
		if err := rules.CheckPattern(pattern); (err == nil) != ok {
			t.Errorf("pattern %q: %v", pattern, err)
		}
	}
}
