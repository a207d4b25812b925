package comparator_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/resource"
)

// accepted are the last accepted configurations of other stacks: names, and entries "from > to" of moved.
type accepted map[string][]string

func (a accepted) has(stack, text string) bool { return slices.Contains(a[stack], text) }

func elsewhere(text string) resource.Ref {
	r := refNamed("pipe", text)
	if stack, name, is := strings.Cut(text, ":"); is {
		r.Stack, r.Name = stack, name
	}
	return r
}

func (a accepted) moved(each func(stack string, from, to resource.Ref)) {
	for stack, all := range a {
		for _, text := range all {
			if from, to, is := strings.Cut(text, " > "); is {
				each(stack, elsewhere(from), elsewhere(to))
			}
		}
	}
}

func (a accepted) Declared(r resource.Ref) comparator.Declared {
	_, known := a[r.Stack]
	d := comparator.Declared{Accepted: known, Configured: a.has(r.Stack, r.Name)}
	a.moved(func(stack string, from, to resource.Ref) {
		if stack == r.Stack && from == r {
			d.To = to
		}
	})
	return d
}

func (a accepted) GivenTo(to resource.Ref) (found []resource.Ref) {
	a.moved(func(stack string, from, x resource.Ref) {
		if from.Stack != stack {
			return
		}
		if was, is := comparator.Member(resource.Move{From: x, To: from}, to); is {
			found = append(found, was)
		} else if x == to {
			found = append(found, from)
		}
	})
	slices.SortFunc(found, resource.Ref.Compare)
	return found
}

func (a accepted) Now(ref resource.Ref) resource.Ref {
	a.moved(func(stack string, from, to resource.Ref) {
		if from == ref && stack == ref.Stack && to.Stack == stack {
			ref = to
		}
	})
	return ref
}

func (a accepted) Claims(from resource.Ref) (out []resource.Ref) {
	a.moved(func(stack string, x, to resource.Ref) {
		if x == from && to.Stack == stack && a.has(stack, to.Name) {
			out = append(out, to)
		}
	})
	slices.SortFunc(out, resource.Ref.Compare)
	return out
}

