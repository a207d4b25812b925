package sqlite_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/sourcetest"
	"github.com/ovi-project/ovi/source/sqlite"
	"github.com/ovi-project/ovi/source/sqlite/sqlitetest"
)

// kinds are the schemas of the fake provider: the kind cluster, and nothing else.
type kinds struct{}

var clusterKind = resource.Kind{Provider: "fleet", Name: "cluster", NoTags: true, Attrs: []resource.Attribute{
	{Name: "http_port", Type: resource.TInt},
	{Name: "https_port", Type: resource.TInt},
	{Name: "image", Type: resource.TString},
	{Name: "node_port", Type: resource.TInt},
	{Name: "pf_port", Type: resource.TInt},
	{Name: "provider", Type: resource.TString, Required: true, Enum: []string{"kind", "k3d"}},
	{Name: "server_ip", Type: resource.TString, Computed: true},
	{Name: "subnet", Type: resource.TString},
}}

func (kinds) Kind(provider, kind string) (resource.Kind, bool) {
	return clusterKind, provider == "fleet" && kind == "cluster"
}

func (kinds) Kinds(provider string) []resource.Kind {
	if provider != "fleet" {
		return nil
	}
	return []resource.Kind{clusterKind}
}

func (kinds) Providers() []string { return []string{"fleet"} }

func options() sqlite.Options {
	return sqlite.Options{Provider: "fleet", Options: source.Options{
		Schemas:  kinds{},
		Location: func(string) source.LocationRule { return source.LocationRule{Word: "host", Default: "local"} },
	}}
}

func table(t testing.TB, dir string, statements ...string) *sqlite.Table {
	t.Helper()
	path := filepath.Join(dir, "clusters.db")
	sqlitetest.Exec(t, path, statements...)
	return sqlite.New(path, options())
}

func ref(name string) resource.Ref {
	return resource.Ref{Stack: "clusters", Provider: "fleet", Location: "local", Kind: "cluster", Name: name}
}

func kindRow(name string, nodePort, pfPort, http, https int64) resource.Desired {
	return resource.Desired{Ref: ref(name), Attrs: resource.NewAttrs(
		resource.Attr{Name: "provider", Value: resource.String("kind")},
		resource.Attr{Name: "node_port", Value: resource.Int(nodePort)},
		resource.Attr{Name: "pf_port", Value: resource.Int(pfPort)},
		resource.Attr{Name: "http_port", Value: resource.Int(http)},
		resource.Attr{Name: "https_port", Value: resource.Int(https)},
	)}
}

func k3dRow(name, subnet string, nodePort, pfPort, http, https int64) resource.Desired {
	d := kindRow(name, nodePort, pfPort, http, https)
	d.Attrs = d.Attrs.With("provider", resource.String("k3d")).With("subnet", resource.String(subnet))
	return d
}

// TestConformance holds tables of each journal mode to what every source promises.
func TestConformance(t *testing.T) {
	for _, mode := range []string{"delete", "wal"} {
		t.Run(mode, func(t *testing.T) {
			start := []string{"PRAGMA journal_mode=" + mode, sqlitetest.Schema()}
			sourcetest.RunFixed(t, sourcetest.Fixed{
				NoLines: true,
				Good: func(t *testing.T, dir string) source.Source {
					return table(t, dir, append(start, sqlitetest.Shipped())...)
				},
				Want: []resource.Desired{
					k3dRow("dev", "10.101.0.0/16", 30080, 19001, 18090, 18443), kindRow("dev-a", 30081, 19011, 18093, 18446),
					kindRow("dev-b", 30082, 19012, 18094, 18447), kindRow("dev-c", 30083, 19013, 18095, 18448),
					k3dRow("prod", "10.103.0.0/16", 30080, 19003, 18092, 18445),
					k3dRow("uat", "10.102.0.0/16", 30080, 19002, 18091, 18444),
				},
				Moved: func(t *testing.T, dir string) source.Source {
					return table(t, dir, append(start, sqlitetest.Shipped(),
						"CREATE TABLE x AS SELECT * FROM clusters", "DELETE FROM clusters",
						"INSERT INTO clusters (name, provider) VALUES ('inserted', 'kind')",
						"INSERT INTO clusters SELECT 1000 - id, name, provider, subnet, node_port, pf_port, http_port, https_port, "+
							"server_ip, status, desired_state, actual_state, last_reconciled_at, reconcile_error, created_at, updated_at "+
							"FROM x ORDER BY name DESC")...)
				},
				Wrong: func(t *testing.T, dir string) source.Source {
					return table(t, dir, append(start, wrongRows)...)
				},
				Problems: []string{
					`^invalid name "Dev"$`, `^http_port is "80"$`, `^pf_port is "many"$`, `^https_port is "65536"$`,
					`^node_port is "1.5"$`, `^port 18090 of the host is used twice$`, `^port 19000 of the host is used twice$`,
					`^subnet 10\.1\.2\.0/24 overlaps with 10\.1\.0\.0/16 of row a$`,
					`^invalid subnet "10\.2\.0\.1/16": it has host bits$`, `^invalid subnet "x"$`,
					`^unknown desired_state "paused"$`, `^unknown provider "minikube"$`,
					`^unknown provider binary data$`, `^a kind cluster has no subnet$`,
				},
				Break: func(t *testing.T, dir string) {
					if err := os.Truncate(filepath.Join(dir, "clusters.db"), 5000); err != nil {
						t.Fatal(err)
					}
				},
			})
		})
	}
}

const wrongRows = `INSERT INTO clusters (name, provider, subnet, http_port, https_port, node_port, pf_port, desired_state) VALUES
  ('devops', 'k3d', '10.200.0.0/16', 23800, 23843, 30800, 19000, 'present'),
  ('Dev', 'k3d', NULL, NULL, NULL, NULL, NULL, 'present'),
  ('a', 'k3d', '10.1.0.0/16', 18090, NULL, NULL, NULL, 'present'),
  ('b', 'k3d', '10.1.2.0/24', 18090, NULL, NULL, NULL, 'present'),
  ('c', 'k3d', '10.2.0.1/16', 80, 65536, 1.5, 'many', 'present'),
  ('d', 'k3d', 'x', NULL, NULL, NULL, 19000, 'paused'),
  ('e', 'kind', '10.3.0.0/16', NULL, NULL, NULL, NULL, NULL),
  ('f', 'minikube', NULL, NULL, NULL, NULL, NULL, 'absent'),
  ('g', x'00ff', NULL, NULL, NULL, NULL, NULL, 'absent');`
