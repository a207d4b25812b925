package config_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/source"
	"github.com/ovi-project/ovi/source/config"
)

// picky are kinds that report a problem at every path, for every resource.
func picky(paths ...string) schemas {
	out := testKinds()
	for i := range out {
		if out[i].Name != "vpc" && out[i].Name != "subnet" {
			continue
		}
		out[i].CrossCheck = func(configured []*resource.Desired,
			find func(resource.Ref) *resource.Desired,
		) (found []resource.Finding) {
			for _, d := range configured {
				v, _ := d.Attrs.Get("vpc")
				r, _ := v.(resource.Reference)
				if whole := find(r.Ref); d.Ref.Kind == "subnet" && whole != nil {
					cidr, _ := whole.Attrs.Get("cidr")
					found = append(found, resource.Finding{
						Ref:     d.Ref,
						Problem: resource.Problem{Path: "cidr", Summary: fmt.Sprintf("in %v", cidr)},
					})
				}
				for _, p := range paths {
					found = append(found, resource.Finding{Ref: d.Ref, Problem: resource.Problem{Path: p, Summary: "about " + p}})
				}
			}
			return found
		}
	}
	return out
}

func findings(t *testing.T, kinds schemas, name, text string) []string {
	t.Helper()
	opts := options(fstest.MapFS{name: &fstest.MapFile{Data: []byte(text)}})
	opts.Options = checkedBy(kinds)
	_, err := loadFrom(config.New([]string{name}, opts))
	var problems source.Problems
	if !errors.As(err, &problems) {
		t.Fatalf("no problems, but %v", err)
	}
	var out []string
	for _, p := range problems {
		out = append(out, fmt.Sprintf("%d:%d %s %s", p.At.Line, p.At.Column, p.Ref, p.Summary))
	}
	return out
}

