package comparator_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/position"
	"github.com/ovi-project/ovi/resource/rules"
)

func kindLookup(provider, kind string) (resource.Kind, bool) {
	var attrs []resource.Attribute
	switch kind {
	case "network":
		attrs = []resource.Attribute{{Name: "range", Type: resource.TString, Effect: resource.Replace}}
	case "server":
		attrs = []resource.Attribute{
			{Name: "network", Type: resource.TString, RefKind: "network", Effect: resource.Replace},
			{Name: "peer", Type: resource.TString, RefKind: "server"},
			{Name: "script", Type: resource.TString, WriteOnly: true},
			{Name: "later", Type: resource.TInt, WriteOnly: true, AfterCreate: true},
			{Name: "size", Type: resource.TString},
		}
	default:
		return resource.Kind{}, false
	}
	return resource.Kind{Provider: provider, Name: kind, Attrs: attrs}, provider == "fake"
}

// parse reads "location/kind/name" as a ref of the stack web and the fake provider, and
// "stack:location/kind/name" as one of another stack.
func parse(s string) resource.Ref {
	stack, rest, ok := resource.CutStack(s)
	if !ok {
		stack = "web"
	}
	r, err := resource.ParseRef("fake/" + rest)
	if err != nil {
		panic(err)
	}
	return r.In(stack)
}

type (
	configured []resource.Desired
	resources  []resource.Observed
)

// attrs reads "name value name @location/kind/name".
func attrs(s string) resource.Attrs {
	var out []resource.Attr
	words := strings.Fields(s)
	for i := 0; i+1 < len(words); i += 2 {
		var v resource.Value = resource.String(words[i+1])
		if at, ok := strings.CutPrefix(words[i+1], "@"); ok {
			v = resource.Reference{Ref: parse(at)}
		}
		out = append(out, resource.Attr{Name: words[i], Value: v})
	}
	return resource.NewAttrs(out...)
}

func desired(ref, a string) resource.Desired {
	return resource.Desired{Ref: parse(ref), Attrs: attrs(a)}
}

func ours(ref, id, a string) resource.Observed {
	r := parse(ref)
	return resource.Observed{Ref: r, ID: id, Ownership: resource.Proven, Marks: resource.Marks{Ref: r}, Attrs: attrs(a)}
}

// unmanaged is a resource that has no stack.
func unmanaged(ref, id string) resource.Observed {
	return resource.Observed{Ref: parse(ref).Bare(), ID: id, Ownership: resource.Unmanaged}
}

func with[T any](v T, f func(*T)) T { f(&v); return v }

// input compares a configuration of the stack web with resources in the locations a and b, both
// read in full.
func input(w configured, t resources) comparator.Input {
	in := comparator.Input{
		Intents: []resource.Intent{{Stack: "web", Resources: w}},
		Live:    resource.LiveState{Scopes: map[resource.Scope]resource.Snapshot{}, Unreachable: map[resource.Scope]error{}},
		Kinds:   kindLookup,
	}
	for _, location := range []string{"a", "b"} {
		s := resource.Scope{Provider: "fake", Location: location}
		snap := resource.Snapshot{Scope: s}
		for _, o := range t {
			if o.Ref.Location == location {
				snap.Resources = append(snap.Resources, o)
			}
		}
		in.Live.Scopes[s] = snap
	}
	return in
}

// lines writes differences as "type ref [path:from->to …] [cause]".
func lines(r comparator.Result) []string {
	out := []string{}
	for _, d := range r.Differences {
		s := string(d.Type) + " " + strings.Replace(strings.TrimPrefix(d.Ref.String(), "web:"), "fake/", "", 1)
		for _, c := range d.Changes {
			s += fmt.Sprintf(" %s:%s->%s", c.Path, show(c.From), show(c.To))
			if c.KnownAfterApply {
				s += "?"
			}
		}
		if d.Cause != nil {
			s += " (" + d.Cause.Error() + ")"
		}
		out = append(out, s)
	}
	return append(out, fmt.Sprintf("unchanged %d owned %d", r.Unchanged, r.Owned["web"]))
}

