package decider_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/resource"
)

// conditioned plans for one resource with a condition. The kind loses data, and asks for a name before it does.
func conditioned(t rapid.TB, o resource.Observed, d *resource.Desired, repairs, named, ended bool) decider.Plan {
	t.Helper()
	kinds := func(provider, name string) (resource.Kind, bool) {
		return resource.Kind{
			Provider: provider, Name: name, State: resource.StateRunning, Repairs: repairs, NamedReplace: true,
			Attrs:    []resource.Attribute{{Name: "size"}, {Name: "image", Effect: resource.Replace}},
			DataLoss: func(resource.Observed, resource.Attrs) string { return "everything" },
		}, true
	}
	intent := resource.Intent{Stack: o.Ref.Stack}
	if d != nil {
		intent.Resources = []resource.Desired{*d}
	}
	found, err := comparator.Compare(comparator.Input{
		Intents: []resource.Intent{intent}, Kinds: kinds, Replace: func(resource.Ref) bool { return named },
		Live: resource.LiveState{Scopes: map[resource.Scope]resource.Snapshot{
			o.Ref.Scope(): {Scope: o.Ref.Scope(), Resources: []resource.Observed{o}},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	p, err := decider.Decide(found, kinds, decider.Facts{Ended: func(resource.Ref) bool { return ended }}, decider.NamedReplace{Kinds: kinds})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestEachConditionAllowsItsOwnActions: whatever else differs, nothing happens to an unreadable resource; a broken one
// is repaired, or replaced if an operator names it, or deleted; only an unfinished one is created again automatically,
// unless its creation is recorded as done.
func TestEachConditionAllowsItsOwnActions(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.SampledFrom([]string{"", "x", "y"})
		given := func(label string) resource.Attrs {
			var out []resource.Attr
			for _, name := range []string{"image", "size"} {
				if v := word.Draw(t, label+name); v != "" {
					out = append(out, resource.Attr{Name: name, Value: resource.String(v)})
				}
			}
			return resource.NewAttrs(out...)
		}
		o := resource.Observed{
			Ref: resource.Ref{Stack: "s", Provider: "p", Location: "l", Kind: "cluster", Name: "dev"}, ID: "1",
			Ownership: resource.Proven, Attrs: given("have "), Message: "its port is missing",
			Health:    rapid.SampledFrom([]resource.Health{resource.Healthy, resource.Stopped, resource.Failing}).Draw(t, "health"),
			Condition: rapid.SampledFrom([]resource.Condition{resource.Unreadable, resource.Broken, resource.Unfinished}).Draw(t, "condition"),
		}
		repairs, named, ended := rapid.Bool().Draw(t, "repairs"), rapid.Bool().Draw(t, "named"), rapid.Bool().Draw(t, "ended")
		var d *resource.Desired
		if rapid.Bool().Draw(t, "configured") {
			d = &resource.Desired{Ref: o.Ref, Attrs: given("want "), State: resource.StateRunning}
		}
		p := conditioned(t, o, d, repairs, named, ended)
		if len(p.Decisions) != 1 {
			t.Fatalf("%d decisions", len(p.Decisions))
		}
		got := p.Decisions[0]
		replaced := false // by an attribute that cannot be changed in place
		for _, c := range got.Changes {
			replaced = replaced || c.On == resource.OnAttribute && c.Effect == resource.Replace
		}
		want, reason := decider.Notify, decider.ReasonUnreachable
		switch {
		case o.Condition == resource.Unreadable:
		case d == nil:
			want, reason = decider.Delete, decider.ReasonUnwanted
		case named:
			want, reason = decider.Replace, decider.ReasonRequested
			if (o.Condition == resource.Unfinished && !ended) != (got.DataLoss == "") {
				t.Errorf("it loses %q", got.DataLoss)
			}
		case o.Condition == resource.Unfinished && !ended:
			want, reason = decider.Replace, decider.ReasonUnfinished
		case o.Condition == resource.Unfinished, !repairs:
			reason = decider.ReasonBroken
			if !strings.Contains(got.Suggestion, "--replace cluster/dev") || !strings.Contains(got.Suggestion, "loses everything") {
				t.Errorf("the suggestion is %q", got.Suggestion)
			}
		case replaced: // broken, and differs in what cannot be changed in place: an operator names it
			reason = decider.ReasonBroken
		default:
			want, reason = decider.Update, got.Reason
			if got.Action == decider.Restart {
				want = decider.Restart
			}
		}
		if got.Action != want || got.Reason != reason {
			t.Errorf("%s because %s, want %s because %s: %+v", got.Action, got.Reason, want, reason, got)
		}
		if destroys := got.Action.Destroys(); destroys && (o.Condition == resource.Broken || ended) && d != nil && !named {
			t.Error("a resource whose creation ended is destroyed, and no operator named it")
		}
	})
}
