package planview

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/render/term"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/position"
)

// creation is the create of a member of the block at a line.
func creation(name string, line int, changes ...resource.Change) decider.Decision {
	ref := resource.Ref{Stack: "web", Provider: "aws", Location: "us-east-1", Kind: "ec2", Name: name}
	return decider.Decision{
		Ref: ref, Difference: comparator.Missing, Action: decider.Create, Proposed: decider.Create,
		Reason: decider.ReasonMissing, Changes: changes,
		Desired: &resource.Desired{Ref: ref, At: position.Position{File: "ovi.yaml", Line: line, Column: 5}},
	}
}

func to(path string, v resource.Value) resource.Change { return resource.Change{Path: path, To: v} }

// unfold returns the rows of each member of a block, by its name.
func unfold(b block) map[string][]term.Row {
	out := map[string][]term.Row{}
	for i := range b.members {
		name := b.members[i].Ref.Name
		rows := []term.Row{}
		for _, r := range b.rows {
			row := r.Row
			row.Path = strings.ReplaceAll(r.path, ownName, name)
			if r.named {
				row.Text = strings.ReplaceAll(r.Text, ownName, name)
			}
			if r.texts != nil {
				row.Text = r.texts[i]
			}
			rows = append(rows, row)
		}
		out[name] = rows
	}
	return out
}