func show(v resource.Value) string {
	switch v := v.(type) {
	case nil:
		return "·"
	case resource.Reference:
		return "@" + v.Ref.Name
	}
	return strings.Trim(string(resource.AppendJSON(nil, v)), `"`)
}

func TestCompare(t *testing.T) {
	t.Parallel()
	unreachable := func(location string) func(*comparator.Input) {
		return func(in *comparator.Input) {
			in.Live.Unreachable[resource.Scope{Provider: "fake", Location: location}] = errors.New("page 2 failed")
		}
	}
	for name, c := range map[string]struct {
		w    configured
		t    resources
		edit func(*comparator.Input)
		want []string
	}{
		"unchanged": {
			w: configured{desired("a/server/x", "size big")}, t: resources{ours("a/server/x", "i-1", "size big script hidden")},
			want: []string{"unchanged 1 owned 1"},
		},
		"missing, with every attribute": {
			w:    configured{with(desired("a/server/x", "size big network @a/network/n"), func(d *resource.Desired) { d.Blessed, d.Tags = true, resource.Tags{{Key: "k", Value: "v"}} }), desired("a/network/n", "")},
			want: []string{"missing a/network/n", "missing a/server/x blessed:·->true network:·->@n? size:·->big tags.k:·->v", "unchanged 0 owned 0"},
		},
		"drifted in every attribute": {
			w: configured{desired("a/server/x", "size big other 1")}, t: resources{ours("a/server/x", "i-1", "size small other 2")},
			want: []string{"drifted a/server/x other:2->1 size:small->big", "unchanged 0 owned 1"},
		},
		"unwanted": {
			t: resources{ours("a/server/x", "i-1", "")}, want: []string{"unwanted a/server/x", "unchanged 0 owned 1"},
		},
		"unmanaged": {
			t:    resources{unmanaged("a/server/x", "i-1")},
			want: []string{"unmanaged a/server/x", "unchanged 0 owned 0"},
		},
		"another stack's resources are not reported": {
			t:    resources{ours("shop:a/server/x", "i-1", "")},
			want: []string{"unchanged 0 owned 0"},
		},
		"another stack's resource of the same name": {
			w: configured{desired("a/server/x", "")}, t: resources{ours("a/server/x", "i-1", ""), ours("shop:a/server/x", "i-2", "size big")},
			want: []string{"unchanged 1 owned 1"},
		},
		"missing, and another stack has the name": {
			w: configured{desired("a/server/x", "size big")}, t: resources{ours("shop:a/server/x", "i-1", "")},
			want: []string{"missing a/server/x size:·->big", "unchanged 0 owned 0"},
		},
		"missing, and another stack has the name that the system knows": {
			w: configured{desired("a/server/x", "size big")}, t: resources{ours("shop:a/server/x", "x", "")},
			want: []string{"conflict a/server/x (x exists and is owned by stack shop)", "unchanged 0 owned 0"},
		},
		"two stacks configure the same name": {
			w: configured{desired("a/server/x", "size big")}, t: resources{ours("a/server/x", "i-1", "size big"), ours("shop:a/server/x", "i-2", "size big")},
			edit: func(in *comparator.Input) {
				in.Intents = append(in.Intents, resource.Intent{Stack: "shop", Resources: configured{desired("shop:a/server/x", "size small")}})
			},
			want: []string{"drifted shop:a/server/x size:big->small", "unchanged 1 owned 1"},
		},
		"two stacks configure the same name, and an unmanaged resource has it": {
			w: configured{desired("a/server/x", "")}, t: resources{unmanaged("a/server/x", "i-1")},
			edit: func(in *comparator.Input) {
				in.Intents = append(in.Intents, resource.Intent{Stack: "shop", Resources: configured{desired("shop:a/server/x", "")}})
			},
			want: []string{"conflict shop:a/server/x (i-1 exists and is unmanaged)", "conflict a/server/x (i-1 exists and is unmanaged)", "unchanged 0 owned 0"},
		},
		"configured, but unmanaged": {
			w: configured{desired("a/server/x", "size big")}, t: resources{unmanaged("a/server/x", "i-1")},
			want: []string{"conflict a/server/x (i-1 exists and is unmanaged)", "unchanged 0 owned 0"},
		},
		"configured by one stack, unwanted by another": {
			w: configured{desired("a/server/x", "")}, t: resources{ours("old:a/server/x", "i-1", "")},
			edit: func(in *comparator.Input) { in.Intents = append(in.Intents, resource.Intent{Stack: "old"}) },
			want: []string{"unwanted old:a/server/x", "missing a/server/x", "unchanged 0 owned 0"},
		},
		"two bound resources, configured": {
			w: configured{desired("a/server/x", "size big")}, t: resources{ours("a/server/x", "i-2", "size big"), ours("a/server/x", "i-1", "size big")},
			want: []string{"conflict a/server/x (2 resources are bound to it: i-1, i-2)", "unchanged 0 owned 2"},
		},
		"two bound resources, unwanted": {
			t:    resources{ours("a/server/x", "i-1", ""), ours("a/server/x", "i-2", "")},
			want: []string{"conflict a/server/x (2 resources are bound to it: i-1, i-2)", "unchanged 0 owned 2"},
		},
		"an unmanaged resource of the same name": {
			w: configured{desired("a/server/x", "")}, t: resources{ours("a/server/x", "i-1", ""), unmanaged("a/server/x", "i-0")},
			want: []string{"unmanaged a/server/x", "unchanged 1 owned 1"},
		},
		"an unreachable scope: nothing is missing or unwanted": {
			w: configured{desired("a/server/x", ""), desired("b/server/y", "")}, t: resources{ours("a/server/z", "i-1", ""), ours("b/server/y", "i-2", "")},
			edit: unreachable("a"), want: []string{"unreachable a/server/x (page 2 failed)", "unchanged 1 owned 1"},
		},
		"a scope that was not observed": {
			w: configured{desired("c/server/x", "")}, want: []string{"unreachable c/server/x (fake/c: it was not observed)", "unchanged 0 owned 0"},
		},
		"a reference into an unreachable scope is no change": {
			w: configured{desired("a/network/n", ""), desired("b/server/x", "network @a/network/n")}, t: resources{ours("b/server/x", "i-1", "network net-1")},
			edit: unreachable("a"), want: []string{"unreachable a/network/n (page 2 failed)", "unchanged 1 owned 1"},
		},
		"configured as blessed, no mark": {
			w: configured{with(desired("a/server/x", ""), func(d *resource.Desired) { d.Blessed = true })}, t: resources{ours("a/server/x", "i-1", "")},
			want: []string{"drifted a/server/x blessed:false->true", "unchanged 0 owned 1"},
		},
		"a blessed mark that is not recorded is drift": {
			w: configured{desired("a/server/x", "")}, t: resources{with(ours("a/server/x", "i-1", ""), func(o *resource.Observed) { o.Marks.Blessed = true })},
			want: []string{"drifted a/server/x blessed:true->false", "unchanged 0 owned 1"},
		},
		"recorded as blessed, the mark was removed": {
			w: configured{desired("a/server/x", "")}, t: resources{ours("a/server/x", "i-1", "")},
			edit: func(in *comparator.Input) { in.Blessed = func(r resource.Ref) bool { return r.Name == "x" } },
			want: []string{"drifted a/server/x blessed:false->true", "unchanged 0 owned 1"},
		},
		"tags and write-only attributes are compared with what was applied": {
			w: configured{desired("a/server/x", "script new")},
			t: resources{with(ours("a/server/x", "i-1", ""), func(o *resource.Observed) {
				o.Tags = resource.Tags{{Key: "mine", Value: "1"}, {Key: "theirs", Value: "2"}}
			})},
			edit: func(in *comparator.Input) {
				in.Applied = func(resource.Ref) (comparator.Applied, bool) {
					return comparator.Applied{Attrs: attrs("script old"), Tags: resource.Tags{{Key: "mine", Value: "1"}}}, true
				}
			},
			want: []string{"drifted a/server/x script:old->new tags.mine:1->·", "unchanged 0 owned 1"},
		},
		"what a creation without a result sets after its creating call is set again": {
			w: configured{desired("a/server/x", "script new later 1")}, t: resources{ours("a/server/x", "i-1", "")},
			edit: func(in *comparator.Input) {
				in.Applied = func(resource.Ref) (comparator.Applied, bool) {
					return comparator.Applied{Attrs: attrs("script new later 1"), Recovered: true}, true
				}
			},
			want: []string{"drifted a/server/x later:·->1", "unchanged 0 owned 1"},
		},
		"what a creation with a result has set is not set again": {
			w: configured{desired("a/server/x", "script new later 1")}, t: resources{ours("a/server/x", "i-1", "")},
			edit: func(in *comparator.Input) {
				in.Applied = func(resource.Ref) (comparator.Applied, bool) {
					return comparator.Applied{Attrs: attrs("script new later 1")}, true
				}
			},
			want: []string{"unchanged 1 owned 1"},
		},
		"ignored by the resource and by the stack": {
			w: configured{with(desired("a/server/x", "size big other 1"), func(d *resource.Desired) { d.Ignore = []string{"size"} })}, t: resources{ours("a/server/x", "i-1", "size small other 2")},
			edit: func(in *comparator.Input) {
				in.Intents[0].Rules.Ignore = []rules.Ignore{{Kind: "server", Paths: []string{"oth*"}}}
			},
			want: []string{"unchanged 1 owned 1"},
		},
		"resources that depend on a replaced one follow": {
			w: configured{desired("a/network/n", "range 1"), desired("a/server/x", "network @a/network/n"), desired("a/server/y", "peer @a/server/x"), desired("a/server/z", "peer @a/server/y")},
			t: resources{ours("a/network/n", "net-1", "range 2"), ours("a/server/x", "i-1", "network net-1"), ours("a/server/y", "i-2", "peer i-1"), ours("a/server/z", "i-3", "peer i-2")},
			want: []string{
				"drifted a/network/n range:2->1", "drifted a/server/x network:net-1->@n?",
				"drifted a/server/y peer:i-1->@x?", "unchanged 1 owned 4",
			},
		},
		"a resource that refers to a missing one differs": {
			w: configured{desired("a/network/n", ""), desired("a/server/x", "network @a/network/n")}, t: resources{ours("a/server/x", "i-1", "network net-1")},
			want: []string{"missing a/network/n", "drifted a/server/x network:net-1->@n?", "unchanged 0 owned 1"},
		},
		"differences are sorted by location": {
			w: configured{desired("b/server/x", ""), desired("a/server/y", "")}, want: []string{"missing a/server/y", "missing b/server/x", "unchanged 0 owned 0"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := input(c.w, c.t)
			if c.edit != nil {
				c.edit(&in)
			}
			got, err := comparator.Compare(in)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, lines(got)); d != "" {
				t.Errorf("differences (-want +got):\n%s", d)
			}
			shuffled, err := comparator.Compare(shuffle(in))
			if d := cmp.Diff(c.want, lines(shuffled)); d != "" || err != nil {
				t.Errorf("in another order of input, %v (-want +got):\n%s", err, d)
			}
		})
	}
}

