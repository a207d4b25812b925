package event_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/position"
)

// TestADesiredIsRestored: rules see the same configuration later; what the changes have is not
// recorded twice.
func TestADesiredIsRestored(t *testing.T) {
	attrs := resource.NewAttrs(
		resource.Attr{Name: "net", Value: resource.Reference{Ref: ref("net")}},
		resource.Attr{Name: "password", Value: resource.NewSecret("hunter2", "digest-1")},
		resource.Attr{Name: "root", Value: resource.NewAttrs(resource.Attr{Name: "size", Value: resource.Int(8)})},
		resource.Attr{Name: "zones", Value: resource.List{resource.String("a")}},
	)
	tags := resource.TagsOf(map[string]string{"team": "web"})
	odd := attrs.With("blessed", resource.Bool(true))
	change := func(path string, to resource.Value) resource.Change { return resource.Change{Path: path, To: to} }
	fromChanges := func(a resource.Attrs, more ...resource.Change) (out []resource.Change) {
		for _, x := range a {
			out = append(out, change(x.Name, x.Value))
		}
		return append(out, more...)
	}
	tag := func(value string) resource.Change {
		return resource.Change{On: resource.OnTag, Path: "tags.team", To: resource.String(value)}
	}
	team, blessed := tag("web"), resource.Change{On: resource.OnMark, Path: "blessed", To: resource.Bool(true)}
	for name, c := range map[string]struct {
		sort    comparator.DifferenceType
		desired resource.Desired
		changes []resource.Change
		short   bool
	}{
		"create":                         {comparator.Missing, resource.Desired{Attrs: attrs, Tags: tags, DependsOn: []resource.Ref{ref("n")}, At: position.Position{File: "f", Line: 1}}, fromChanges(attrs, team), true},
		"create blessed":                 {comparator.Missing, resource.Desired{Attrs: attrs, Blessed: true}, fromChanges(attrs, blessed), true},
		"tags that the kind cannot have": {comparator.Missing, resource.Desired{Attrs: attrs, Tags: tags}, fromChanges(attrs), false},
		"another tag":                    {comparator.Missing, resource.Desired{Attrs: attrs, Tags: tags}, fromChanges(attrs, tag("db")), false},
		"an attribute named blessed":     {comparator.Missing, resource.Desired{Attrs: odd}, fromChanges(odd), true},
		"the same, blessed":              {comparator.Missing, resource.Desired{Attrs: odd, Blessed: true}, fromChanges(odd, blessed), true},
		"an unknown kind":                {comparator.Missing, resource.Desired{Attrs: attrs}, nil, false},
		"drifted":                        {comparator.Drifted, resource.Desired{Attrs: attrs, Tags: tags}, fromChanges(attrs, team), false},
		"create without attributes":      {comparator.Missing, resource.Desired{}, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			c.desired.Ref = ref("a")
			d := decider.Decision{Ref: ref("a"), Difference: c.sort, Proposed: decider.Create, Desired: &c.desired, Changes: c.changes}
			b, err := json.Marshal(event.Recorded(d))
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Contains(string(b), `"from_changes":true`); got != c.short {
				t.Errorf("said by the changes: %v, want %v: %s", got, c.short, b)
			}
			var back event.Decision
			if err := json.Unmarshal(b, &back); err != nil {
				t.Fatal(err)
			}
			got := back.Recall(nil).Desired
			if got.Digest() != c.desired.Digest() {
				t.Errorf("another configuration: %+v, want %+v", got, c.desired)
			}
			if diff := cmp.Diff([]any{c.desired.At, c.desired.DependsOn}, []any{got.At, got.DependsOn}); diff != "" {
				t.Errorf("position and dependencies (-want +got):\n%s", diff)
			}
		})
	}
}
