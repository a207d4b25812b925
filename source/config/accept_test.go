package config_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config"
)

// TestWhatIsWrongWithAFileStaysWithIt asserts for each fault which resources of a folder remain, and which files are
// unread with which resources.
func TestWhatIsWrongWithAFileStaysWithIt(t *testing.T) {
	t.Parallel()
	head := "version: v1\nprovider: aws\nregion: us-east-1\nresources:\n"
	good := map[string]string{
		"f/a.yaml": head + "  - {type: vpc, name: main, cidr: 10.0.0.0/16}\n",
		"f/b.yaml": head + "  - {type: subnet, name: one, vpc: main, cidr: 10.0.1.0/24}\n",
		"f/c.yaml": strings.Replace(head, "\n", "\nstack: shop\n", 1) + "  - {type: vpc, name: other, cidr: 10.1.0.0/16}\n",
	}
	type unread struct {
		Name, Why string
		Refs      []string
		Any       bool // it may configure other names
	}
	for name, c := range map[string]struct {
		file, text string
		left       []string
		parts      []unread
		whole      string
	}{
		"syntax": {
			"f/b.yaml", head + "  - {type: [\n",
			[]string{"vpc/main", "vpc/other"},
			[]unread{{"b.yaml", "f/b.yaml:5", nil, true}},
			"",
		},
		"an invalid value": {
			"f/b.yaml", head + "  - {type: subnet, name: one, vpc: main, color: red}\n",
			[]string{"vpc/main", "vpc/other"},
			[]unread{{"b.yaml", "f/b.yaml:5", []string{"subnet/one"}, false}},
			"",
		},
		"an unknown reference": {
			"f/b.yaml", head + "  - {type: subnet, name: one, vpc: mian, cidr: 10.0.1.0/24}\n",
			[]string{"vpc/main", "vpc/other"},
			[]unread{{"b.yaml", "f/b.yaml:5", []string{"subnet/one"}, false}},
			"",
		},
		"an unknown kind": {
			"f/b.yaml", head + "  - {type: subnte, name: one, vpc: main, cidr: 10.0.1.0/24}\n",
			[]string{"vpc/main", "vpc/other"},
			[]unread{{"b.yaml", "f/b.yaml:5", nil, true}},
			"",
		},
		"an invalid value of several": {
			"f/b.yaml", head + "  - {type: subnet, name: one, count: 2, vpc: main, color: red}\n",
			[]string{"vpc/main", "vpc/other"},
			[]unread{{"b.yaml", "f/b.yaml:5", []string{"subnet/one"}, true}},
			"",
		},
		"what others refer to": {
			"f/a.yaml", head + "  - {type: [\n",
			[]string{"vpc/other"},
			[]unread{{"a.yaml", "f/a.yaml:5", []string{"subnet/one"}, true}},
			"",
		},
		"an empty file": {
			"f/b.yaml", "\n", []string{"vpc/main", "vpc/other"}, []unread{{"b.yaml", "f/b.yaml:1", nil, true}}, "",
		},
		"two of one name": {
			"f/d.yaml", head + "  - {type: vpc, name: other, cidr: 10.2.0.0/16}\n",
			[]string{"subnet/one", "vpc/main"},
			[]unread{
				{"c.yaml", `duplicate name "other"`, nil, false},
				{"d.yaml", `duplicate name "other"`, []string{"vpc/other"}, false},
			},
			"",
		},
		"a setting that differs": {
			"f/b.yaml", "version: v1\nstack: other\nresources: []\n", []string{"vpc/main", "vpc/other"}, nil, "?",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := fstest.MapFS{}
			for f, text := range good {
				files[f] = &fstest.MapFile{Data: []byte(text)}
			}
			files[c.file] = &fstest.MapFile{Data: []byte(c.text)}
			drafts, err := config.New([]string{"f"}, options(files)).Load(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			intents, problems := source.Accept(drafts)
			if len(intents) != 1 || len(problems) == 0 {
				t.Fatalf("%d intents, %v", len(intents), problems)
			}
			in := intents[0]
			if c.whole != "" {
				if in.Unread == "" && len(in.Parts) == 0 {
					t.Errorf("all was read: %+v", in)
				}
				return
			}
			if diff := cmp.Diff(c.left, short(of(in))); in.Unread != "" || diff != "" {
				t.Errorf("%s, left (-want +got):\n%s", in.Unread, diff)
			}
			for i, p := range in.Parts {
				if i >= len(c.parts) || p.Name != c.parts[i].Name || !strings.Contains(p.Why, c.parts[i].Why) || p.Any != c.parts[i].Any {
					t.Errorf("part %d: %+v", i, p)
					continue
				}
				if diff := cmp.Diff(c.parts[i].Refs, short(p.Refs)); diff != "" {
					t.Errorf("%s (-want +got):\n%s", p.Name, diff)
				}
			}
			if len(in.Parts) != len(c.parts) {
				t.Errorf("parts %+v", in.Parts)
			}
		})
	}
}

func of(in resource.Intent) []resource.Ref {
	var out []resource.Ref
	for i := range in.Resources {
		out = append(out, in.Resources[i].Ref)
	}
	return out
}

func short(refs []resource.Ref) []string {
	var out []string
	for _, r := range refs {
		out = append(out, r.Short())
	}
	slices.Sort(out)
	return slices.Compact(out)
}