// shuffle returns the same input in another order.
func shuffle(in comparator.Input) comparator.Input {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range in.Intents {
		o := append([]resource.Desired(nil), in.Intents[i].Resources...)
		r.Shuffle(len(o), func(i, j int) { o[i], o[j] = o[j], o[i] })
		in.Intents[i].Resources = o
	}
	scopes := map[resource.Scope]resource.Snapshot{}
	for s, snap := range in.Live.Scopes {
		o := append([]resource.Observed(nil), snap.Resources...)
		r.Shuffle(len(o), func(i, j int) { o[i], o[j] = o[j], o[i] })
		scopes[s] = resource.Snapshot{Scope: s, Resources: o}
	}
	in.Live.Scopes = scopes
	return in
}

func TestInvalidConfigurationsAreErrors(t *testing.T) {
	t.Parallel()
	at := func(d resource.Desired, line int) resource.Desired {
		d.At = position.Position{File: "ovi.yaml", Line: line}
		return d
	}
	for name, c := range map[string]struct {
		in   comparator.Input
		want string
	}{
		"a duplicate ref": {
			in:   input(configured{at(desired("a/server/x", ""), 3), at(desired("a/server/x", ""), 9)}, nil),
			want: "comparator: duplicate web:fake/a/server/x, at ovi.yaml:3 and at ovi.yaml:9: rename or remove one",
		},
		"a ref of another stack": {
			in:   input(configured{at(desired("shop:a/server/x", ""), 3)}, nil),
			want: "comparator: shop:fake/a/server/x is not of stack web, which configures it",
		},
		"one stack from two sources": {
			in:   with(input(nil, nil), func(in *comparator.Input) { in.Intents = append(in.Intents, in.Intents[0]) }),
			want: "comparator: duplicate stack web: rename one of the two",
		},
		"no stack": {
			in:   with(input(nil, nil), func(in *comparator.Input) { in.Intents[0].Stack, in.Intents[0].Source = "", "x.yaml" }),
			want: `comparator: the configuration "x.yaml" has no stack name`,
		},
		"an unknown kind": {
			in:   input(configured{desired("a/boat/x", "size 1")}, nil),
			want: "comparator: web:fake/a/boat/x: provider fake has no kind boat",
		},
		"a dependency that is not configured": {
			in:   input(configured{at(desired("a/server/x", "network @a/network/n"), 4)}, nil),
			want: "comparator: at ovi.yaml:4: resource: web:fake/a/server/x depends on web:fake/a/network/n, which is not configured",
		},
		"a dependency that is unwanted": {
			in:   input(configured{desired("a/server/x", "network @a/network/n")}, resources{ours("a/network/n", "net-1", ""), ours("a/server/x", "i-1", "network net-1")}),
			want: "comparator: in stack web: resource: web:fake/a/server/x depends on web:fake/a/network/n, which is not configured",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			res, err := comparator.Compare(c.in)
			if err == nil || err.Error() != c.want {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
			if res.Differences != nil {
				t.Errorf("differences besides the error: %v", res.Differences)
			}
		})
	}
}

