package cluster_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ovi-project/ovi/provider/cluster"
	"github.com/ovi-project/ovi/provider/cluster/haproxy"
	"github.com/ovi-project/ovi/provider/cluster/haproxy/haproxytest"
	"github.com/ovi-project/ovi/provider/providertest"
	"github.com/ovi-project/ovi/resource"
)

// TestARouteKeepsThePromisesOfAProvider, on a real HAProxy.
func TestARouteKeepsThePromisesOfAProvider(t *testing.T) {
	providertest.Run(t, func(t *testing.T) providertest.Harness {
		proxy := haproxytest.Start(t)
		p := cluster.New(cluster.Options{HAProxy: proxy.Folder})
		scope := resource.Scope{Provider: cluster.Name, Location: "haproxy:" + proxy.Folder.Path}
		sample := func(name, address string, then values) providertest.Sample {
			return providertest.Sample{Desired: resource.Desired{
				Ref:   resource.Ref{Provider: cluster.Name, Location: scope.Location, Kind: "haproxy_route", Name: name},
				Attrs: resource.AttrsOf(values{"address": text(address), "port": resource.Int(30080)}),
			}, Then: resource.AttrsOf(then)}
		}
		byHand := func(t *testing.T, name string) {
			t.Helper()
			err := proxy.Folder.Change(t.Context(), func(all map[string]haproxy.Route) error {
				all[name] = haproxy.Route{Name: name, Address: "10.0.0.9", Port: 80}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		return providertest.Harness{
			Provider: p, Scope: scope, Elsewhere: elsewhere("haproxy_route"),
			Samples: []providertest.Sample{
				sample("dev", "10.0.0.1", values{"address": text("10.0.0.7")}),
				sample("dev-a", "10.0.0.2", values{"address": text("10.0.0.8"), "port": resource.Int(30081)}),
			},
			Unmanaged: func(t *testing.T) string { byHand(t, "by-hand"); return "be_ovi_by-hand" },
			Strip: func(t *testing.T, o resource.Observed) {
				file := filepath.Join(proxy.Folder.Path, "ovi.cfg")
				b, err := os.ReadFile(file)
				if err == nil {
					_, after, _ := strings.Cut(string(b), "backend "+o.ID+"\n")
					note, _, _ := strings.Cut(after, "\n")
					err = os.WriteFile(file, []byte(strings.Replace(string(b), note+"\n", "", 1)), 0o600)
				}
				if err != nil {
					t.Fatal(err)
				}
			},
			Recreate: func(t *testing.T, o resource.Observed) {
				err := proxy.Folder.Change(t.Context(),
					func(all map[string]haproxy.Route) error { delete(all, o.Ref.Name); return nil })
				if err != nil {
					t.Fatal(err)
				}
				byHand(t, o.Ref.Name)
			},
		}
	})
}

// elsewhere are the kinds that a scope with the given ones does not have.
func elsewhere(here ...string) (out []string) {
	for _, k := range cluster.Kinds() {
		is := false
		for _, name := range here {
			is = is || k.Name == name
		}
		if !is {
			out = append(out, k.Name)
		}
	}
	return out
}
