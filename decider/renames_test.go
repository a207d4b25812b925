package decider_test

import (
	"testing"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/resource"
)

func bucketOf(name, bucket, class string) resource.Desired {
	return resource.Desired{Ref: hereRef("bucket", name), Attrs: resource.Attrs{}.With("bucket", resource.String(bucket)).With("class", resource.String(class))}
}

func planHere(t *testing.T, kinds func(string, string) (resource.Kind, bool), live []resource.Observed, intents ...resource.Intent) decider.Plan {
	t.Helper()
	r, err := comparator.Compare(comparator.Input{
		Intents: intents, Kinds: kinds,
		Live: resource.LiveState{Scopes: map[resource.Scope]resource.Snapshot{hereScope: {Scope: hereScope, Resources: live}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	p, err := decider.Decide(r, kinds, decider.Facts{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func liveOf(d resource.Desired, id string) resource.Observed {
	return resource.Observed{Ref: d.Ref, ID: id, Marks: resource.Marks{Ref: d.Ref}, Ownership: resource.Proven, Health: resource.Healthy, Attrs: d.Attrs}
}

func TestARenameIsOneDecision(t *testing.T) {
	t.Parallel()
	old := bucketOf("a", "x", "1")
	said := bucketOf("b", "y", "1")
	said.Was = old.Ref
	for name, c := range map[string]struct {
		want    resource.Desired
		action  decider.Action
		renames int
	}{
		"the same":                          {bucketOf("b", "x", "1"), decider.Update, 1},
		"another create-only attribute":     {bucketOf("b", "x", "2"), decider.Replace, 1},
		"named, with another identity":      {said, decider.Replace, 1},
		"another thing that looks the same": {bucketOf("b", "y", "1"), decider.Create, 0},
	} {
		p := planHere(t, holdKinds, []resource.Observed{liveOf(old, "bucket-1")}, resource.Intent{Stack: "s", Resources: []resource.Desired{c.want}})
		found := false
		for _, d := range p.Decisions {
			found = found || d.Ref == c.want.Ref && d.Action == c.action
		}
		if !found || len(p.Renames) != c.renames || c.renames == 1 && len(p.Decisions) != 1 {
			t.Errorf("%s: %s", name, holdsPlan(p))
		}
	}
}

func TestWhatMayBeOneThingIsNotGuessed(t *testing.T) {
	t.Parallel()
	old := bucketOf("a", "x", "1")
	other := bucketOf("b", "x", "1")
	other.Ref.Stack = "u"
	p := planHere(t, holdKinds, []resource.Observed{liveOf(old, "bucket-1")},
		resource.Intent{Stack: "s"}, resource.Intent{Stack: "u", Resources: []resource.Desired{other}})
	one, two := bucketOf("b", "p", "1"), bucketOf("c", "q", "1")
	one.Was, two.Was = old.Ref, old.Ref
	q := planHere(t, holdKinds, []resource.Observed{liveOf(old, "bucket-1")}, resource.Intent{Stack: "s", Resources: []resource.Desired{one, two}})
	for _, p := range []decider.Plan{p, q} {
		for _, d := range p.Decisions {
			if d.Difference != comparator.Conflict || d.Action.Executes() {
				t.Errorf("%s", holdsPlan(p))
			}
		}
	}
}

func TestAnExchangeThatLosesDataIsBlocked(t *testing.T) {
	t.Parallel()
	kinds := func(provider, name string) (resource.Kind, bool) {
		k, ok := holdKinds(provider, name)
		k.DataLoss = func(resource.Observed, resource.Attrs) string { return "all of it" }
		return k, ok
	}
	balancer := resource.Desired{Ref: hereRef("balancer", "a")}
	listener := func(name, port string) resource.Desired {
		return resource.Desired{Ref: hereRef("listener", name), Attrs: resource.Attrs{}.With("balancer", resource.Reference{Ref: balancer.Ref}).With("port", resource.String(port))}
	}
	live := func(d resource.Desired, id string) resource.Observed {
		d.Attrs = d.Attrs.With("balancer", resource.String("balancer-1"))
		return liveOf(d, id)
	}
	p := planHere(t, kinds, []resource.Observed{liveOf(balancer, "balancer-1"), live(listener("a", "80"), "listener-1"), live(listener("b", "81"), "listener-2")},
		resource.Intent{Stack: "s", Resources: []resource.Desired{balancer, listener("a", "81"), listener("b", "80")}})
	if len(decider.Exchanges(p, kinds, nil)) != 0 || phases(p) != 0 || len(p.Decisions) != 2 {
		t.Errorf("%s", holdsPlan(p))
	}
}

// TestABlockedExchangeIsToldOnce asserts one Blocker for each of two resources that would exchange their identities.
func TestABlockedExchangeIsToldOnce(t *testing.T) {
	t.Parallel()
	p := planHere(t, holdKinds,
		[]resource.Observed{liveOf(bucketOf("a", "x", "1"), "bucket-1"), liveOf(bucketOf("b", "y", "1"), "bucket-2")},
		resource.Intent{Stack: "s", Resources: []resource.Desired{bucketOf("a", "y", "1"), bucketOf("b", "x", "1")}})
	if len(p.Decisions) != 2 {
		t.Fatal(holdsPlan(p))
	}
	for _, d := range p.Decisions {
		if len(d.Blockers) != 1 || d.Blockers[0].Suggestion != "run `ovi move --exchange bucket/a bucket/b`, or configure one after the other" {
			t.Errorf("%s: %+v", d.Ref.Short(), d.Blockers)
		}
	}
}
