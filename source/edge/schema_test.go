package edge_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	provided "github.com/ovi-project/ovi/provider/edge"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/edge"
)

// edgeKinds are the schemas of the provider of the edge.
type edgeKinds struct{}

func (edgeKinds) Kind(string, string) (resource.Kind, bool) { return provided.Kinds()[0], true }
func (edgeKinds) Kinds(string) []resource.Kind              { return provided.Kinds() }
func (edgeKinds) Providers() []string                       { return []string{provided.Name} }

// compiledSchema is a schema in the hands of an implementation that is not ours.
func compiledSchema(t *testing.T, text []byte) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("site.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("site.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// fits checks a file by a schema.
func fits(t *testing.T, s *jsonschema.Schema, text string) error {
	t.Helper()
	var v any
	if err := yaml.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(doc)
}

// reads reports why ovi refuses the files of a site.
func reads(t *testing.T, site, deployment string) error {
	t.Helper()
	files := fstest.MapFS{"berlin/site.yaml": {Data: []byte(site)}, "berlin/app.yaml": {Data: []byte(deployment)}}
	rule := func(string) source.LocationRule {
		return source.LocationRule{Word: "node", Example: "berlin/n1", Required: true}
	}
	o := edge.Options{
		Provider: provided.Name, Kind: provided.Kind, Files: files,
		Options: source.Options{Schemas: edgeKinds{}, Location: rule},
	}
	_, err := source.Load(t.Context(), edge.New("berlin", o))
	return err
}

// TestTheSchemasOfASiteAcceptAndRefuseWhatOviDoes.
func TestTheSchemasOfASiteAcceptAndRefuseWhatOviDoes(t *testing.T) {
	site, deployment := compiledSchema(t, edge.SiteSchema()), compiledSchema(t, edge.DeploymentSchema(provided.Kinds()[0]))
	const (
		goodSite = "nodes: [{name: n1, labels: {zone: a}}]\n"
		good     = "id: app\nversion: \"1\"\nimage: app\nnodes: all\n"
	)
	check := func(what string, s *jsonschema.Schema, text string, ovi error, want bool) {
		t.Helper()
		if err := fits(t, s, text); (err == nil) != want || (ovi == nil) != want {
			t.Errorf("%s %q: want accepted %v; the schema says %v, ovi %v", what, text, want, err, ovi)
		}
	}
	for text, want := range map[string]bool{
		"": true, "site: paris\n": true,
		"attempts: 5\nrollback: on\nupdate: {waves: [1, 25%], max_unavailable: 10%, max_failed: 0}\n": true,
		"rollback: false\n": true,
		"attempts: 0\n":     false, "rollback: maybe\n": false, "update: {waves: []}\n": false,
		"update: {waves: [0]}\n": false, "update: {every: 1}\n": false,
		"update: {max_failed: 101%}\n": false, "sites: x\n": false, "deployments: some\n": false,
	} {
		check("site.yaml", site, goodSite+text, reads(t, goodSite+text, good), want)
		if text != "site: paris\n" && want {
			check("a deployment", deployment, good+text, reads(t, goodSite, good+text), want)
		}
	}
	for text, want := range map[string]bool{
		"command: [/bin/app]\nenv: {A: b}\nports: [{container: 80, host: 8080}]\n" +
			"health_check: {command: [/bin/ready], interval: 5}\n": true,
		"health_check: {interval: 5}\n": false, "health_check: {command: []}\n": false, "imagee: x\n": false,
		"ports: [{container: 80}]\n": false, "ports: [{container: 0, host: 1}]\n": false,
		"phase: installed\n": false, "depends_on: db\n": false, "update: 3\n": false, "attempts: 0\n": false,
	} {
		check("a deployment", deployment, good+text, reads(t, goodSite, good+text), want)
	}
}

// TestTheExampleSiteFitsItsSchemas.
func TestTheExampleSiteFitsItsSchemas(t *testing.T) {
	for _, name := range []string{"site.yaml", "db.yaml", "web.yaml"} {
		b, err := os.ReadFile(filepath.Join("../../examples/site", name))
		if err != nil {
			t.Fatal(err)
		}
		text := edge.DeploymentSchema(provided.Kinds()[0])
		if name == "site.yaml" {
			text = edge.SiteSchema()
		}
		if err := fits(t, compiledSchema(t, text), string(b)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	rule := func(string) source.LocationRule {
		return source.LocationRule{Word: "node", Example: "berlin/n1", Required: true}
	}
	o := edge.Options{
		Provider: provided.Name, Kind: provided.Kind,
		Options: source.Options{Schemas: edgeKinds{}, Location: rule},
	}
	in, err := source.Load(t.Context(), edge.New("../../examples/site", o))
	if err != nil || len(in[0].Resources) != 4 || len(in[0].Rules.Updates) != 2 {
		t.Errorf("%+v, %v", in, err)
	}
}
