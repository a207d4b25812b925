package renamed_test

import (
	"strings"
	"testing"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/render/renamed"
	"github.com/ovi-project/ovi/resource"
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

func none(resource.Ref) (*resource.Observed, bool) { return nil, false }

// TestAnEqualDeleteAndCreateAreOnePair: of one kind and content; a default alone is no content.
func TestAnEqualDeleteAndCreateAreOnePair(t *testing.T) {
	t.Parallel()
	defaulted := created(ref("disk", "z"), 8)
	defaulted.Desired.Defaulted = []string{"size"}
	got := renamed.Pairs(decider.Plan{Decisions: []decider.Decision{
		created(ref("disk", "b"), 20), deleted(ref("disk", "a"), 20), created(ref("disk", "d"), 30),
		deleted(ref("disk", "e"), 40), created(ref("net", "f"), 40), deleted(ref("disk", "y"), 8), defaulted,
	}}, none)
	if len(got) != 1 || got[0] != (renamed.Pair{From: ref("disk", "a"), To: ref("disk", "b")}) {
		t.Errorf("%v", got)
	}
	if got[0].Suggestion() != "if it is the same resource, add `was: a` to the block, or `moved: [{from: disk/a, to: disk/b}]` to the file" {
		t.Error(got[0].Suggestion())
	}
}

// TestNoPairIsAGuess: where several deletes or creates are equal, no pair is proposed, unless they are the members of two
// blocks in the same places. A reference is the value that the plan observed.
func TestNoPairIsAGuess(t *testing.T) {
	t.Parallel()
	in := func(d decider.Decision, net string) decider.Decision {
		d.Desired.Attrs = d.Desired.Attrs.With("nets", resource.List{resource.String("n0"), resource.Reference{Ref: ref("net", net)}})
		return d
	}
	on := func(d decider.Decision, id string) decider.Decision {
		d.Observed.Attrs = d.Observed.Attrs.With("nets", resource.List{resource.String(id), resource.String("n0")})
		return d
	}
	member := func(block string, d decider.Decision) decider.Decision {
		d.Desired.Set = &resource.Set{Name: block}
		return d
	}
	at := func(r resource.Ref) (*resource.Observed, bool) {
		return &resource.Observed{Ref: r, ID: "id-" + r.Name, Health: resource.Healthy}, r.Kind == "net"
	}
	inside := created(ref("disk", "shop-data"), 7)
	inside.Desired.At.Used = "ovi.yaml:12"
	for name, c := range map[string]struct {
		plan []decider.Decision
		want string
	}{
		"two creates": {[]decider.Decision{deleted(ref("disk", "a"), 1), created(ref("disk", "b"), 1), created(ref("disk", "c"), 1)}, ""},
		"two deletes": {[]decider.Decision{deleted(ref("disk", "a"), 1), deleted(ref("disk", "b"), 1), created(ref("disk", "c"), 1)}, ""},
		"told apart by a reference": {
			[]decider.Decision{on(deleted(ref("disk", "a"), 1), "id-x"), on(deleted(ref("disk", "b"), 1), "id-y"), in(created(ref("disk", "c"), 1), "y"), in(created(ref("disk", "d"), 1), "x")},
			"b>c a>d ",
		},
		"members": {
			[]decider.Decision{deleted(ref("disk", "web-0"), 1), deleted(ref("disk", "web-1"), 1), member("front", created(ref("disk", "front-0"), 1)), member("front", created(ref("disk", "front-1"), 1))},
			"web-0>front-0 web-1>front-1 ",
		},
		"members of two blocks": {
			[]decider.Decision{deleted(ref("disk", "web-0"), 1), deleted(ref("disk", "job-0"), 1), member("front", created(ref("disk", "front-0"), 1))}, "",
		},
		"in a component": {[]decider.Decision{deleted(ref("disk", "web-data"), 7), inside}, "web-data>shop-data (ovi.yaml:12)"},
	} {
		got := ""
		for _, p := range renamed.Pairs(decider.Plan{Decisions: c.plan}, at) {
			got += p.From.Name + ">" + p.To.Name + " "
			if p.Used != "" && strings.Contains(p.Suggestion(), "the block that uses the component ("+p.Used+")") {
				got += "(" + p.Used + ")"
			}
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
