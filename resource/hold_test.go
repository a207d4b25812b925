package resource_test

import (
	"net/netip"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ovi-project/ovi/resource"
)

func TestHoldsClash(t *testing.T) {
	t.Parallel()
	port := func(name, address string) resource.Hold {
		h := resource.Hold{What: "port", Of: "podman/host", Name: name}
		if address != "" {
			h.Range = netip.MustParsePrefix(address)
		}
		return h
	}
	for name, c := range map[string]struct {
		a, b    resource.Hold
		clashes bool
	}{
		"one port on all addresses":            {port("80/tcp", ""), port("80/tcp", ""), true},
		"one port on all and on one address":   {port("80/tcp", ""), port("80/tcp", "127.0.0.1/32"), true},
		"one port on one address":              {port("80/tcp", "127.0.0.1/32"), port("80/tcp", "127.0.0.1/32"), true},
		"one port on two addresses":            {port("80/tcp", "127.0.0.1/32"), port("80/tcp", "192.0.2.1/32"), false},
		"two ports":                            {port("80/tcp", ""), port("81/tcp", ""), false},
		"one port of IPv4 and of IPv6":         {port("80/tcp", "0.0.0.0/0"), port("80/tcp", "::/0"), false},
		"a thing of another sort":              {port("80", ""), resource.Hold{What: "name", Of: "podman/host", Name: "80"}, false},
		"a thing of another parent":            {port("80", ""), resource.Hold{What: "port", Of: "podman/other", Name: "80"}, false},
		"an identity and a need for one thing": {port("80", ""), resource.Hold{What: "port", Of: "podman/host", Name: "80", Identity: true}, true},
	} {
		if c.a.Clashes(c.b) != c.clashes || c.b.Clashes(c.a) != c.clashes {
			t.Errorf("%s: clashes is not %t in both directions", name, c.clashes)
		}
	}
}

func TestWhatIsConfiguredHoldsWhatIsObserved(t *testing.T) {
	t.Parallel()
	k := resource.Kind{Holds: func(ref resource.Ref, a resource.Attrs, state resource.State) []resource.Hold {
		held := []resource.Hold{{What: "name", Name: ref.Name, Identity: true}}
		if v, ok := a.Get("balancer"); ok && state != resource.StateStopped {
			held = append(held, resource.Hold{What: "port", Of: resource.Within(v), Name: "80"})
		}
		return held
	}}
	ref := resource.Ref{Stack: "s", Provider: "x", Location: "h", Kind: "listener", Name: "a"}
	attrs := resource.Attrs{}.With("balancer", resource.String("lb-1"))
	configured := k.HeldAs(ref.Bare(), attrs, "")
	want := []resource.Hold{
		{What: "name", Of: "x/h", Name: "a", Identity: true}, {What: "port", Of: `"lb-1"`, Name: "80"},
	}
	o := resource.Observed{Ref: ref, Attrs: attrs, Health: resource.Failing}
	moved := o
	moved.Bind(resource.Proven, "s", "b")
	for name, got := range map[string][]resource.Hold{
		"configured": configured, "observed": k.HeldBy(&o), "observed, with another name here": k.HeldBy(&moved),
	} {
		if d := cmp.Diff(want, got, cmpopts.EquateComparable(netip.Prefix{})); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
	o.Health = resource.Stopped
	if got := k.HeldBy(&o); len(got) != 1 || got[0].What != "name" {
		t.Errorf("a stopped resource holds %v", got)
	}
	if k.Holds = nil; k.HeldBy(&o) != nil {
		t.Errorf("a kind without Holds holds something")
	}
}
