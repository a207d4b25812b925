package schema

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/resource"
)

func configuredAs(kind, name string, attrs map[string]resource.Value) *resource.Desired {
	return &resource.Desired{
		Ref:   resource.Ref{Stack: "shop", Provider: Name, Location: "local", Kind: kind, Name: name},
		Attrs: resource.AttrsOf(attrs),
	}
}

func publishing(ip string, port int64) map[string]resource.Value {
	p := map[string]resource.Value{
		"container_port": resource.Int(80), "host_port": resource.Int(port), "protocol": resource.String("tcp"),
	}
	if ip != "" {
		p["host_ip"] = resource.String(ip)
	}
	return map[string]resource.Value{"ports": resource.List{resource.AttrsOf(p)}}
}

func findings(all []resource.Finding) (out []string) {
	for _, f := range all {
		out = append(out, f.Ref.Name+" "+f.Path+": "+f.Summary)
	}
	return out
}

// TestWhatClashesInAStackIsFound: names, ports and subnets that two resources of a stack cannot both have.
func TestWhatClashesInAStackIsFound(t *testing.T) {
	pod := configuredAs(Pod, "web", nil)
	find := func(r resource.Ref) *resource.Desired {
		if r == pod.Ref {
			return pod
		}
		return nil
	}
	got := findings(crossCheckContainers([]*resource.Desired{
		configuredAs(Container, "all", publishing("", 80)), configuredAs(Container, "one", publishing("127.0.0.1", 80)),
		configuredAs(Container, "two", publishing("127.0.0.1", 81)),
		configuredAs(Container, "three", publishing("127.0.0.2", 81)),
		configuredAs(Container, "web", nil),
	}, find))
	if diff := cmp.Diff([]string{
		"web name: a pod of the same stack is named web too",
		"one ports[0].host_port: host port 80 is also published by container/all",
	},
		got); diff != "" {
		t.Errorf("containers (-want +got):\n%s", diff)
	}
	subnet := func(s string) map[string]resource.Value {
		return map[string]resource.Value{"subnet": resource.String(s)}
	}
	got = findings(crossCheckNetworks([]*resource.Desired{
		configuredAs(Network, "a", subnet("10.190.1.0/24")), configuredAs(Network, "b", subnet("10.190.1.0/25")),
		configuredAs(Network, "c", subnet("10.190.2.0/24")), configuredAs(Network, "d", nil),
	}, find))
	if diff := cmp.Diff([]string{"b subnet: 10.190.1.0/25 overlaps with 10.190.1.0/24 of network/a"}, got); diff != "" {
		t.Errorf("networks (-want +got):\n%s", diff)
	}
}

// TestTwoSecretsAtOnePathAreRefused: a secret without a path has one too.
func TestTwoSecretsAtOnePathAreRefused(t *testing.T) {
	secret := func(name, path string) resource.Value {
		m := map[string]resource.Value{"name": resource.Reference{Ref: configuredAs(Secret, name, nil).Ref}}
		if path != "" {
			m["path"] = resource.String(path)
		}
		return resource.AttrsOf(m)
	}
	for path, want := range map[string]int{"/run/secrets/password": 1, "/run/secrets/other": 0} {
		a := resource.AttrsOf(map[string]resource.Value{
			"secrets": resource.List{secret("password", ""), secret("token", path)},
		})
		if got := sharedPaths(a); len(got) != want {
			t.Errorf("%s: %v", path, got)
		}
	}
}
