package aws

import (
	"slices"
	"testing"

	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/resource"
)

// judged checks the resources of a stack, and gives "kind/name path" of the findings.
func judged(configured ...resource.Desired) []string {
	find := func(r resource.Ref) *resource.Desired {
		for i := range configured {
			if configured[i].Ref == r {
				return &configured[i]
			}
		}
		return nil
	}
	var out []string
	for _, k := range Kinds() {
		var of []*resource.Desired
		for i := range configured {
			if configured[i].Ref.Kind == k.Name {
				of = append(of, &configured[i])
			}
		}
		for _, f := range k.CrossCheck(of, find) {
			out = append(out, f.Ref.Kind+"/"+f.Ref.Name+" "+f.Path)
		}
	}
	return out
}

func stands(kind, name string, pairs ...any) resource.Desired {
	m := map[string]resource.Value{}
	for i := 0; i+1 < len(pairs); i += 2 {
		switch v := pairs[i+1].(type) {
		case string:
			m[pairs[i].(string)] = resource.String(v)
		case resource.Value:
			m[pairs[i].(string)] = v
		}
	}
	return resource.Desired{Ref: named(kind, name), Attrs: resource.AttrsOf(m)}
}

func named(kind, name string) resource.Ref {
	return resource.Ref{Provider: api.ProviderName, Location: "123456789012/us-east-1", Kind: kind, Name: name}
}

func to(kind, name string) resource.Value { return resource.Reference{Ref: named(kind, name)} }

// What a file does not show is not judged: ids, blocks that could not be read, and a network
// that may be the default one.
func TestUnknownValuesAreNotRefused(t *testing.T) {
	for name, configured := range map[string][]resource.Desired{
		"a network by its id may have more blocks": {
			stands("subnet", "a", "vpc", "vpc-1", "cidr", "10.0.0.0/24"), stands("subnet", "b", "vpc", "vpc-1", "cidr", "192.168.0.0/24"),
		},
		"the same block in two networks": {
			stands("subnet", "a", "vpc", "vpc-1", "cidr", "10.0.0.0/24"), stands("subnet", "b", "vpc", "vpc-2", "cidr", "10.0.0.0/24"),
		},
		"a network that could not be read":   {stands("subnet", "a", "vpc", to("vpc", "broken"), "cidr", "10.0.0.0/24")},
		"a subnet that is its whole network": {stands("vpc", "v", "cidr", "10.0.0.0/24"), stands("subnet", "a", "vpc", to("vpc", "v"), "cidr", "10.0.0.0/24")},
		"the default network, adopted": {
			stands("vpc", "v", "cidr", "172.31.0.0/16"), stands("security_group", "g", "vpc", to("vpc", "v")),
			stands("ec2", "i", "security_groups", resource.List{to("security_group", "g")}),
		},
		"a subnet by its id": {
			stands("vpc", "v", "cidr", "10.0.0.0/16"), stands("security_group", "g", "vpc", to("vpc", "v")),
			stands("ec2", "i", "subnet", "subnet-1", "security_groups", resource.List{to("security_group", "g"), resource.String("sg-1")}),
		},
		"a database in a group of subnets": {
			stands("vpc", "v", "cidr", "10.0.0.0/16"), stands("security_group", "g", "vpc", to("vpc", "v")),
			stands("rds", "d", "subnet_group", "data", "security_groups", resource.List{to("security_group", "g")}),
		},
		"disks of two instances": {stands("ebs", "a", "attach_to", "i-1"), stands("ebs", "b", "attach_to", "i-2")},
		"disks of no instance":   {stands("ebs", "a", "zone", "us-east-1a"), stands("ebs", "b", "zone", "us-east-1a")},
		"an instance whose zone AWS chooses": {
			stands("ec2", "i"), stands("ebs", "a", "attach_to", to("ec2", "i"), "zone", "us-east-1a"),
		},
	} {
		if got := judged(configured...); len(got) > 0 {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestOverlapsAreFoundAcrossOthers(t *testing.T) {
	got := judged(
		stands("subnet", "a-wide", "vpc", "vpc-1", "cidr", "10.0.0.0/20"), stands("subnet", "b", "vpc", "vpc-1", "cidr", "10.0.1.0/24"),
		stands("subnet", "c", "vpc", "vpc-1", "cidr", "10.0.2.0/24"), stands("subnet", "d", "vpc", "vpc-1", "cidr", "10.0.16.0/24"))
	if len(got) != 2 || got[0] != "subnet/b cidr" || got[1] != "subnet/c cidr" {
		t.Errorf("%q", got)
	}
}

func TestIPv6BlocksAreOfTheVPCAndOfOneSubnet(t *testing.T) {
	one, two := resource.Int(1), resource.Int(2)
	for name, c := range map[string]struct {
		configured []resource.Desired
		want       []string
	}{
		"a VPC without": {
			[]resource.Desired{stands("vpc", "v", "cidr", "10.0.0.0/16"), stands("subnet", "a", "vpc", to("vpc", "v"), "cidr", "10.0.1.0/24", "ipv6_block", one)},
			[]string{"subnet/a ipv6_block"},
		},
		"one block twice": {
			[]resource.Desired{
				stands("vpc", "v", "cidr", "10.0.0.0/16", "ipv6", resource.Bool(true)),
				stands("subnet", "a", "vpc", to("vpc", "v"), "cidr", "10.0.1.0/24", "ipv6_block", one),
				stands("subnet", "b", "vpc", to("vpc", "v"), "cidr", "10.0.2.0/24", "ipv6_block", two),
				stands("subnet", "c", "vpc", to("vpc", "v"), "cidr", "10.0.3.0/24", "ipv6_block", one),
			}, []string{"subnet/c ipv6_block"},
		},
		"of two VPCs": {
			[]resource.Desired{stands("subnet", "a", "vpc", "vpc-1", "cidr", "10.0.1.0/24", "ipv6_block", one), stands("subnet", "b", "vpc", "vpc-2", "cidr", "10.0.1.0/24", "ipv6_block", one)},
			nil,
		},
	} {
		if got := judged(c.configured...); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// In one VPC no two subnets have the same IPv6 block, not even for a moment.
func TestASubnetThatKeepsItsIPv6BlockIsDeletedFirst(t *testing.T) {
	have := resource.Observed{Attrs: stands("subnet", "a", "vpc", "vpc-1", "cidr", "10.0.1.0/24", "ipv6_block", resource.Int(1)).Attrs}
	kinds := Kinds()
	subnet := kinds[slices.IndexFunc(kinds, func(k resource.Kind) bool { return k.Name == "subnet" })]
	for block, want := range map[resource.Int]resource.Strategy{1: resource.DestroyFirst, 2: resource.CreateFirst} {
		next := stands("subnet", "a", "vpc", "vpc-1", "cidr", "10.0.2.0/24", "ipv6_block", block)
		if got := subnet.Replace(next, have)[0]; got != want {
			t.Errorf("block %d: %v", block, got)
		}
	}
}
