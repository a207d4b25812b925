package decider_test

import (
	"strings"
	"testing"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/resource"
)

// takes is a decision that takes a thing from each of others, which give it up.
func takes(action decider.Action, name string, from ...string) decider.Decision {
	d := decider.Decision{Ref: hereRef("disk", name), Action: action, Proposed: action}
	if action != decider.Delete {
		d.Desired = &resource.Desired{Ref: d.Ref}
	}
	for _, other := range from {
		d.Takes = append(d.Takes, comparator.Take{By: hereRef("disk", other), Leaves: true})
	}
	return d
}

// TestADeleteOwesWhatWaitsForIt: everything that must follow a delete, so that nothing stays down, with the resource that
// waits for it. A delete of another resource is not among them.
func TestADeleteOwesWhatWaitsForIt(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		all  []decider.Decision // the first one deletes
		want string
	}{
		"nothing": {[]decider.Decision{takes(decider.Delete, "a"), takes(decider.Update, "b")}, ""},
		"two exchanged": {
			[]decider.Decision{takes(decider.Replace, "a", "b"), takes(decider.Update, "b", "a")}, "b for a",
		},
		"three rotated": {
			[]decider.Decision{takes(decider.Replace, "a", "b"), takes(decider.Update, "b", "c"), takes(decider.Update, "c", "a")},
			"b for a, c for a",
		},
		"a new one": {[]decider.Decision{takes(decider.Delete, "a"), takes(decider.Create, "b", "a")}, "b for b"},
		"a new one that needs two places": {
			[]decider.Decision{takes(decider.Delete, "a"), takes(decider.Create, "b", "a", "c"), takes(decider.Update, "c")},
			"b for b, c for b",
		},
		"the place of another deleted one": {
			[]decider.Decision{takes(decider.Delete, "a"), takes(decider.Create, "b", "a", "c"), takes(decider.Delete, "c")},
			"b for b",
		},
		"whoever takes the next place is up": {
			[]decider.Decision{takes(decider.Delete, "a"), takes(decider.Update, "b", "a"), takes(decider.Create, "c", "b")},
			"b for b",
		},
	} {
		var got []string
		for _, o := range decider.OwedBy(decider.Plan{Decisions: c.all}, &c.all[0]) {
			got = append(got, o.Ref.Name+" for "+o.For.Name)
		}
		if text := strings.Join(got, ", "); text != c.want {
			t.Errorf("%s: %q, want %q", name, text, c.want)
		}
	}
}

// TestAStrategyIsChosenByValues: a reference that does not differ has the observed value, so that a kind can tell that
// the new resource needs what the old one has.
func TestAStrategyIsChosenByValues(t *testing.T) {
	t.Parallel()
	kinds := func(_, name string) (resource.Kind, bool) {
		return resource.Kind{Name: name, Replace: func(d resource.Desired, have resource.Observed) []resource.Strategy {
			want, _ := d.Attrs.Get("address")
			if now, _ := have.Attrs.Get("address"); resource.Equal(want, now) {
				return []resource.Strategy{resource.DestroyFirst}
			}
			return []resource.Strategy{resource.CreateFirst}
		}}, true
	}
	for _, c := range []struct {
		differs []string
		want    resource.Strategy
	}{
		{[]string{"zone"}, resource.DestroyFirst},
		{[]string{"zone", "address"}, resource.CreateFirst},
		{[]string{"zone", "address.pool"}, resource.CreateFirst},
	} {
		r := hereRef("gateway", "g")
		d := comparator.Difference{
			Type: comparator.Drifted, Ref: r,
			Desired: &resource.Desired{Ref: r, Attrs: resource.NewAttrs(resource.Attr{Name: "address", Value: resource.Reference{Ref: hereRef("eip", "e")}})},
			Observed: &resource.Observed{
				Ref: r, ID: "1", Ownership: resource.Proven, Health: resource.Healthy,
				Attrs: resource.NewAttrs(resource.Attr{Name: "address", Value: resource.String("eip-1")}),
			},
		}
		for _, path := range c.differs {
			d.Changes = append(d.Changes, resource.Change{Path: path, Effect: resource.Replace})
		}
		p, err := decider.Decide(comparator.Result{Differences: []comparator.Difference{d}, Owned: map[string]int{r.Stack: 1}}, kinds, decider.Facts{})
		if err != nil || len(p.Decisions) != 1 || p.Decisions[0].Strategy != c.want {
			t.Errorf("%v differ: %+v, %v, want %s", c.differs, p.Decisions, err, c.want)
		}
	}
}
