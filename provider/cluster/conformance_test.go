package cluster_test

import (
	"testing"

	"github.com/ovi-project/ovi/internal/clustertest"
	"github.com/ovi-project/ovi/provider/providertest"
	"github.com/ovi-project/ovi/resource"
)

// The engine, kind and k3d are real here; the API servers in the nodes are the quick fake.

func samples(r *real, with string) []providertest.Sample {
	if with == "k3d" {
		return []providertest.Sample{{
			Desired: r.desired("beta", values{"provider": text("k3d"), "image": text(clustertest.QuickK3sImage), "http_port": resource.Int(18096), "subnet": text("10.251.0.0/24")}),
		}}
	}
	return []providertest.Sample{{
		Desired: r.desired("alpha", values{"provider": text("kind"), "image": text(clustertest.QuickImage), "http_port": resource.Int(18093), "https_port": resource.Int(18446)}),
	}}
}

func harness(t *testing.T, with string) providertest.Harness {
	t.Helper()
	r := newReal(t, clustertest.Quick(t))
	return providertest.Harness{
		Provider: r.p, Scope: r.scope, Samples: samples(r, with), Timeout: call, Elsewhere: []string{"argocd_secret"},
		Unmanaged: func(*testing.T) string {
			r.byHand("kind", "create", "cluster", "--name", "by-hand", "--image", clustertest.QuickImage)
			o, _ := r.find("by-hand")
			return o.ID
		},
		Recreate: func(_ *testing.T, o resource.Observed) {
			name := o.Ref.Name
			if with == "k3d" {
				r.byHand("k3d", "cluster", "delete", name)
				r.byHand("k3d", "cluster", "create", name, "--image", clustertest.QuickK3sImage, "--kubeconfig-update-default=false")
				return
			}
			r.byHand("kind", "delete", "cluster", "--name", name)
			r.byHand("kind", "create", "cluster", "--name", name, "--image", clustertest.QuickImage)
		},
	}
}

func TestKindKeepsThePromisesOfAProvider(t *testing.T) {
	providertest.Run(t, func(t *testing.T) providertest.Harness { return harness(t, "kind") })
}

// TestK3dKeepsThePromisesOfAProvider: those in which it may differ from kind, because each takes a cluster.
func TestK3dKeepsThePromisesOfAProvider(t *testing.T) {
	for _, name := range []string{"WhatIsCreatedIsAsConfigured", "MarksAreThereFromTheFirstMoment", "OneKeyCreatesOneResource", "StatesFollowTheConfiguration", "WhatIsDeletedIsGone", "WhatIsCreatedAgainHasAnotherUID"} {
		t.Run(name, func(t *testing.T) {
			found, ran := providertest.Find(t, name, func(t *testing.T) providertest.Harness { return harness(t, "k3d") })
			if !ran {
				t.Error("it did not run")
			}
			for _, f := range found {
				t.Error(f)
			}
		})
	}
}
