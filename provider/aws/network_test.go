package aws_test

import (
	"testing"

	"github.com/ovi-project/ovi/resource"
)

// network creates a VPC and a subnet.
func (w *liveState) network() (vpc, subnet resource.Observed) {
	w.t.Helper()
	vpc = w.make(desired(w.t, "vpc", "main", values{"cidr": text("10.0.0.0/16")}))
	subnet = w.make(desired(w.t, "subnet", "app", values{"vpc": text(vpc.ID), "cidr": text("10.0.1.0/24")}))
	return vpc, subnet
}

func TestVPC(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	d := desired(t, "vpc", "main", values{"cidr": text("10.0.0.0/16"), "dns_hostnames": resource.Bool(true)}, "team", "net")
	w.make(d)
	seen := w.settled(d, d.Attrs)

	d2 := desired(t, "vpc", "main", values{"cidr": text("10.0.0.0/16"), "dns_hostnames": resource.Bool(false)}, "team", "core")
	w.mustUpdate(d2, seen, d.Attrs)
	w.settled(d2, d2.Attrs)

	d3 := desired(t, "vpc", "main", values{"cidr": text("10.1.0.0/16")})
	if _, err := w.update(d3, seen, nil); !isReplace(err) {
		t.Errorf("a new cidr: %v, want ErrReplace", err)
	}
	if err := w.remove(seen); err != nil {
		t.Fatal(err)
	}
	if _, there := w.find(d.Ref); there {
		t.Error("it still exists")
	}
}

func TestSubnet(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	vpc, _ := w.network()
	d := desired(t, "subnet", "web", values{"vpc": text(vpc.ID), "cidr": text("10.0.2.0/24"), "zone": text("us-east-1b")})
	w.make(d)
	seen := w.settled(d, nil)
	d2 := desired(t, "subnet", "web", values{"vpc": text(vpc.ID), "cidr": text("10.0.2.0/24"), "public_ip": resource.Bool(true)})
	w.mustUpdate(d2, seen, nil)
	w.settled(d2, nil)
	if err := w.remove(seen); err != nil {
		t.Fatal(err)
	}
}

func rule(pairs ...any) resource.Attrs {
	m := values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		switch v := pairs[i+1].(type) {
		case string:
			m[pairs[i].(string)] = text(v)
		case int:
			m[pairs[i].(string)] = resource.Int(v)
		case bool:
			m[pairs[i].(string)] = resource.Bool(v)
		}
	}
	return resource.AttrsOf(m)
}

func TestSecurityGroupRulesInEveryForm(t *testing.T) {
	t.Parallel()
	w := newLiveState(t)
	vpc, _ := w.network()
	other := w.make(desired(t, "security_group", "lb", values{"vpc": text(vpc.ID)}))
	d := desired(t, "security_group", "web", values{"vpc": text(vpc.ID), "description": text("web servers"), "ingress": resource.List{
		rule("port", 443, "cidr", "0.0.0.0/0"),
		rule("port", 443, "cidr", "::/0", "description", "v6"),
		rule("from_port", 8000, "to_port", 8080, "protocol", "6", "security_group", other.ID),
		rule("protocol", "icmp", "cidr", "10.0.0.0/8"),
		rule("protocol", "-1", "self", true),
		rule("port", 53, "protocol", "udp", "cidr", "10.1.2.3/8"),
	}})
	w.make(d)
	seen := w.settled(d, nil)

	d2 := desired(t, "security_group", "web", values{"vpc": text(vpc.ID), "ingress": resource.List{
		rule("port", 443, "cidr", "0.0.0.0/0", "description", "everyone"),
		rule("port", 22, "cidr", "10.0.0.0/8"),
	}, "egress": resource.List{rule("port", 443, "cidr", "0.0.0.0/0")}})
	w.mustUpdate(d2, seen, nil)
	seen = w.settled(d2, nil)

	none := desired(t, "security_group", "web", values{"vpc": text(vpc.ID), "egress": resource.List{}})
	w.mustUpdate(none, seen, nil)
	seen = w.settled(none, nil)
	if err := w.remove(seen); err != nil {
		t.Fatal(err)
	}
}

func TestADuplicateRule(t *testing.T) {
	k := kindOf(t, "security_group")
	same := resource.List{rule("port", 443, "cidr", "0.0.0.0/0"), rule("from_port", 443, "to_port", 443, "protocol", "6", "cidr", "0.0.0.0/0")}
	a, problems := resource.Check(k, resource.NewAttrs(resource.Attr{Name: "ingress", Value: same}))
	v, _ := a.Get("ingress")
	if len(problems) > 0 || len(v.(resource.List)) != 1 {
		t.Errorf("one rule in two spellings: %v %+v", v, problems)
	}
	described := append(same, rule("port", 443, "cidr", "0.0.0.0/0", "description", "x"))
	if _, problems := resource.Check(k, resource.NewAttrs(resource.Attr{Name: "ingress", Value: described})); len(problems) != 1 {
		t.Errorf("one rule with and without description: %+v", problems)
	}
}

func TestSecurityGroupRulesWithMistakes(t *testing.T) {
	k := kindOf(t, "security_group")
	for name, r := range map[string]resource.Attrs{
		"no other side":             rule("port", 443),
		"two other sides":           rule("port", 443, "cidr", "0.0.0.0/0", "self", true),
		"port and range":            rule("port", 443, "from_port", 1, "to_port", 2, "cidr", "0.0.0.0/0"),
		"half a range":              rule("from_port", 1, "cidr", "0.0.0.0/0"),
		"range upside down":         rule("from_port", 2, "to_port", 1, "cidr", "0.0.0.0/0"),
		"tcp without port":          rule("cidr", "0.0.0.0/0"),
		"all with port":             rule("port", 1, "protocol", "all", "cidr", "0.0.0.0/0"),
		"a cidr that is none":       rule("port", 1, "cidr", "10.0.0.0/99"),
		"a description AWS refuses": rule("port", 1, "cidr", "0.0.0.0/0", "description", "Bob's"),
		"a port out of all bounds":  rule("port", 70000, "cidr", "0.0.0.0/0"),
	} {
		t.Run(name, func(t *testing.T) {
			_, problems := resource.Check(k, resource.NewAttrs(resource.Attr{Name: "ingress", Value: resource.List{r}}))
			if len(problems) == 0 {
				t.Error("no problem was found")
			}
		})
	}
}