// TestAResourceMovesBetweenStacks: the plan is of stack s. Nothing is deleted or created for a resource that one stack
// gives and another one takes, and nothing is taken that its stack still has.
func TestAResourceMovesBetweenStacks(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		have    string // the recorded resources
		desired string // the names that s configures
		was     string // the former name of the last of them
		moved   string // entries of moved
		others  accepted
		renamed string // recorded renames
		want    string
	}{
		"given, and not taken yet":        {"s:x", "", "", "s:x > b:x", accepted{"b": {}}, "", "unwanted s:x given to b:x"},
		"given, and b was never applied":  {"s:x", "", "", "s:x > b:x", accepted{}, "", "unwanted s:x given to b:x"},
		"given, and taken":                {"s:x", "", "", "s:x > b:y", accepted{"b": {"y", "s:x > b:y"}}, "", "drifted b:y was s:x"},
		"given over two names":            {"s:x", "", "", "s:x > s:y, s:y > b:z", accepted{"b": {"z"}}, "", "drifted b:z was s:x"},
		"not given, and taken":            {"s:x", "", "", "", accepted{"b": {"y", "s:x > b:y"}}, "", "drifted b:y was s:x"},
		"not given, taken, not removed":   {"s:x", "x", "", "", accepted{"b": {"y", "s:x > b:y"}}, "", ""},
		"taken by a block that is gone":   {"s:x", "", "", "", accepted{"b": {"s:x > b:y"}}, "", "unwanted s:x"},
		"taken by two":                    {"s:x", "", "", "", accepted{"b": {"y", "s:x > b:y"}, "c": {"z", "s:x > c:z"}}, "", "conflict s:x"},
		"taken long ago":                  {"s:x", "", "", "", accepted{"b": {"y", "s:x > b:y"}}, "s:x > b:y", "unwanted s:x"},
		"given long ago":                  {"s:x", "", "", "s:x > b:y", accepted{"b": {}}, "s:x > b:y", "unwanted s:x"},
		"given to a name that is in use":  {"s:x b:y", "", "", "s:x > b:y", accepted{"b": {"y"}}, "", "conflict s:x"},
		"a given group":                   {"s:x-0 s:x-1", "", "", "s:x > b:y", accepted{"b": {"y-0"}}, "", "drifted b:y-0 was s:x-0, unwanted s:x-1 given to b:y-1"},
		"a given group, and another name": {"s:x s:x-a", "", "", "s:x > b:y", accepted{"b": {"y"}}, "", "drifted b:y was s:x, unwanted s:x-a"},
		"a misspelled name":               {"s:x", "", "", "s:xx > b:y", accepted{"b": {"y"}}, "", "conflict s:x"},
		"declared, still configured":      {"b:x", "y", "b:x", "", accepted{"b": {"x"}}, "", "conflict s:y"},
		"declared, never applied":         {"b:x", "y", "b:x", "", accepted{}, "", "conflict s:y"},
		"declared, given":                 {"b:x", "y", "b:x", "", accepted{"b": {"b:x > s:y"}}, "", "drifted s:y was b:x"},
		"declared, no longer configured":  {"b:x", "y", "b:x", "", accepted{"b": {}}, "", "drifted s:y was b:x"},
		"declared, given to another":      {"b:x", "y", "b:x", "", accepted{"b": {"b:x > c:y"}}, "", "conflict s:y"},
		"not declared, given":             {"b:x", "y", "", "", accepted{"b": {"b:x > s:y"}}, "", "drifted s:y was b:x"},
		"not declared, still configured":  {"b:x", "y", "", "", accepted{"b": {"x", "b:x > s:y"}}, "", "missing s:y"},
		"not declared, given long ago":    {"b:x", "y", "", "", accepted{"b": {"b:x > s:y"}}, "b:x > s:y", "missing s:y"},
		"given under a former name":       {"b:x", "y", "", "s:mid > s:y", accepted{"b": {"b:x > s:mid"}}, "", "drifted s:y was b:x"},
		"given to a name that changed":    {"s:x", "", "", "s:x > b:y", accepted{"b": {"z", "b:y > b:z"}}, "", "drifted b:z was s:x"},
		"given between others":            {"b:x", "y", "", "b:x > c:x", accepted{"b": {}, "c": {"x"}}, "", "missing s:y"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := resource.Intent{Stack: "s"}
			for _, n := range strings.Fields(c.desired) {
				in.Resources = append(in.Resources, resource.Desired{Ref: refNamed("pipe", n)})
			}
			if c.was != "" {
				in.Resources[len(in.Resources)-1].Was = elsewhere(c.was)
			}
			accepted{"s": split(c.moved)}.moved(func(_ string, from, to resource.Ref) {
				in.Moved = append(in.Moved, resource.Move{From: from, To: to})
			})
			slices.Reverse(in.Moved)
			scope := refNamed("pipe", "").Scope()
			snapshot := resource.Snapshot{Scope: scope}
			for _, text := range strings.Fields(c.have) {
				ref := elsewhere(text)
				o := resource.Observed{Ref: ref.Bare(), ID: "pipe-" + ref.Name, Health: resource.Healthy}
				o.Marks.Ref = ref
				o.Bind(resource.Proven, ref.Stack, ref.Name)
				snapshot.Resources = append(snapshot.Resources, o)
			}
			got, err := comparator.Compare(comparator.Input{
				Intents: []resource.Intent{in}, Kinds: namedKinds, Others: c.others,
				Live: resource.LiveState{Scopes: map[resource.Scope]resource.Snapshot{scope: snapshot}},
				Renamed: func(from, to resource.Ref) (is bool) {
					accepted{"": split(c.renamed)}.moved(func(_ string, a, b resource.Ref) { is = is || a == from && b == to })
					return is
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			var all []string
			for _, d := range got.Differences {
				text := fmt.Sprintf("%s %s:%s", d.Type, d.Ref.Stack, d.Ref.Name)
				if !d.Renamed.IsZero() {
					text += " was " + d.Renamed.Stack + ":" + d.Renamed.Name
				}
				if !d.GivenTo.IsZero() {
					text += " given to " + d.GivenTo.Stack + ":" + d.GivenTo.Name
				}
				all = append(all, text)
			}
			slices.Sort(all)
			if diff := cmp.Diff(c.want, strings.Join(all, ", ")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func split(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, ", ")
}
