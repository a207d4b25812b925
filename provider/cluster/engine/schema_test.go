package engine

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ovi-project/ovi/internal/drawn"
	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/cluster/docker"
	"github.com/ovi-project/ovi/provider/cluster/system"
	"github.com/ovi-project/ovi/resource"
)

func TestAnImageHasOneForm(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"kindest/node:v1.31.12":                       "kindest/node:v1.31.12",
		"docker.io/kindest/node:v1.31.12":             "kindest/node:v1.31.12",
		"docker.io/kindest/node:v1.31.12@sha256:abcd": "kindest/node@sha256:abcd",
		"kindest/node@sha256:abcd":                    "kindest/node@sha256:abcd",
		"docker.io/library/busybox":                   "busybox",
		"localhost:5000/a/b:1":                        "localhost:5000/a/b:1",
		"localhost:5000/a/b@sha256:1":                 "localhost:5000/a/b@sha256:1",
	} {
		if got := plainImage(name); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}

func TestWhatOneProgramAloneCanDoIsChecked(t *testing.T) {
	t.Parallel()
	for text, set := range map[string]system.Values{
		"kind puts all clusters into one network": {
			"provider": resource.String("kind"), "subnet": resource.String("10.1.0.0/16"),
		},
		"invalid subnet":                     {"provider": resource.String("k3d"), "subnet": resource.String("10.1.0.0")},
		"the address of the subnet has bits": {"provider": resource.String("k3d"), "subnet": resource.String("10.1.2.0/16")},
		"1024":                               {"provider": resource.String("k3d"), "http_port": resource.Int(80)},
		"kind, k3d":                          {"provider": resource.String("minikube")},
	} {
		_, problems := resource.Check(Kind(), resource.AttrsOf(set))
		if len(problems) != 1 || !strings.Contains(problems[0].Summary+problems[0].Suggestion, text) {
			t.Errorf("%v: problems %+v, want %q", set, problems, text)
		}
	}
}

// TestClashesWithinAStackAreFound: ports of the host and subnets of two clusters, on one engine only.
func TestClashesWithinAStackAreFound(t *testing.T) {
	t.Parallel()
	at := func(location, name string, set system.Values) *resource.Desired {
		return &resource.Desired{
			Ref:   resource.Ref{Provider: system.Name, Location: location, Kind: system.KindCluster, Name: name},
			Attrs: resource.AttrsOf(set),
		}
	}
	found := crossCheck([]*resource.Desired{
		at("here", "a", system.Values{"http_port": resource.Int(18090), "subnet": resource.String("10.1.0.0/16")}),
		at("here", "b", system.Values{"https_port": resource.Int(18090), "subnet": resource.String("10.1.2.0/24")}),
		at("there", "c", system.Values{"http_port": resource.Int(18090), "subnet": resource.String("10.1.0.0/16")}),
	}, nil)
	var got []string
	for _, f := range found {
		got = append(got, f.Ref.Name+" "+f.Path+": "+f.Summary)
	}
	want := []string{
		"b https_port: port 18090 of the host is used by cluster/a already",
		"b subnet: 10.1.2.0/24 overlaps with 10.1.0.0/16 of cluster/a",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestMarksAreReadAsWritten, from a label and from the path of a mount.
func TestMarksAreReadAsWritten(t *testing.T) {
	t.Parallel()
	drawn.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[a-zA-Z0-9_.-]{1,120}`)
		scope := resource.Scope{Provider: system.Name, Location: "unix:///" + word.Draw(t, "location")}
		ref := resource.Ref{
			Stack: word.Draw(t, "stack"), Provider: system.Name, Location: scope.Location, Kind: system.KindCluster,
			Name: rapid.StringMatching(system.ClusterName).Draw(t, "name"),
		}
		r := provider.Request{
			Key: word.Draw(t, "key"), Owner: word.Draw(t, "owner"),
			Desired: resource.Desired{Ref: ref, Blessed: rapid.Bool().Draw(t, "blessed")},
		}
		text, err := birthMarks(r)
		if err != nil {
			t.Fatal(err)
		}
		want := resource.Marks{Ref: ref, Owner: r.Owner, Key: r.Key, Blessed: r.Desired.Blessed}
		var labeled, mounted docker.Container
		labeled.Config.Labels = map[string]string{marksLabel: text}
		mounted.Mounts = []struct{ Source, Destination string }{{"/dev/null", marksPath(text)}}
		for _, part := range strings.Split(marksPath(text), "/") {
			if len(part) > 255 {
				t.Fatalf("a part of the path has %d letters", len(part))
			}
		}
		for _, c := range []*docker.Container{&labeled, &mounted} {
			if got := marksOf(c, scope); got != want {
				t.Fatalf("read %+v, want %+v", got, want)
			}
			if got := marksOf(c, resource.Scope{Provider: system.Name, Location: "elsewhere"}); !got.IsZero() {
				t.Fatalf("marks of another engine are read: %+v", got)
			}
		}
	})
}
