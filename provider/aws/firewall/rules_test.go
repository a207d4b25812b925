package firewall

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ovi-project/ovi/internal/drawn"
	"github.com/ovi-project/ovi/resource"
)

// anyRule draws a rule in any of its written forms.
func anyRule(t *rapid.T) resource.Attrs {
	m := map[string]resource.Value{}
	protocol := rapid.SampledFrom([]string{"", "tcp", "udp", "6", "17", "icmp", "1", "icmpv6", "all", "-1", "47"}).Draw(t, "protocol")
	if protocol != "" {
		m["protocol"] = resource.String(protocol)
	}
	switch protocolName(protocol) {
	case "tcp", "udp", "":
		from := rapid.Int64Range(0, 65535).Draw(t, "from")
		if rapid.Bool().Draw(t, "one") {
			m["port"] = resource.Int(from)
		} else {
			m["from_port"], m["to_port"] = resource.Int(from), resource.Int(rapid.Int64Range(from, 65535).Draw(t, "to"))
		}
	case "icmp", "icmpv6":
		if rapid.Bool().Draw(t, "typed") {
			m["from_port"], m["to_port"] = resource.Int(rapid.Int64Range(0, 20).Draw(t, "type")), resource.Int(rapid.Int64Range(-1, 5).Draw(t, "code"))
		}
	}
	switch rapid.IntRange(0, 4).Draw(t, "side") {
	case 0:
		m["cidr"] = resource.String(rapid.SampledFrom([]string{"0.0.0.0/0", "10.1.2.3/8", "192.168.0.0/24"}).Draw(t, "v4"))
	case 1:
		m["cidr"] = resource.String(rapid.SampledFrom([]string{"::/0", "2001:DB8::1/32", "2001:db8:0::/48"}).Draw(t, "v6"))
	case 2:
		m["security_group"] = resource.String(rapid.SampledFrom([]string{"sg-1", "sg-2"}).Draw(t, "group"))
		if m["security_group"] == resource.String("sg-2") {
			m["account"] = resource.String("222222222222")
		}
	case 3:
		m["self"] = resource.Bool(true)
	case 4:
		m["prefix_list"] = resource.String("pl-1")
	}
	if d := rapid.SampledFrom([]string{"", "why", "a, b"}).Draw(t, "description"); d != "" {
		m["description"] = resource.String(d)
	}
	return resource.AttrsOf(m)
}

func TestRulesAreObservedAsConfigured(t *testing.T) {
	drawn.Check(t, func(t *rapid.T) {
		var desired resource.List
		for range rapid.IntRange(0, 8).Draw(t, "n") {
			rule, problems := canonicalRule(anyRule(t))
			if len(problems) > 0 {
				t.Fatalf("%v: %+v", rule, problems)
			}
			again, _ := canonicalRule(rule)
			if diff := cmp.Diff(rule, again); diff != "" {
				t.Fatalf("the canonical form changes when it is made again:\n%s", diff)
			}
			desired = append(desired, rule)
		}
		back := rulesOf(permissionsOf(desired, "sg-self"), "sg-self", "111111111111")
		if diff := cmp.Diff(ruleSet(desired), ruleSet(back)); diff != "" {
			t.Fatalf("(-configured +observed):\n%s", diff)
		}
	})
}

func TestDifferencesOfRulesAreApplied(t *testing.T) {
	drawn.Check(t, func(t *rapid.T) {
		a, b := rapid.SliceOfN(rapid.Custom(anyRule), 0, 6).Draw(t, "a"), rapid.SliceOfN(rapid.Custom(anyRule), 0, 6).Draw(t, "b")
		have, want := ruleSet(listOf(a)), ruleSet(listOf(b))
		after := append(minus(have, minus(have, want)), minus(want, have)...)
		if diff := cmp.Diff(want, sortedRules(after)); diff != "" {
			t.Fatalf("adding and removing does not lead to the configuration:\n%s", diff)
		}
	})
}

func listOf(rules []resource.Attrs) resource.List {
	out := resource.List{}
	for _, r := range rules {
		out = append(out, r)
	}
	return out
}
