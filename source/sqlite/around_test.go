package sqlite_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/provider/cluster"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/sqlite"
	"github.com/ovi-project/ovi/source/sqlite/sqlitetest"
)

// clusterKinds are the real schemas.
type clusterKinds struct{}

func (clusterKinds) Kind(provider, kind string) (resource.Kind, bool) {
	all := cluster.Kinds()
	i := slices.IndexFunc(all, func(k resource.Kind) bool { return k.Name == kind })
	if provider != cluster.Name || i < 0 {
		return resource.Kind{}, false
	}
	return all[i], true
}

func (clusterKinds) Kinds(string) []resource.Kind { return cluster.Kinds() }
func (clusterKinds) Providers() []string          { return []string{cluster.Name} }

// around resolves a table with options of the provider.
func around(t *testing.T, set map[string]string, statements ...string) (resource.Intent, source.Problems) {
	t.Helper()
	path := t.TempDir() + "/clusters.db"
	sqlitetest.Exec(t, path, append([]string{sqlitetest.Schema()}, statements...)...)
	checks := source.Options{
		Schemas: clusterKinds{},
		Location: func(string) source.LocationRule {
			return source.LocationRule{Word: "engine", Default: "local", Pattern: cluster.Entry().Locations.Pattern}
		},
	}
	drafts, err := sqlite.New(path,
		sqlite.Options{
			Provider: cluster.Name, Options: checks,
			Option: func(key string, _ resource.Options) string { return set[key] },
		}).Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	in, problems := source.Resolve(drafts)
	if len(problems) > 0 {
		return resource.Intent{}, problems
	}
	return in[0], nil
}

const twoRows = `INSERT INTO clusters (name, provider, node_port, desired_state) VALUES ('dev', 'k3d', NULL, 'present'), ('old', 'kind', 30081, 'absent'), ('dev-a', 'kind', 30081, 'present')`

// TestARowDeclaresWhatIsAroundItsCluster, with the edges between them, and nothing where the cluster is to be
// absent.
func TestARowDeclaresWhatIsAroundItsCluster(t *testing.T) {
	in, problems := around(t, map[string]string{
		"rows": "haproxy_route, argocd_secret,applicationset, " +
			"portainer_endpoint, edge_agent, git_branch", "portainer": "https://portainer.example.com", "apps-repo": "https://x",
		"apps-name": "whoami",
	}, twoRows)
	if problems != nil {
		t.Fatal(problems)
	}
	got := map[string]string{}
	for i := range in.Resources {
		d := &in.Resources[i]
		var to []string
		for _, r := range d.Refs() {
			to = append(to, r.Kind+"/"+r.Name)
		}
		slices.Sort(to)
		got[d.Ref.Location+" "+d.Ref.Kind+"/"+d.Ref.Name] = strings.Join(slices.Compact(to), " ")
	}
	want := map[string]string{
		"local cluster/dev": "", "local cluster/dev-a": "",
		"haproxy haproxy_route/dev": "cluster/dev", "haproxy haproxy_route/dev-a": "cluster/dev-a",
		"portainer portainer_endpoint/dev": "cluster/dev", "portainer portainer_endpoint/dev-a": "cluster/dev-a",
		"management argocd_secret/dev": "cluster/dev", "management argocd_secret/dev-a": "cluster/dev-a",
		"local#dev edge_agent/dev": "portainer_endpoint/dev", "local#dev-a edge_agent/dev-a": "portainer_endpoint/dev-a",
		"git git_branch/dev": "", "git git_branch/dev-a": "",
		"management applicationset/whoami": "argocd_secret/dev argocd_secret/dev-a git_branch/dev git_branch/dev-a",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for i := range in.Resources {
		d := &in.Resources[i]
		if port, _ := d.Attrs.Int("port"); d.Ref.Kind == "haproxy_route" && port != map[string]int64{
			"dev":   30080,
			"dev-a": 30081,
		}[d.Ref.Name] {
			t.Errorf("the route of %s has the port %d", d.Ref.Name, port)
		}
	}
}

func TestUnknownOptionsOfATableAreErrors(t *testing.T) {
	for rows, want := range map[string]string{
		"haproxy_routes": `unknown kind "haproxy_routes" in the option rows`,
		"edge_agent":     "an edge_agent needs the key of its portainer_endpoint",
		"applicationset": "an applicationset needs the repository of its applications",
	} {
		if _, problems := around(t, map[string]string{"rows": rows},
			twoRows); problems == nil || !strings.Contains(problems.Error(), want) {
			t.Errorf("rows %s: %v, want %s", rows, problems, want)
		}
	}
	in, problems := around(t, nil, twoRows)
	if len(in.Resources) != 2 || problems != nil {
		t.Errorf("without the option there are %d resources, %v", len(in.Resources), problems)
	}
}
