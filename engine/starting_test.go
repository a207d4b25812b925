package engine_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/engine"
	"github.com/ovi-project/ovi/provider/toys/nest"
	"github.com/ovi-project/ovi/resource"
)

var (
	nestOps   = resource.Ref{Stack: stack, Provider: "nest", Location: "here", Kind: "cluster", Name: "ops"}
	nestAlone = resource.Ref{Stack: stack, Provider: "nest", Location: "here", Kind: "cluster", Name: "alone"}
)

// startingNest has a cluster that starts; in it, an app is to be created, another cluster refers to one of its
// values, and a third has nothing to do with it. healthy: it is healthy after so long; 0: never.
func startingNest(t *testing.T, healthy time.Duration) (*yard, *nest.Provider, []resource.Intent) {
	t.Helper()
	y, n := newNest(t)
	in := nested(true, "shop")
	in[0].Resources[0].Attrs = attrs("nodes", resource.Int(1))
	y.apply([]resource.Intent{{Stack: stack, Scopes: in[0].Scopes, Resources: in[0].Resources[:1]}})
	byHand(t, &n.Shelf, nestDev, func(o *resource.Observed) { o.Health, o.Message = resource.Pending, "its API server starts" })
	if healthy > 0 {
		time.AfterFunc(healthy, func() {
			byHand(t, &n.Shelf, nestDev, func(o *resource.Observed) { o.Health, o.Message = resource.Healthy, "" })
		})
	}
	in[0].Resources = append(in[0].Resources,
		resource.Desired{Ref: nestOps, Attrs: attrs("nodes", resource.Reference{Ref: nestDev, Path: "nodes"})},
		resource.Desired{Ref: nestAlone, Attrs: attrs("nodes", resource.Int(1))})
	return y, n, in
}

// startingPlan is a plan that waits for what starts, what it waited for and how long.
func (y *yard) startingPlan(in []resource.Intent, limit time.Duration) (p *engine.Planned, told []string, took time.Duration) {
	y.t.Helper()
	start := time.Now()
	p, err := y.engine.Plan(y.t.Context(), in, engine.PlanOptions{Starting: engine.Starting{For: limit, Tell: func(o resource.Observed) {
		told = append(told, o.Ref.Short()+" "+o.Message)
	}}})
	if err != nil {
		y.t.Fatal(err)
	}
	return p, told, time.Since(start)
}

// TestAPlanWaitsForWhatStarts: one apply then makes all, also what is inside and what refers to it.
func TestAPlanWaitsForWhatStarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		y, n, in := startingNest(t, 30*time.Second)
		p, told, took := y.startingPlan(in, 2*time.Minute)
		if diff := cmp.Diff([]string{"cluster/dev its API server starts"}, told); diff != "" || took < 30*time.Second || took > 32*time.Second {
			t.Errorf("it waited %v (-want +got):\n%s", took, diff)
		}
		if diff := cmp.Diff([]string{"create cluster/alone", "create cluster/ops", "create app/shop"}, brief(p)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		r, err := y.engine.Apply(t.Context(), p, engine.ApplyOptions{})
		if err != nil || r.Counts.Create != 3 || r.Counts.Failed+r.Counts.NotStarted != 0 {
			t.Errorf("%+v, %v", r.Outcomes, err)
		}
		if all := n.Shelf.List(nest.Inside(nestDev)); len(all) != 1 {
			t.Errorf("in the cluster is %+v", all)
		}
		y.settled(in)
		y.stop()
	})
}

// TestWhatNeverStartsIsWaitedForAsLongAsAllowed: for as long as the plan allows. What needs it waits, with a reason that
// names it, and counts no attempt; all else is done.
func TestWhatNeverStartsIsWaitedForAsLongAsAllowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		y, _, in := startingNest(t, 0)
		p, _, took := y.startingPlan(in, 2*time.Minute)
		if took < 2*time.Minute || took > 2*time.Minute+2*time.Second {
			t.Errorf("it waited %v", took)
		}
		if why := p.Plan.Unreachable[nest.Inside(nestDev)]; why != "cluster/dev is pending: its API server starts" {
			t.Errorf("the inside is unreachable because of %q", why)
		}
		for range 10 { // no attempt is counted
			r, err := y.engine.Apply(t.Context(), p, engine.ApplyOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range r.Outcomes {
				want := map[resource.Ref]engine.Status{nestAlone: engine.Done, nestOps: engine.WaitingFor}[o.Ref]
				if o.Status != want || want == engine.WaitingFor && (o.On != nestDev || o.Detail != "it refers to nodes of cluster/dev, which is pending: its API server starts; run it again once that is healthy") {
					t.Errorf("%s is %s on %s: %s", o.Ref, o.Status, o.On, o.Detail)
				}
			}
			p = y.plan(in) // which waits for nothing
		}
		y.stop()
	})
}
