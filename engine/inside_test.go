package engine_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/toys/nest"
	"github.com/ovi-project/ovi/resource"
)

var (
	nestScope = resource.Scope{Provider: "nest", Location: "here"}
	nestDev   = resource.Ref{Stack: stack, Provider: "nest", Location: "here", Kind: "cluster", Name: "dev"}
	nestApp   = resource.Ref{Stack: stack, Provider: "nest", Location: nest.Inside(nestDev).Location, Kind: "app", Name: "shop"}
)

// nested is the configuration of a cluster and of apps in it, which do not say that they depend on it.
func nested(cluster bool, apps ...string) []resource.Intent {
	in := resource.Intent{Stack: stack, Scopes: []resource.Scope{nestScope}}
	if cluster {
		in.Resources = append(in.Resources, resource.Desired{Ref: nestDev})
	}
	for _, name := range apps {
		ref := nestApp
		ref.Name = name
		in.Resources = append(in.Resources, resource.Desired{Ref: ref, Attrs: attrs("version", resource.String("1"))})
	}
	return []resource.Intent{in}
}

func newNest(t *testing.T) (*yard, *nest.Provider) {
	n := nest.New()
	return newYard(t, provider.Set{"nest": n}), n
}

// TestOneApplyCreatesAClusterAndWhatIsInside: the inside of what surely does not exist is empty.
func TestOneApplyCreatesAClusterAndWhatIsInside(t *testing.T) {
	y, n := newNest(t)
	in := nested(true, "shop", "blog")
	y.apply(in)
	y.settled(in)
	y.replays()
	first := []string{"started cluster/dev", "finished cluster/dev"}
	if diff := cmp.Diff(first, y.events(event.TypeStarted, event.TypeFinished)[:2]); diff != "" {
		t.Errorf("actions (-want +got):\n%s", diff)
	}
	if all := n.Shelf.List(nest.Inside(nestDev)); len(all) != 2 {
		t.Errorf("in the cluster is %+v", all)
	}
}

// TestWhatIsInsideComesBackWithItsCluster: a cluster that was deleted outside ovi took it along, and one
// apply creates all again.
func TestWhatIsInsideComesBackWithItsCluster(t *testing.T) {
	y, n := newNest(t)
	in := nested(true, "shop")
	y.apply(in)
	err := n.Shelf.Do(t.Context(), func() error {
		for _, ref := range []resource.Ref{nestApp, nestDev} {
			n.Shelf.Remove(n.Shelf.ByName(ref).Ref, n.Shelf.ByName(ref).ID)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"create cluster/dev", "create app/shop"}, brief(y.plan(in))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	y.apply(in)
	y.settled(in)
	y.replays()
}

// TestNothingIsConcludedInsideOfWhatDoesNotRun: nothing is created there, nor deleted that is no longer
// configured; once the cluster runs, both are done.
func TestNothingIsConcludedInsideOfWhatDoesNotRun(t *testing.T) {
	y, n := newNest(t)
	y.apply(nested(true, "shop"))
	byHand(t, &n.Shelf, nestDev, func(o *resource.Observed) { o.Health = resource.Stopped })
	in := nested(true, "blog")
	p := y.plan(in)
	if diff := cmp.Diff([]string{"notify app/blog", "notify app/shop"}, brief(p)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if why := p.Plan.Unreachable[nest.Inside(nestDev)]; why != "cluster/dev is stopped" {
		t.Errorf("the inside is unreachable because of %q", why)
	}
	byHand(t, &n.Shelf, nestDev, func(o *resource.Observed) { o.Health = resource.Healthy })
	if diff := cmp.Diff([]string{"create app/blog", "delete app/shop"}, brief(y.plan(in))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	y.apply(in)
	y.settled(in)
}

// TestWhatIsInsideIsDeletedBeforeItsCluster: otherwise it would be deleted without a record.
func TestWhatIsInsideIsDeletedBeforeItsCluster(t *testing.T) {
	y, n := newNest(t)
	y.apply(nested(true, "shop"))
	y.apply(nested(false))
	got := y.events(event.TypeStarted)
	if diff := cmp.Diff([]string{"started app/shop", "started cluster/dev"}, got[len(got)-2:]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	y.settled(nested(false))
	if all := n.Shelf.List(nestScope); len(all) != 0 {
		t.Errorf("left: %+v", all)
	}
	y.replays()
}

// TestTheInsideOfAnUnmanagedClusterIsNotRead: its name alone makes it no cluster of the stack.
func TestTheInsideOfAnUnmanagedClusterIsNotRead(t *testing.T) {
	y, n := newNest(t)
	foreign := provider.Request{Key: "other", Owner: "other", Desired: resource.Desired{Ref: resource.Ref{Stack: "other", Provider: "nest", Location: "here", Kind: "cluster", Name: "dev"}}}
	if _, err := n.Create(t.Context(), foreign); err != nil {
		t.Fatal(err)
	}
	p := y.plan(nested(true, "shop"))
	if why := p.Plan.Unreachable[nest.Inside(nestDev)]; why != "cluster/dev exists, and is not managed" {
		t.Errorf("the inside is unreachable because of %q", why)
	}
	if _, err := y.engine.Apply(t.Context(), p, engine.ApplyOptions{}); err != nil {
		t.Fatal(err)
	}
	if all := n.Shelf.List(nest.Inside(nestDev)); len(all) != 0 {
		t.Errorf("in a foreign cluster is %+v", all)
	}
}
