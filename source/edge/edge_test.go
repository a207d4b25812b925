package edge_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/rules"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/edge"
	"github.com/ovi-project/ovi/source/sourcetest"
)

// kinds are the schemas of a provider of deployments.
type kinds struct{}

func deployment() resource.Kind {
	text := &resource.Attribute{Type: resource.TString}
	return resource.Kind{
		Provider: "site", Name: "deployment", NoTags: true, NamePattern: `[a-z0-9-]+`,
		NameDoc: "use lower-case letters", Attrs: []resource.Attribute{
			{Name: "version", Type: resource.TString, Required: true},
			{Name: "image", Type: resource.TString, Required: true},
			{
				Name: "health_check", Type: resource.TObject,
				Fields: []resource.Attribute{{Name: "command", Type: resource.TList, Elem: text}},
			},
		},
	}
}

func (kinds) Kind(provider, kind string) (resource.Kind, bool) {
	return deployment(), provider == "site" && kind == "deployment"
}
func (kinds) Kinds(string) []resource.Kind { return []resource.Kind{deployment()} }
func (kinds) Providers() []string          { return []string{"site"} }

func options() edge.Options {
	return edge.Options{Provider: "site", Kind: "deployment", Options: source.Options{
		Schemas: kinds{}, Location: func(string) source.LocationRule {
			return source.LocationRule{Word: "node", Example: "berlin/n1", Required: true}
		},
	}}
}

const (
	nodes = "nodes:\n  - {name: n1, labels: {zone: a}}\n  - {name: n2, labels: {zone: b}}\n" +
		"  - {name: n3, labels: {zone: b, gpu: \"1\"}}\n"
	web = "id: web\nversion: \"1\"\nimage: example/web\nnodes: {zone: b}\ndepends_on: [db]\n" +
		"health_check: {command: [/bin/ok]}\n"
	db  = "id: db\nversion: \"2\"\nimage: example/db\nnodes: all\n"
	one = "id: one\nversion: \"3\"\nimage: example/one\nnodes: [n1]\n"
)

func write(t *testing.T, dir string, files map[string]string) source.Source {
	t.Helper()
	folder := filepath.Join(dir, "berlin")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return edge.New(folder, options())
}

func at(node, name, version string, more ...resource.Attr) resource.Desired {
	d := resource.Desired{Ref: resource.Ref{
		Stack: "berlin", Provider: "site", Location: "berlin/" + node,
		Kind: "deployment", Name: name,
	}}
	d.Attrs = resource.NewAttrs(append(more, resource.Attr{Name: "version", Value: resource.String(version)},
		resource.Attr{Name: "image", Value: resource.String("example/" + name)})...)
	return d
}

// TestConformance holds the folder of a site to what every source promises.
func TestConformance(t *testing.T) {
	t.Parallel()
	check := resource.Attr{
		Name:  "health_check",
		Value: resource.NewAttrs(resource.Attr{Name: "command", Value: resource.List{resource.String("/bin/ok")}}),
	}
	needs := func(d resource.Desired) resource.Desired {
		db := d.Ref
		db.Name = "db"
		d.DependsOn = []resource.Ref{db}
		return d
	}
	sourcetest.RunFixed(t, sourcetest.Fixed{
		Good: func(t *testing.T, dir string) source.Source {
			return write(t, dir, map[string]string{
				"site.yaml": nodes, "web.yaml": web, "db.yaml": db, "one.yml": one,
				"readme.md": "none",
			})
		},
		Want: []resource.Desired{
			at("n1", "db", "2"), at("n1", "one", "3"),
			at("n2", "db", "2"), needs(at("n2", "web", "1", check)),
			at("n3", "db", "2"), needs(at("n3", "web", "1", check)),
		},
		Moved: func(t *testing.T, dir string) source.Source {
			return write(t, dir, map[string]string{
				"site.yaml": nodes, "a.yaml": one, "b.yaml": db, "c.yaml": web,
				"d.yaml": strings.Replace(one, "id: one", "id: inserted", 1),
			})
		},
		Wrong: func(t *testing.T, dir string) source.Source {
			return write(t, dir, map[string]string{
				"site.yaml": nodes + "sites: x\n", "a.yaml": "version: 1\n", "b.yaml": "id: b\nversion: \"1\"\nimage: x\n",
				"c.yaml": "id: c\nversion: \"1\"\nimage: x\nnodes: [n9]\n",
				"d.yaml": "id: d\nversion: \"1\"\nimage: x\nnodes: {zone: c}\n",
				"e.yaml": "id: e\nversion: \"1\"\nimagee: x\nnodes: all\n", "f.yaml": "id: f\nnodes: 3\n", "g.yaml": "- 1\n",
				"h.yaml": "a: b: c\n",
				"i.yaml": one, "j.yaml": one, "k.yaml": "id: k\nversion: \"1\"\nimage: x\nnodes: all\ndepends_on: [one]\n",
				"n.yaml": strings.Replace(one, "id: one", "id: n",
					1) + "update: {waves: [0, 2, 1], max_failed: x, every: 1, promote: me, lock: [], windows: [{from: \"22:00\", " +
					"to: \"4 am\", days: [sat, caturday], zone: Moon}, {from: \"1:00\"}]}\nrollback: maybe\nattempts: 0\n",
				"o.yaml": strings.Replace(one, "id: one", "id: o", 1) + "update: 3\n",
				"l.yaml": "id: l\nid: m\n",
			})
		},
		Problems: []string{
			`^unknown key "sites"$`, `^the deployment has no id$`, `^the deployment selects no nodes$`, `^unknown node "n9"$`,
			`^no node of the site has these labels$`,
			`^unknown attribute "imagee"`, `^nodes is `, `^expected a block of keys`, `^unexpected key$`,
			`^duplicate id "one"$`, `^one is not deployed on node n2$`,
			`^duplicate key "id"$`,
			`^a wave of no nodes$`, `^a wave that is not larger`, `^max_failed is `, `^unknown key "every" of update$`,
			`^promote is `, `^lock is `, `^invalid time "4 am"$`, `^unknown day "caturday"$`, `^unknown time zone "Moon"$`,
			`^a window needs to$`, `^rollback is `, `^attempts is `, `^update is `,
		},
		Break: func(t *testing.T, dir string) {
			if err := os.WriteFile(filepath.Join(dir, "berlin", "db.yaml"), []byte(db[:12]), 0o644); err != nil {
				t.Fatal(err)
			}
		},
	})
}

