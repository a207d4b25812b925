package edge_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/source"
)

// TestABrokenFileOfASiteStaysWithIt asserts which deployments of a site remain, and which files are unread.
func TestABrokenFileOfASiteStaysWithIt(t *testing.T) {
	t.Parallel()
	nodes, app := "nodes: [{name: n1}]\n", "id: app\nnodes: all\nversion: \"1\"\nimage: example/app\n"
	for name, c := range map[string]struct {
		files map[string]string
		left  []string
		parts []string
		whole bool
	}{
		"broken YAML": {map[string]string{"b.yaml": "id: b\nnodes: all\n  version: [1\n"}, []string{"app"}, []string{"b.yaml"}, false},
		"an unknown node": {
			map[string]string{"b.yaml": "id: b\nnodes: [n9]\nversion: \"1\"\nimage: x\n"},
			[]string{"app"},
			[]string{"b.yaml"},
			false,
		},
		"two of one id":    {map[string]string{"0.yaml": app}, nil, []string{"0.yaml", "app.yaml"}, false},
		"a broken site":    {map[string]string{"site.yaml": "nodes: [\n"}, nil, nil, true},
		"no nodes at all":  {map[string]string{"site.yaml": "nodes: []\n"}, nil, nil, true},
		"an invalid limit": {map[string]string{"site.yaml": nodes + "attempts: 0\n"}, nil, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := map[string]string{"site.yaml": nodes, "app.yaml": app}
			for f, text := range c.files {
				files[f] = text
			}
			drafts, err := write(t, t.TempDir(), files).Load(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			intents, problems := source.Accept(drafts)
			if len(intents) != 1 || len(problems) == 0 {
				t.Fatalf("%d intents, %v", len(intents), problems)
			}
			in := intents[0]
			var left, parts []string
			for _, d := range in.Resources {
				left = append(left, d.Ref.Name)
			}
			for _, p := range in.Parts {
				parts = append(parts, p.Name)
			}
			if diff := cmp.Diff([][]string{c.left, c.parts}, [][]string{left, parts}); diff != "" || (in.Unread != "") != c.whole {
				t.Errorf("%q (-want +got):\n%s", in.Unread, diff)
			}
		})
	}
}
