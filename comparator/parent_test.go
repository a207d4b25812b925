package comparator_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/resource"
)

func parentKinds(_, kind string) (resource.Kind, bool) {
	k := resource.Kind{Name: kind, NoTags: true, Carrier: resource.NoMarks}
	subnets := resource.Attribute{Name: "subnets", Type: resource.TSet, Elem: &resource.Attribute{RefKind: "subnet", Parent: "net"}}
	switch kind {
	case "net":
		k.Attrs = []resource.Attribute{{Name: "range", Effect: resource.Replace}}
	case "subnet":
		k.Attrs = []resource.Attribute{{Name: "net", RefKind: "net", Effect: resource.Replace}, {Name: "range", Effect: resource.Replace}}
	case "balancer":
		k.Attrs = []resource.Attribute{subnets}
	case "listener":
		k.Attrs = []resource.Attribute{{Name: "balancer", RefKind: "balancer", Effect: resource.Replace}}
	}
	return k, true
}

// TestWhatMovesToAnotherParentIsReplaced: a balancer stays in its network. Other subnets of that are an update, and
// subnets of another network, or of a new one, a replacement, which what refers to the balancer follows.
func TestWhatMovesToAnotherParentIsReplaced(t *testing.T) {
	text := func(s string) resource.Value { return resource.String(s) }
	to := func(kind, name string) resource.Value { return resource.Reference{Ref: web(kind, name)} }
	have := func(kind, name string, nameValue ...any) resource.Observed {
		return resource.Observed{
			Ref: web(kind, name), ID: kind + "-" + name, Ownership: resource.Proven, Health: resource.Healthy,
			Attrs: values(nameValue...),
		}
	}
	want := func(kind, name string, nameValue ...any) resource.Desired {
		return resource.Desired{Ref: web(kind, name), Attrs: values(nameValue...)}
	}
	live := []resource.Observed{
		have("balancer", "b", "subnets", resource.List{text("subnet-one")}),
		have("listener", "l", "balancer", text("balancer-b")),
		have("net", "a", "range", text("1")), have("net", "z", "range", text("9")),
		have("subnet", "one", "net", text("net-a"), "range", text("1.1")),
		have("subnet", "two", "net", text("net-a"), "range", text("1.2")),
		have("subnet", "zed", "net", text("net-z"), "range", text("9.1")),
	}
	replaced, inPlace := resource.Replace, resource.InPlace
	for name, c := range map[string]struct {
		rangeOfA, rangeOfOne string
		subnet               resource.Value
		want                 map[string]resource.Effect
	}{
		"nothing changes":        {"1", "1.1", to("subnet", "one"), map[string]resource.Effect{}},
		"the network is new":     {"2", "1.1", to("subnet", "one"), map[string]resource.Effect{"a": replaced, "b": replaced, "l": replaced, "one": replaced, "two": replaced}},
		"the subnet is new":      {"1", "1.3", to("subnet", "one"), map[string]resource.Effect{"b": inPlace, "one": replaced}},
		"another subnet":         {"1", "1.1", to("subnet", "two"), map[string]resource.Effect{"b": inPlace}},
		"another subnet, by ID":  {"1", "1.1", text("subnet-two"), map[string]resource.Effect{"b": inPlace}},
		"another network":        {"1", "1.1", to("subnet", "zed"), map[string]resource.Effect{"b": replaced, "l": replaced}},
		"another network, by ID": {"1", "1.1", text("subnet-zed"), map[string]resource.Effect{"b": replaced, "l": replaced}},
		"an unknown subnet":      {"1", "1.1", text("subnet-far"), map[string]resource.Effect{"b": inPlace}},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := comparator.Compare(comparator.Input{
				Kinds: parentKinds,
				Live:  resource.LiveState{Scopes: map[resource.Scope]resource.Snapshot{here: {Scope: here, Resources: live}}},
				Intents: []resource.Intent{{Stack: "web", Resources: []resource.Desired{
					want("balancer", "b", "subnets", resource.List{c.subnet}),
					want("listener", "l", "balancer", to("balancer", "b")),
					want("net", "a", "range", text(c.rangeOfA)), want("net", "z", "range", text("9")),
					want("subnet", "one", "net", to("net", "a"), "range", text(c.rangeOfOne)),
					want("subnet", "two", "net", to("net", "a"), "range", text("1.2")),
					want("subnet", "zed", "net", to("net", "z"), "range", text("9.1")),
				}}},
			})
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]resource.Effect{}
			for _, d := range r.Differences {
				got[d.Ref.Name] = resource.Worst(d.Changes)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