// TestAnEmptySiteIsAnAccident: without deployments, and without a word that this is meant, there is an
// error; the nodes are scopes of the stack either way, so that what runs there is seen.
func TestAnEmptySiteIsAnAccident(t *testing.T) {
	t.Parallel()
	load := func(text string) ([]resource.Intent, error) {
		o := options()
		o.Files = fstest.MapFS{"sites/berlin/site.yaml": {Data: []byte(text)}}
		return source.Load(t.Context(), edge.New("sites/berlin", o))
	}
	if _, err := load(nodes); err == nil || !strings.Contains(err.Error(),
		"nothing is deleted because of that\n  at sites/berlin/site.yaml:1:1") {
		t.Errorf("an empty site: %v", err)
	}
	in, err := load(nodes + "deployments: none\nattempts: 5\n")
	if err != nil || len(in) != 1 {
		t.Fatal(in, err)
	}
	var scopes []string
	for _, s := range in[0].Scopes {
		scopes = append(scopes, s.Location)
	}
	if diff := cmp.Diff([]string{"berlin/n1", "berlin/n2", "berlin/n3"},
		scopes); diff != "" || len(in[0].Resources) > 0 || !in[0].Rules.DestroyAuto ||
		in[0].Rules.Attempts != (rules.Attempts{Count: 5, Configuration: 1}) {
		t.Errorf("%+v\n%s", in[0], diff)
	}
}

// TestAPolicyIsThatOfTheDeploymentOrOfTheSite: rollback and attempts one by one, update as a whole.
func TestAPolicyIsThatOfTheDeploymentOrOfTheSite(t *testing.T) {
	t.Parallel()
	o := options()
	o.Files = fstest.MapFS{
		"berlin/site.yaml": {Data: []byte(nodes +
			"rollback: on\nupdate: {waves: [1, 50%], max_failed: 1, promote: central, windows: [{name: nights, days: [sat, " +
			"sun], from: \"22:00\", to: \"04:00\"}]}\n")},
		"berlin/db.yaml": {Data: []byte(db +
			"rollback: off\nattempts: {count: 5, other: 20}\nupdate: {max_unavailable: 10%}\n")},
		"berlin/one.yaml": {Data: []byte(one)},
	}
	in, err := source.Load(t.Context(), edge.New("berlin", o))
	if err != nil {
		t.Fatal(err)
	}
	count := func(n int) rules.Budget { return rules.Budget{Set: true, Count: n} }
	share := func(n int) rules.Budget { return rules.Budget{Set: true, Count: n, Percent: true} }
	night := rules.Window{
		Name: "nights", Days: []time.Weekday{time.Saturday, time.Sunday}, From: 22 * time.Hour,
		To: 4 * time.Hour,
	}
	want := []rules.Update{
		{
			Kind: "deployment", Name: "db", MaxUnavailable: share(10),
			Attempts: rules.Attempts{Count: 5, Configuration: 1, Other: 20},
		},
		{
			Kind: "deployment", Name: "one", Waves: []rules.Budget{count(1), share(50)}, MaxFailed: count(1), Rollback: true,
			Promote: true, Windows: []rules.Window{night},
		},
	}
	night.Actions, night.Kinds = []string{"delete"}, []string{"deployment"}
	if diff := cmp.Diff([]rules.Window{night}, in[0].Rules.Windows); diff != "" {
		t.Errorf("windows of deletions (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, in[0].Rules.Updates); diff != "" || in[0].Rules.Attempts != (rules.Attempts{
		Count:         3,
		Configuration: 1,
	}) || in[0].Rules.AttemptsOf("deployment", "db").Count != 5 {
		t.Errorf("updates (-want +got):\n%s", diff)
	}
}
