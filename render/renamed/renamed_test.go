package renamed_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/render/renamed"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/position"
)

func ref(kind, name string) resource.Ref {
	return resource.Ref{Stack: "web", Provider: "fake", Location: "here", Kind: kind, Name: name}
}

func attrs(size int64) resource.Attrs {
	return resource.Attrs{{Name: "size", Value: resource.Int(size)}}
}

func deleted(r resource.Ref, size int64) decider.Decision {
	return decider.Decision{
		Ref: r, Proposed: decider.Delete, Difference: comparator.Unwanted, Observed: &resource.Observed{Ref: r, Attrs: attrs(size)},
	}
}

func created(r resource.Ref, size int64) decider.Decision {
	return decider.Decision{Ref: r, Proposed: decider.Create, Desired: &resource.Desired{Ref: r, Attrs: attrs(size)}}
}

func disks(make func(resource.Ref, int64) decider.Decision, names ...string) (out []decider.Decision) {
	for _, name := range names {
		out = append(out, make(ref("disk", name), 1))
	}
	return out
}

func members(block string, names ...string) []decider.Decision {
	out := disks(created, names...)
	for i := range out {
		out[i].Desired.Set = &resource.Set{Name: block}
	}
	return out
}

func plan(parts ...[]decider.Decision) (p decider.Plan) {
	for _, part := range parts {
		p.Decisions = append(p.Decisions, part...)
	}
	return p
}

// nothing is the record of a plan that knows no resource but those of its decisions.
func nothing() renamed.Record {
	return renamed.Record{
		At:         func(resource.Ref) (*resource.Observed, bool) { return nil, false },
		Last:       func(resource.Ref) (resource.Attrs, bool) { return nil, false },
		Kinds:      func(string, string) (resource.Kind, bool) { return resource.Kind{}, false },
		Lines:      func(*resource.Desired) renamed.Lines { return renamed.Lines{Block: "the block", File: "the file"} },
		Configured: func(resource.Ref) bool { return false },
	}
}

// said is the groups of a plan: "a>b" is a pair that no other contradicts, "a~b" one of several.
func said(all []renamed.Group) string {
	var out []string
	for _, g := range all {
		sign := "~"
		if g.Sure {
			sign = ">"
		}
		var pairs []string
		for _, p := range g.Pairs {
			pairs = append(pairs, p.From.Name+sign+p.To.Name)
		}
		text := strings.Join(pairs, " ")
		if g.Was != "" {
			text += " was " + g.Was
		}
		out = append(out, text)
	}
	return strings.Join(out, "; ")
}

// TestAnEqualDeleteAndCreateAreOnePair: of one kind and content; a default alone is no content.
func TestAnEqualDeleteAndCreateAreOnePair(t *testing.T) {
	t.Parallel()
	defaulted := created(ref("disk", "z"), 8)
	defaulted.Desired.Defaulted = []string{"size"}
	got := renamed.Groups(plan([]decider.Decision{
		created(ref("disk", "b"), 20), deleted(ref("disk", "a"), 20), created(ref("disk", "d"), 30),
		deleted(ref("disk", "e"), 40), created(ref("net", "f"), 40), deleted(ref("disk", "y"), 8), defaulted,
	}), nothing())
	if said(got) != "a>b was a" {
		t.Fatal(said(got))
	}
	if want := "disk/a is deleted, and disk/b is created with the same configuration"; got[0].Text() != want {
		t.Error(got[0].Text())
	}
	want := "if it is the same resource, add `was: a` to the block, or `moved: [{from: disk/a, to: disk/b}]` to the file, " +
		"or run `ovi move disk/a disk/b`"
	if got[0].Suggestion() != want || got[0].All() != want {
		t.Error(got[0].Suggestion())
	}
}

