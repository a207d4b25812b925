package renamed_test

import (
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

// TestAnEqualDeleteAndCreateAreOnePair: of one kind and content, each once; a default alone is no content.
func TestAnEqualDeleteAndCreateAreOnePair(t *testing.T) {
	t.Parallel()
	defaulted := created(ref("disk", "z"), 8)
	defaulted.Desired.Defaulted = []string{"size"}
	got := renamed.Pairs(decider.Plan{Decisions: []decider.Decision{
		created(ref("disk", "b"), 20), deleted(ref("disk", "a"), 20), created(ref("disk", "c"), 20), created(ref("disk", "d"), 30),
		deleted(ref("disk", "e"), 40), created(ref("net", "f"), 40), deleted(ref("disk", "y"), 8), defaulted,
	}})
	if len(got) != 1 || got[0] != (renamed.Pair{From: ref("disk", "a"), To: ref("disk", "b")}) {
		t.Errorf("%v", got)
	}
	if got[0].Suggestion() != "if it is the same resource, add `was: a` to the block, or `moved: [{from: disk/a, to: disk/b}]` to the file" {
		t.Error(got[0].Suggestion())
	}
}