// Unfolding a plan gives every row of every resource back: folding hides nothing of what the full plan shows.
func TestUnfoldingGivesTheFullPlanBack(t *testing.T) {
	folds := 0
	rapid.Check(t, func(t *rapid.T) {
		value := func(name string) *rapid.Generator[resource.Value] {
			return rapid.OneOf(
				rapid.Map(rapid.SampledFrom([]string{"a", "b", name, "x-" + name, name + name, "1"}),
					func(s string) resource.Value { return resource.String(s) }),
				rapid.Map(rapid.IntRange(0, 2), func(n int) resource.Value { return resource.Int(n) }),
				rapid.Just[resource.Value](resource.List{resource.String(name), resource.String("a")}),
				rapid.Just[resource.Value](resource.NewAttrs(resource.Attr{Name: "k", Value: resource.String(name)})),
				rapid.Just[resource.Value](resource.List{resource.NewAttrs(resource.Attr{Name: name, Value: resource.Int(1)})}),
			)
		}
		var all []decider.Decision
		for i := range rapid.IntRange(1, 8).Draw(t, "members") {
			name := fmt.Sprintf("a-%d", i)
			var changes []resource.Change
			for _, path := range []string{"p", "q", "tags." + name} {
				if rapid.IntRange(0, 9).Draw(t, "has") > 0 {
					changes = append(changes, to(path, value(name).Draw(t, "value")))
				}
			}
			all = append(all, creation(name, rapid.IntRange(1, 2).Draw(t, "line"), changes...))
		}
		p := newPlanWriter(View{Plan: decider.Plan{Decisions: all}}, term.Style{})
		got, want := map[string][]term.Row{}, map[string][]term.Row{}
		for _, b := range p.folded(all) {
			if len(b.members) == 1 {
				got[b.members[0].Ref.Name] = append([]term.Row{}, p.rows(b.members[0])...)
				continue
			}
			folds++
			for name, rows := range unfold(b) {
				got[name] = rows
			}
		}
		for _, d := range all {
			want[d.Ref.Name] = append([]term.Row{}, p.rows(d)...)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	})
	if folds == 0 {
		t.Error("nothing was folded")
	}
}

// entries lists the names of each entry of a plan.
func entries(all []decider.Decision) (out []string) {
	p := newPlanWriter(View{Plan: decider.Plan{Decisions: all}}, term.Style{})
	for _, b := range p.folded(all) {
		var names []string
		for _, d := range b.members {
			names = append(names, d.Ref.Name)
		}
		out = append(out, strings.Join(ranges(names), ", "))
	}
	return out
}

func secretOf(ref resource.Ref) resource.Value {
	sum := strings.Repeat(fmt.Sprintf("%02x", ref.Name[len(ref.Name)-1]), 16)
	return resource.Digest("hmac-sha256:" + sum)
}

func TestASecretFoldsOnlyWithItsEqual(t *testing.T) {
	var all []decider.Decision
	for i := range 6 {
		d := creation(fmt.Sprintf("web-%d", i), 7)
		d.Changes = []resource.Change{to("user_data", secretOf(d.Ref))}
		d.Alike = resource.Ref{Kind: "ec2", Name: "web-0"}
		all = append(all, d)
	}
	all[3].Alike = all[3].Ref // its script is another one
	if diff := cmp.Diff([]string{"web-0 … web-2, web-4, web-5", "web-3"}, entries(all)); diff != "" {
		t.Error(diff)
	}
	for i := range all {
		all[i].Alike = resource.Ref{}
	}
	if got := entries(all); len(got) != len(all) {
		t.Errorf("secrets that were not compared are folded: %q", got)
	}
}

// Deletes, replacements, updates and blocked creates are always listed one by one.
func TestOnlyCreatesFold(t *testing.T) {
	for _, change := range []func(*decider.Decision){
		func(d *decider.Decision) {
			d.Action, d.Proposed, d.Difference = decider.Delete, decider.Delete, comparator.Unwanted
		},
		func(d *decider.Decision) {
			d.Action, d.Proposed, d.Difference = decider.Replace, decider.Replace, comparator.Drifted
		},
		func(d *decider.Decision) {
			d.Action, d.Proposed, d.Difference = decider.Update, decider.Update, comparator.Drifted
		},
		func(d *decider.Decision) {
			d.Action, d.Blockers = decider.Notify, []decider.Blocker{{Policy: "freeze"}}
		},
		func(d *decider.Decision) { d.Reason = decider.ReasonRequested },
		func(d *decider.Decision) { d.Warnings = []decider.Warning{{Policy: "cost", Text: "it is large"}} },
		func(d *decider.Decision) { d.Desired.At = position.Position{} },
		func(d *decider.Decision) { d.Desired.At.Line += int(d.Ref.Name[len(d.Ref.Name)-1]) },
	} {
		var all []decider.Decision
		for i := range 4 {
			d := creation(fmt.Sprintf("web-%d", i), 7, to("size", resource.String("small")))
			change(&d)
			all = append(all, d)
		}
		if got := entries(all); len(got) != 4 {
			t.Errorf("%+v is folded: %q", all[0], got)
		}
	}
}

func TestAnAttributeThatFewShareSplitsABlock(t *testing.T) {
	var all []decider.Decision
	for i := range 60 {
		size := "small"
		if i == 31 {
			size = "large"
		}
		all = append(all, creation(fmt.Sprintf("web-%d", i), 7, to("size", resource.String(size)),
			to("address", resource.String(fmt.Sprintf("10.0.0.%d", i))), to("host", resource.String(fmt.Sprintf("web-%d.x", i)))))
	}
	if diff := cmp.Diff([]string{"web-0 … web-30, web-32 … web-59", "web-31"}, entries(all)); diff != "" {
		t.Error(diff)
	}
	var b strings.Builder
	plan := decider.Plan{Decisions: all[:3]}
	if err := (View{Plan: plan, Names: NewNames(), Verb: "Plan"}).Write(&b, term.Style{}); err != nil {
		t.Fatal(err)
	}
	want := `aws/us-east-1
  + ec2/web-0 … web-2  create 3
    address  10.0.0.0, 10.0.0.1, 10.0.0.2  # in name order
    host     ${name}.x                     # with the name of each
    size     small

Plan: 3 to create.
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}

func TestRangesNameEveryMember(t *testing.T) {
	for _, c := range [][2][]string{
		{{"a-0", "a-1"}, {"a-0", "a-1"}},
		{{"a-8", "a-9", "a-10", "a-11"}, {"a-8 … a-11"}},
		{{"a-1", "a-3", "a-5"}, {"a-1", "a-3", "a-5"}},
		{{"a-07", "a-08", "a-09"}, {"a-07", "a-08", "a-09"}},
		{{"b", "c", "web-0", "web-1", "web-2", "x"}, {"b", "c", "web-0 … web-2", "x"}},
	} {
		if got := ranges(c[0]); !slices.Equal(got, c[1]) {
			t.Errorf("ranges(%q) = %q, want %q", c[0], got, c[1])
		}
	}
}