func TestFindingsHaveTheirPositions(t *testing.T) {
	const text = `version: v1
provider: aws
region: us-east-1
defaults:
  tags: {team: web, a.b: "1"}
resources:
  - type: vpc
    name: main
    cidr: 10.0.0.0/16
    tags:
      own: "1"
  - type: vpc
    name: far
    region: eu-west-1
    cidr: 10.0.0.0/16
`
	got := findings(t, picky("name", "region", "tags", "tags.own", "tags.team", "tags.a.b", "cidr", "elsewhere"),
		"ovi.yaml", text)
	want := []string{
		"3:9 vpc/main about region",
		"5:9 vpc/far about tags", "5:10 vpc/far about tags.team", "5:21 vpc/far about tags.a.b",
		"7:5 vpc/main about elsewhere", "8:11 vpc/main about name", "9:11 vpc/main about cidr", "11:7 vpc/main about tags",
		"11:7 vpc/main about tags.own",
		"12:5 vpc/far about elsewhere", "12:5 vpc/far about tags.own", "13:11 vpc/far about name",
		"14:13 vpc/far about region", "15:11 vpc/far about cidr",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The same finding of many resources that share a line is reported once.
func TestFindingsOfACountAreOne(t *testing.T) {
	got := findings(t, picky("region", "cidr"), "ovi.yaml",
		"version: v1\nprovider: aws\nregion: us-east-1\nresources:\n  - {type: vpc, name: a, count: 3, cidr: x}\n"+
			"  - {type: vpc, name: b, cidr: x}\n")
	if diff := cmp.Diff([]string{"3:9 vpc/a-0 about region", "5:42 vpc/a-0 about cidr", "6:32 vpc/b about cidr"},
		got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// All problems are reported at once: a block that cannot be read hides none of the others, and
// a reference to it is no further problem.
func TestFindingsComeWithTheOtherProblems(t *testing.T) {
	const text = `{"version": "v1", "provider": "aws", "region": "us-east-1", "resources": [
  {"type": "vpc", "name": "broken", "cidr": []},
  {"type": "vpc", "name": "main", "cidr": "10.0.0.0/16"},
  {"type": "subnet", "name": "a", "vpc": "main",
    "cidr": "10.1.0.0/24"},
  {"type": "subnet", "name": "b", "vpc": "broken", "cidr": "10.1.0.0/24"}
]}`
	got := findings(t, picky(), "ovi.json", text)
	if len(got) != 2 || !strings.HasPrefix(got[0], "2:") || got[1] != "5:13 subnet/a in 10.0.0.0/16" {
		t.Errorf("%q", got)
	}
}

// What holds for a resource alone is reported beside its other problems, what may follow from them is not; nor is
// a second problem at one position.
func TestAFindingAboutAnInvalidResource(t *testing.T) {
	kinds := testKinds()
	for i := range kinds {
		kinds[i].CrossCheck = func(configured []*resource.Desired,
			_ func(resource.Ref) *resource.Desired,
		) (found []resource.Finding) {
			for _, d := range configured {
				for _, p := range []string{"region", "name", "cidr", "tags.team", "tags.ovi:stack"} {
					found = append(found, resource.Finding{
						Ref: d.Ref, Alone: true,
						Problem: resource.Problem{Path: p, Summary: "about " + p},
					})
				}
				found = append(found, resource.Finding{
					Ref:     d.Ref,
					Problem: resource.Problem{Path: "name", Summary: "beside others"},
				})
				for _, tag := range d.Tags {
					found = append(found, resource.Finding{
						Ref: d.Ref, Alone: true,
						Problem: resource.Problem{Path: "elsewhere", Summary: "tag " + tag.Key},
					})
				}
			}
			return found
		}
	}
	const text = `version: v1
provider: aws
resources:
  - type: vpc
    name: main
    region: us-east-1
    cidr: []
    tags:
      team: web
      "ovi:stack": mine
      none:
  - type: vpc
    name: nowhere
    cidr: 10.0.0.0/16
`
	got := findings(t, kinds, "ovi.yaml", text)
	want := []string{
		"4:5 vpc/main tag team",
		"5:11 vpc/main about name",
		"6:13 vpc/main about region",
		"7:11 vpc/main cidr must be a string, got a list",
		"9:7 vpc/main about tags.team",
		"10:7 vpc/main the tag \"ovi:stack\" is reserved: ovi sets it",
		"11:12 vpc/main the tag none has no value",
		"12:5 vpc/nowhere no region is configured",
		"13:11 vpc/nowhere about name",
		"14:11 vpc/nowhere about cidr",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Under spec no attribute name is forbidden.
func TestSpecHoldsAttributesNamedLikeKeys(t *testing.T) {
	kinds := append(testKinds(), resource.Kind{Provider: "box", Name: "vm", Attrs: []resource.Attribute{
		text("type"), text("name"),
		{Name: "count", Type: resource.TInt},
		text("region"),
		{Name: "tags", Type: resource.TMap},
		text("spec"), text("provider"), text("size"),
	}})
	opts := options(fstest.MapFS{"ovi.yaml": {Data: []byte(`version: v1
provider: box
location: here
resources:
  - type: vm
    name: a
    tags: {x: y}
    spec: {type: t, name: n, count: 3, region: r, tags: {k: v}, spec: s, provider: p, size: z}
  - {type: vm, name: b, size: z}
  - {type: vm, name: c}
`)}})
	opts.Options = checkedBy(kinds)
	in, err := loadFrom(config.New([]string{"ovi.yaml"}, opts))
	if err != nil {
		t.Fatal(err)
	}
	str := func(s string) resource.Value { return resource.String(s) }
	want := resource.AttrsOf(map[string]resource.Value{
		"type": str("t"), "name": str("n"), "count": resource.Int(3), "region": str("r"), "size": str("z"), "spec": str("s"),
		"provider": str("p"),
		"tags":     resource.AttrsOf(map[string]resource.Value{"k": str("v")}),
	})
	a := in.Resources[0]
	if diff := cmp.Diff(want, a.Attrs); diff != "" || a.Ref.Name != "a" || len(a.Tags) != 1 {
		t.Errorf("%s, %v: %s", a.Ref, a.Tags, diff)
	}
	if got := in.Resources[1].Attrs; !got.Equal(resource.AttrsOf(map[string]resource.Value{"size": str("z")})) {
		t.Errorf("without spec: %v", got)
	}
}
