package cluster_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/cluster"
	"github.com/ovi-project/ovi/provider/cluster/portainer"
	"github.com/ovi-project/ovi/provider/cluster/portainer/portainertest"
	"github.com/ovi-project/ovi/provider/providertest"
	"github.com/ovi-project/ovi/resource"
)

// onFake is a provider on a fake of Portainer.
func onFake(f *portainertest.Fake, token string) *cluster.Provider {
	return cluster.New(cluster.Options{
		Portainer: portainer.Client{URL: f.URL, Token: token, For: strings.TrimPrefix(f.URL, "http://")},
		Digest: func(ref resource.Ref, path, plain string) resource.Digest {
			return resource.Digest("digest " + ref.String() + path + strconv.Itoa(len(plain)))
		},
	})
}

func endpointSample(f *portainertest.Fake, name string, then values) providertest.Sample {
	out := providertest.Sample{Desired: resource.Desired{
		Ref:   resource.Ref{Provider: cluster.Name, Location: "portainer:" + f.URL, Kind: "portainer_endpoint", Name: name},
		Attrs: resource.AttrsOf(values{"url": text("https://portainer.example.com")}),
	}}
	if then != nil {
		out.Then = resource.AttrsOf(then)
	}
	return out
}

// TestAnEndpointKeepsThePromisesOfAProvider, on a fake of Portainer.
func TestAnEndpointKeepsThePromisesOfAProvider(t *testing.T) {
	providertest.Run(t, func(t *testing.T) providertest.Harness {
		f := portainertest.Start(t)
		return providertest.Harness{
			Provider: onFake(f, portainertest.Token), Scope: resource.Scope{
				Provider: cluster.Name, Location: "portainer:" + f.URL,
			}, Elsewhere: elsewhere("portainer_endpoint"),
			Samples: []providertest.Sample{
				endpointSample(f, "dev", values{"group": resource.Int(2)}), endpointSample(f, "uat", nil),
			},
			Unmanaged: func(*testing.T) string { return strconv.Itoa(f.Put("by-hand")) },
			Recreate: func(t *testing.T, o resource.Observed) {
				id, err := strconv.Atoi(o.ID)
				if err != nil {
					t.Fatal(err)
				}
				f.Drop(id)
				f.Put(o.Ref.Name)
			},
		}
	})
}

// TestAnEndpointLeavesNothing: its tag goes with it, and what others made stays.
func TestAnEndpointLeavesNothing(t *testing.T) {
	f := portainertest.Start(t)
	f.Put("theirs")
	p := onFake(f, portainertest.Token)
	o, err := p.Create(t.Context(),
		provider.Request{Key: "k", Owner: "ovi", Desired: endpointSample(f, "dev", nil).Desired})
	if err != nil {
		t.Fatal(err)
	}
	bound := o
	bound.Ref = o.Ref.In("fleet")
	key, err := p.Reveal(t.Context(), bound, "edge_key")
	if seen, _ := o.Attrs.Get("edge_key"); seen != key.Digest() {
		t.Errorf("its key is observed as %v and revealed as %v", seen, key.Digest())
	}
	if err != nil || (&portainer.Endpoint{EdgeKey: key.Reveal()}).Server() != "https://portainer.example.com" {
		t.Errorf("its key is of %d letters, %v", len(key.Reveal()), err)
	}
	for range 2 {
		if err := p.Delete(t.Context(), provider.Request{Have: o}); err != nil {
			t.Fatal(err)
		}
	}
	if endpoints, tags := f.Counts(); endpoints != 1 || tags != 1 { // theirs, and the tag of all
		t.Errorf("%d environments and %d tags are left", endpoints, tags)
	}
}

// TestAPortainerThatCannotBeReadIsNotEmpty: law 1 for environments.
func TestAPortainerThatCannotBeReadIsNotEmpty(t *testing.T) {
	f := portainertest.Start(t)
	scope := provider.ObserveRequest{Scope: resource.Scope{Provider: cluster.Name, Location: "portainer:" + f.URL}}
	if _, err := onFake(f, "wrong").Observe(t.Context(), scope); provider.CauseOf(err) != provider.Expired {
		t.Errorf("with a wrong token: %v", err)
	}
	f.Stop()
	if _, err := onFake(f, portainertest.Token).Observe(t.Context(), scope); provider.CauseOf(err) != provider.Unreachable {
		t.Errorf("without Portainer: %v", err)
	}
}