func TestAnotherStacksResourceCanBeReferredTo(t *testing.T) {
	t.Parallel()
	in := input(configured{desired("a/server/x", "network @base:a/network/n")}, resources{
		ours("base:a/network/n", "net-1", ""), ours("a/server/x", "i-1", "network net-1"),
	})
	got, err := comparator.Compare(in)
	if err != nil || len(got.Differences) > 0 {
		t.Errorf("%v, %v", lines(got), err)
	}
}

// TestNothingIsCreatedBesideADisputedResource: one whose tags name what is missing may be it, if the
// record of its name was edited. Under another name of the stack, under the same name of another
// stack and before or after it in the order, creating it is a conflict.
func TestNothingIsCreatedBesideADisputedResource(t *testing.T) {
	t.Parallel()
	for _, recorded := range []string{"a/server/a", "a/server/z", "shop:a/server/x"} {
		in := input(configured{desired("a/server/x", "")}, resources{with(ours(recorded, "i-1", ""), func(o *resource.Observed) {
			o.Ownership, o.Marks.Ref = resource.Disputed, parse("a/server/x")
		})})
		got, err := comparator.Compare(in)
		if err != nil {
			t.Fatal(err)
		}
		all := strings.Join(lines(got), "\n")
		if !strings.Contains(all, "conflict a/server/x (i-1 has its tags, but is recorded as server/") || strings.Contains(all, "missing") {
			t.Errorf("recorded as %s:\n%s", recorded, all)
		}
	}
}
