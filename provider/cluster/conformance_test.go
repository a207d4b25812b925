package cluster_test

import (
	"os"
	"testing"

	"github.com/ovi-project/ovi/internal/clustertest"
	"github.com/ovi-project/ovi/provider/providertest"
	"github.com/ovi-project/ovi/resource"
)

// The engine, kind and k3d are real here; the API servers in the nodes are the quick fake.

func samples(r *real, with string) []providertest.Sample {
	if with == "k3d" {
		return []providertest.Sample{{
			Desired: r.desired("beta",
				values{
					"provider": text("k3d"), "image": text(clustertest.QuickK3sImage), "http_port": resource.Int(18096),
					"subnet": text("10.251.0.0/24"),
				}),
		}}
	}
	return []providertest.Sample{{
		Desired: r.desired("alpha",
			values{
				"provider": text("kind"), "image": text(clustertest.QuickImage), "http_port": resource.Int(18093),
				"https_port": resource.Int(18446),
			}),
	}}
}

func harness(t *testing.T, with string) providertest.Harness {
	t.Helper()
	r := newReal(t, clustertest.Quick(t))
	return providertest.Harness{
		Provider: r.p, Scope: r.scope, Samples: samples(r, with), Timeout: call, Elsewhere: elsewhere("cluster"),
		Unmanaged: func(*testing.T) string {
			r.byHand("kind", "create", "cluster", "--name", "by-hand", "--image", clustertest.QuickImage)
			o, _ := r.find("by-hand")
			return o.ID
		},
		Recreate: func(_ *testing.T, o resource.Observed) {
			name := o.Ref.Name
			if with == "k3d" {
				r.byHand("k3d", "cluster", "delete", name)
				r.byHand("k3d", "cluster", "create", name, "--image", clustertest.QuickK3sImage,
					"--kubeconfig-update-default=false")
				return
			}
			r.byHand("kind", "delete", "cluster", "--name", name)
			r.byHand("kind", "create", "cluster", "--name", name, "--image", clustertest.QuickImage)
		},
	}
}

// essential are the cases of the gate: each takes a cluster or more. With OVI_CLUSTERS=all, as in `make
// clusters`, all run.
func essential() []string {
	return []string{
		"WhatIsCreatedIsAsConfigured", "MarksAreThereFromTheFirstMoment", "OneKeyCreatesOneResource",
		"StatesFollowTheConfiguration", "WhatIsDeletedIsGone", "WhatIsCreatedAgainHasAnotherUID",
	}
}

func TestKindKeepsThePromisesOfAProvider(t *testing.T) { keepsPromises(t, "kind") }

func TestK3dKeepsThePromisesOfAProvider(t *testing.T) { keepsPromises(t, "k3d") }

func keepsPromises(t *testing.T, with string) {
	all := os.Getenv("OVI_CLUSTERS") == "all"
	names := essential()
	if all {
		names = providertest.Names()
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			found, ran := providertest.Find(t, name, func(t *testing.T) providertest.Harness { return harness(t, with) })
			switch {
			case !ran && all:
				t.Skip("it is not about this kind")
			case !ran:
				t.Error("it did not run")
			}
			for _, f := range found {
				t.Error(f)
			}
		})
	}
}