// TestGroups: the members of two blocks are paired by their places; other equal resources in natural order, as one group
// of which the user names the pairs.
func TestGroups(t *testing.T) {
	t.Parallel()
	kept := disks(deleted, "a")
	kept[0].Proposed, kept[0].Reason = decider.Notify, decider.ReasonKept
	destroyed := disks(deleted, "a")
	destroyed[0].Reason = decider.ReasonDestroyed
	for name, c := range map[string]struct {
		plan       decider.Plan
		configured string
		want       string
	}{
		"nothing is deleted":      {plan(disks(created, "b")), "", ""},
		"nothing is created":      {plan(disks(deleted, "b")), "", ""},
		"the stack is destroyed":  {plan(destroyed, disks(created, "b")), "", ""},
		"kept for its data":       {plan(kept, disks(created, "b")), "", "a>b was a"},
		"one of two creates":      {plan(disks(deleted, "a"), disks(created, "b", "c")), "", "a~b"},
		"one of two deletes":      {plan(disks(deleted, "b", "a"), disks(created, "c")), "", "a~c"},
		"two blocks":              {plan(disks(deleted, "a", "b"), disks(created, "c", "d")), "", "a~c b~d"},
		"a count":                 {plan(disks(deleted, "web-0", "web-1"), members("front", "front-0", "front-1")), "", "web-0>front-0 web-1>front-1 was web"},
		"a count of one":          {plan(disks(deleted, "web-0"), members("front", "front-0")), "", "web-0>front-0 was web"},
		"keys":                    {plan(disks(deleted, "web-a-x", "web-b"), members("front-x", "front-x-a-x", "front-x-b")), "", "web-a-x>front-x-a-x web-b>front-x-b was web"},
		"a smaller count":         {plan(disks(deleted, "web-0", "web-1", "web-2"), members("front", "front-0", "front-1")), "", "web-0>front-0 web-1>front-1 was web"},
		"a part of a count":       {plan(disks(deleted, "web-2"), members("front", "front-0")), "web", "web-2>front-0"},
		"a block that stays":      {plan(disks(deleted, "web-1", "web-2"), members("front", "front-1", "front-2")), "web", "web-1>front-1 web-2>front-2"},
		"a count to keys":         {plan(disks(deleted, "web-0", "web-1", "web-2", "web-10"), members("web", "web-a", "web-b", "web-c", "web-d")), "web", "web-0~web-a web-1~web-b web-2~web-c web-10~web-d"},
		"keys to a count":         {plan(disks(deleted, "web-a", "web-b"), members("web", "web-0", "web-1")), "web", "web-a~web-0 web-b~web-1"},
		"another key":             {plan(disks(deleted, "web-a"), members("web", "web-b")), "web", "web-a>web-b"},
		"a count to one":          {plan(disks(deleted, "web-0", "web-1"), disks(created, "web")), "", "web-0~web"},
		"one to a count":          {plan(disks(deleted, "web"), members("web", "web-0", "web-1")), "web", "web~web-0"},
		"members of two blocks":   {plan(disks(deleted, "web-0", "job-0"), members("front", "front-0")), "", "job-0~front-0"},
		"members into two blocks": {plan(disks(deleted, "web-0"), members("b", "b-0"), members("c", "c-0")), "", "web-0~b-0"},
		"two counts":              {plan(disks(deleted, "a-0", "a-1", "b-0", "b-1"), members("c", "c-0", "c-1"), members("d", "d-0", "d-1")), "", "a-0~c-0 a-1~c-1 b-0~d-0 b-1~d-1"},
	} {
		r := nothing()
		r.Configured = func(block resource.Ref) bool { return block == ref("disk", c.configured) }
		if got := said(renamed.Groups(c.plan, r)); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestTheRecordDecides: what was applied last has all attributes of the new one, and no other one. It counts where it is
// on record, whatever was observed since.
func TestTheRecordDecides(t *testing.T) {
	t.Parallel()
	r := nothing()
	last := map[string]resource.Attrs{
		"drifted": attrs(1), "more": attrs(1).With("zone", resource.String("a")), "other": attrs(2), "empty": nil,
	}
	r.Last = func(r resource.Ref) (resource.Attrs, bool) { a, is := last[r.Name]; return a, is }
	empty := created(ref("disk", "b"), 0)
	empty.Desired.Attrs = nil
	for name, c := range map[string]struct {
		old  decider.Decision
		new  decider.Decision
		want string
	}{
		"as applied":        {deleted(ref("disk", "drifted"), 7), created(ref("disk", "b"), 1), "drifted>b was drifted"},
		"with more":         {deleted(ref("disk", "more"), 1), created(ref("disk", "b"), 1), ""},
		"with another":      {deleted(ref("disk", "other"), 1), created(ref("disk", "b"), 1), ""},
		"with none at all":  {deleted(ref("disk", "empty"), 1), empty, "empty>b was empty"},
		"without a record":  {deleted(ref("disk", "unknown"), 1), created(ref("disk", "b"), 1), "unknown>b was unknown"},
		"and nothing known": {deleted(ref("disk", "unknown"), 1), empty, ""},
	} {
		if got := said(renamed.Groups(plan([]decider.Decision{c.old, c.new}), r)); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestReferencesToSiblings: a reference is what the plan observed. One to a resource that is renamed as well is that of
// its former name. Secrets and what does not exist decide nothing.
func TestReferencesToSiblings(t *testing.T) {
	t.Parallel()
	r := nothing()
	r.At = func(x resource.Ref) (*resource.Observed, bool) {
		return &resource.Observed{Ref: x, ID: "id-" + x.Name, Health: resource.Healthy}, x.Kind == "net" && x.Name != "new"
	}
	on := func(d decider.Decision, ids ...resource.Value) decider.Decision {
		if d.Observed != nil {
			d.Observed.Attrs = d.Observed.Attrs.With("nets", resource.List(ids))
			return d
		}
		d.Desired.Attrs = d.Desired.Attrs.With("nets", resource.List(ids))
		return d
	}
	net := func(name string) resource.Value { return resource.Reference{Ref: ref("net", name)} }
	id := func(name string) resource.Value { return resource.String("id-" + name) }
	after := func(d decider.Decision, on resource.Ref) decider.Decision {
		d.DependsOn = []resource.Ref{on}
		return d
	}
	secret := created(ref("disk", "b"), 1)
	secret.Desired.Attrs = secret.Desired.Attrs.With("key", resource.Digest("x"))
	for name, c := range map[string]struct {
		plan []decider.Decision
		want string
	}{
		"told apart": {
			[]decider.Decision{
				on(deleted(ref("disk", "a"), 1), id("x"), resource.String("n0")), on(deleted(ref("disk", "b"), 1), id("y"), resource.String("n0")),
				on(created(ref("disk", "c"), 1), resource.String("n0"), net("y")), on(created(ref("disk", "d"), 1), resource.String("n0"), net("x")),
			}, "b>c was b; a>d was a",
		},
		"a renamed sibling": {
			[]decider.Decision{
				deleted(ref("net", "old"), 9), on(deleted(ref("disk", "a"), 1), id("old")), on(deleted(ref("disk", "b"), 1), id("else")),
				created(ref("net", "new"), 9), after(on(created(ref("disk", "c"), 1), net("new")), ref("net", "new")),
			}, "old>new was old; a>c was a",
		},
		"a new sibling": {[]decider.Decision{on(deleted(ref("disk", "a"), 1), id("old")), on(created(ref("disk", "c"), 1), net("new"))}, "a>c was a"},
		"a secret":      {[]decider.Decision{deleted(ref("disk", "a"), 1), secret}, "a>b was a"},
	} {
		if got := said(renamed.Groups(decider.Plan{Decisions: c.plan}, r)); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestSuggestions are the lines for the file and the command, by the kind of source and the number of pairs.
func TestSuggestions(t *testing.T) {
	t.Parallel()
	inside := disks(created, "shop-data")
	inside[0].Desired.At = position.Position{Used: "ovi.yaml:12"}
	var many, keys []string
	for i := range 8 {
		many, keys = append(many, fmt.Sprintf("web-%d", i)), append(keys, fmt.Sprintf("web-%c", 'a'+i))
	}
	block := renamed.Lines{Block: "the block", File: "the file"}
	for name, c := range map[string]struct {
		plan  decider.Plan
		lines renamed.Lines
		want  string
	}{
		"in a component": {
			plan:  plan(disks(deleted, "web-data"), inside),
			lines: block,
			want:  "if it is the same resource, add `was` with the former name to the block that uses the component (ovi.yaml:12), or `moved: [{from: disk/web-data, to: disk/shop-data}]` to the file",
		},
		"a manifest": {
			plan:  plan(disks(deleted, "a"), disks(created, "b")),
			lines: renamed.Lines{Block: "the metadata", File: "Chart.yaml"},
			want:  "add `was: a` to the metadata, or `moved: [{from: disk/a, to: disk/b}]` to Chart.yaml",
		},
		"a manifest in a namespace": {
			plan:  plan(disks(deleted, "dev-a"), disks(created, "dev-b")),
			lines: renamed.Lines{Block: "the metadata", File: "Chart.yaml", Prefix: "dev-"},
			want:  "add `was: a` to the metadata, or `moved: [{from: disk/a, to: disk/b}]` to Chart.yaml, or run `ovi move disk/dev-a disk/dev-b`",
		},
		"a row of a table": {
			plan:  plan(disks(deleted, "a"), disks(created, "b")),
			lines: renamed.Lines{},
			want:  "if it is the same resource, run `ovi move disk/a disk/b`",
		},
		"a count": {
			plan:  plan(disks(deleted, "web-0", "web-1"), members("front", "front-0", "front-1")),
			lines: block,
			want:  "if they are the same resources, add `was: web` to the block, or `moved: [{from: disk/web, to: disk/front}]` to the file, or run `ovi move disk/web-0 disk/front-0` and so on",
		},
		"one of several": {
			plan:  plan(disks(deleted, "a", "b"), disks(created, "c")),
			lines: block,
			want:  "if it is one of them, add `moved: [{from: disk/a, to: disk/c}]` to the file with the names that you mean",
		},
		"many": {
			plan:  plan(disks(deleted, many...), members("web", keys...)),
			lines: block,
			want:  "{from: disk/web-4, to: disk/web-e}, …]` to the file (`--json` has all 8) with the pairs that you mean",
		},
	} {
		r := nothing()
		r.Lines = func(*resource.Desired) renamed.Lines { return c.lines }
		all := renamed.Groups(c.plan, r)
		if len(all) != 1 || !strings.Contains(all[0].Suggestion(), c.want) {
			t.Errorf("%s: %v, want %s", name, all[0].Suggestion(), c.want)
		}
		if name == "many" {
			if !strings.Contains(all[0].All(), "{from: disk/web-7, to: disk/web-h}]` to the file with") {
				t.Error(all[0].All())
			}
			if !strings.HasPrefix(all[0].Text(), "disk/web-0, disk/web-1, disk/web-2, disk/web-3, disk/web-4 and 3 more are deleted, and disk/web-a") {
				t.Error(all[0].Text())
			}
		}
	}
}

// TestManyEqualResources: the effort does not grow with the number of pairs that may be meant.
func TestManyEqualResources(t *testing.T) {
	t.Parallel()
	const n = 5000
	var old, next, singles []string
	for i := range n {
		old, next = append(old, fmt.Sprintf("web-%d", i)), append(next, fmt.Sprintf("front-%d", i))
		singles = append(singles, fmt.Sprintf("single-%d", i))
	}
	for name, p := range map[string]decider.Plan{
		"members": plan(disks(deleted, old...), members("front", next...)),
		"singles": plan(disks(deleted, old...), disks(created, singles...)),
	} {
		all := renamed.Groups(p, nothing())
		if len(all) != 1 || len(all[0].Pairs) != n {
			t.Errorf("%s: %d groups", name, len(all))
		}
	}
}

// TestTheNameInItsOwnARNIsNoDifference: the policy of a bucket names the bucket. Another name or place of a name is one.
func TestTheNameInItsOwnARNIsNoDifference(t *testing.T) {
	t.Parallel()
	const policy = `{"Resource":["arn:aws:s3:::%s","arn:aws:s3:::%s/*"],"Note":"of %s"}`
	text := func(name, note string) resource.Attrs {
		return resource.Attrs{{Name: "policy", Value: resource.String(fmt.Sprintf(policy, name, name, note))}}
	}
	one := func(value string) resource.Attrs { return resource.Attrs{{Name: "n", Value: resource.String(value)}} }
	for name, c := range map[string]struct {
		old, now resource.Attrs
		want     string
	}{
		"its own":          {text("a", "all"), text("b", "all"), "a>b was a"},
		"another":          {text("x", "all"), text("y", "all"), ""},
		"a longer one":     {text("a-logs", "all"), text("b-logs", "all"), ""},
		"not in an ARN":    {text("a", "a"), text("b", "b"), ""},
		"a value":          {one("a"), one("b"), ""},
		"an ARN at an end": {one("arn:aws:iam::1:role/a"), one("arn:aws:iam::1:role/b"), "a>b was a"},
	} {
		for _, recorded := range []bool{true, false} {
			d, n := deleted(ref("disk", "a"), 0), created(ref("disk", "b"), 0)
			d.Observed.Attrs, n.Desired.Attrs = c.old, c.now
			r := nothing()
			r.Last = func(resource.Ref) (resource.Attrs, bool) { return c.old, recorded }
			if got := said(renamed.Groups(plan([]decider.Decision{d, n}), r)); got != c.want {
				t.Errorf("%s, recorded %t: %q, want %q", name, recorded, got, c.want)
			}
		}
	}
}

// TestAnotherLocationIsNamed: what a plan deletes in one location and creates in another one is counted, and a create or
// a delete alone is not.
func TestAnotherLocationIsNamed(t *testing.T) {
	in := func(location, name string) resource.Ref {
		r := ref("disk", name)
		r.Location = location
		return r
	}
	plan := decider.Plan{Decisions: []decider.Decision{
		deleted(in("here", "a"), 1), deleted(in("here", "b"), 1), deleted(in("here", "gone"), 1), deleted(in("far", "c"), 1),
		created(in("there", "a"), 1), created(in("there", "b"), 2), created(in("there", "new"), 1), created(in("here", "c"), 1),
	}}
	var got []string
	for _, x := range renamed.Relocations(plan) {
		got = append(got, x.Text(resource.Scope.String))
	}
	want := "2 resources of stack web are deleted in fake/here and created in fake/there\n" +
		"disk/c is deleted in fake/far and created in fake/here"
	if all := strings.Join(got, "\n"); all != want {
		t.Errorf("%s", all)
	}
}
