package accepted_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ovi-project/ovi/engine/plan/accepted"
	"github.com/ovi-project/ovi/ledger"
	"github.com/ovi-project/ovi/ledger/event"
	"github.com/ovi-project/ovi/ledger/rows"
	"github.com/ovi-project/ovi/resource"
	"github.com/ovi-project/ovi/resource/unread"
)

// box is a resource of a part that refers to others.
func box(part, name string, refers ...string) resource.Desired {
	d := resource.Desired{Ref: ref(name), Part: part, Attrs: resource.NewAttrs()}
	for _, to := range refers {
		d.Attrs = d.Attrs.With("to-"+to, resource.Reference{Ref: ref(to)})
		d.DependsOn = append(d.DependsOn, ref(to))
	}
	return d
}

func was(name string, d resource.Desired) resource.Desired {
	d.Was = ref(name)
	return d
}

// TestRestoredResourcesHaveTheirDependencies: b.yaml cannot be read, and a.yaml was edited.
func TestRestoredResourcesHaveTheirDependencies(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		recorded []resource.Desired
		events   []event.Event // after that
		read     []resource.Desired
		moved    []resource.Move
		want     string // the resources, with their references
		covered  string // the unread part has these
	}{
		"a renamed block": {
			recorded: []resource.Desired{box("a.yaml", "net"), box("b.yaml", "app", "net")},
			read:     []resource.Desired{was("net", box("a.yaml", "lan"))},
			want:     "app(lan) lan", covered: "app",
		},
		"an entry of moved, over two names": {
			recorded: []resource.Desired{box("a.yaml", "net"), box("b.yaml", "app", "net")},
			read:     []resource.Desired{was("lan", box("a.yaml", "wan"))},
			moved:    []resource.Move{{From: ref("net"), To: ref("lan"), Part: "a.yaml"}},
			want:     "app(wan) wan", covered: "app",
		},
		"a recorded rename": {
			recorded: []resource.Desired{box("a.yaml", "net"), box("b.yaml", "app", "net")},
			events:   []event.Event{event.Moved{Ref: ref("lan"), From: ref("net"), ID: "1"}},
			read:     []resource.Desired{box("a.yaml", "lan")},
			want:     "app(lan) lan", covered: "app",
		},
		"a removed block, with its own dependency": {
			recorded: []resource.Desired{box("a.yaml", "root"), box("a.yaml", "net", "root"), box("b.yaml", "app", "net")},
			read:     []resource.Desired{box("a.yaml", "other")},
			want:     "app(net) net(root) other root", covered: "app net root",
		},
		"a block that was never accepted": {
			recorded: []resource.Desired{box("b.yaml", "app", "net"), box("b.yaml", "more", "app"), box("b.yaml", "alone")},
			read:     []resource.Desired{box("a.yaml", "other")},
			want:     "alone other", covered: "alone app more",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := open(t)
			record(t, l, resource.Intent{Stack: "web", Resources: c.recorded, PartNames: []string{"a.yaml", "b.yaml"}})
			if len(c.events) > 0 {
				if _, err := l.Record(t.Context(), c.events...); err != nil {
					t.Fatal(err)
				}
			}
			in := resource.Intent{
				Stack: "web", Resources: c.read, Moved: c.moved, PartNames: []string{"a.yaml", "b.yaml"},
				Parts: []resource.UnreadPart{{Name: "b.yaml", Why: "b.yaml:3"}},
			}
			got := completed(t, l, in)
			var have, covered []string
			for _, d := range got.Resources {
				text := d.Ref.Name
				for _, r := range d.Refs() {
					text += "(" + r.Name + ")"
				}
				have = append(have, text)
			}
			for _, r := range got.Parts[0].Refs {
				covered = append(covered, r.Name)
			}
			slices.Sort(covered)
			if diff := cmp.Diff([]string{c.want, c.covered}, []string{strings.Join(have, " "), strings.Join(covered, " ")}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			for _, e := range record(t, l, got) {
				if x := e.(event.SourceAccepted); slices.ContainsFunc(x.Gone, func(r resource.Ref) bool { return unread.Covers(&got.Parts[0], r) }) {
					t.Errorf("recorded as gone: %v", x.Gone)
				}
			}
		})
	}
}

func completed(t *testing.T, l *ledger.Ledger, in resource.Intent) resource.Intent {
	t.Helper()
	out, err := accepted.Restore(t.Context(), l.Reader(), []resource.Intent{in}, time.Now(), nil)
	if err != nil {
		t.Fatal(err)
	}
	accepted.Unique(out)
	if err := accepted.Complete(t.Context(), l.Reader(), out, nil); err != nil {
		t.Fatal(err)
	}
	return out[0]
}

// TestAConfigurationCanBeRestoredAgain: a command restores one for its options, and the plan restores it again. Its
// list has room for more, because the resources of the unread part were removed from it.
func TestAConfigurationCanBeRestoredAgain(t *testing.T) {
	t.Parallel()
	l, whole := open(t), stack(4)
	record(t, l, whole)
	broken := stack(4)
	broken.Resources = slices.DeleteFunc(broken.Resources, func(d resource.Desired) bool { return d.Part == "b.yaml" })
	broken.Parts = []resource.UnreadPart{{Name: "b.yaml", Why: "b.yaml:3"}}
	before := slices.Clone(broken.Resources)
	first := restore(t, l, broken, nil)
	if diff := cmp.Diff(before, broken.Resources); diff != "" {
		t.Fatalf("the configuration changed (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(first, restore(t, l, broken, nil), cmp.Comparer(func(a, b time.Time) bool { return true })); diff != "" {
		t.Errorf("restored again it differs (-want +got):\n%s", diff)
	}
}

// TestFormerNamesInReferencesAreNoChange: a configuration whose references have later names is the applied one.
func TestFormerNamesInReferencesAreNoChange(t *testing.T) {
	t.Parallel()
	applied := box("b.yaml", "app", "net", "disk")
	applied.Attrs = applied.Attrs.With("text", resource.Text{resource.String("at "), resource.Reference{Ref: ref("net"), Path: "ip"}})
	now := applied
	now.Attrs = resource.NewAttrs(
		resource.Attr{Name: "text", Value: resource.Text{resource.String("at "), resource.Reference{Ref: ref("wan"), Path: "ip"}}},
		resource.Attr{Name: "to-disk", Value: resource.Reference{Ref: ref("disk")}},
		resource.Attr{Name: "to-net", Value: resource.Reference{Ref: ref("wan")}},
	)
	now.DependsOn = []resource.Ref{ref("wan"), ref("disk")}
	renamed := &resource.Intent{Resources: []resource.Desired{was("lan", box("a.yaml", "wan"))}}
	moves := map[resource.Ref]rows.Moved{ref("net"): {To: ref("lan")}, ref("old"): {To: ref("disk")}}
	if !accepted.NamesOf(renamed, moves).Same(&now, applied.Digest()) {
		t.Error("another name of a dependency counts as another configuration")
	}
	other := now
	other.Attrs = now.Attrs.With("size", resource.Int(1))
	if accepted.NamesOf(renamed, moves).Same(&other, applied.Digest()) || accepted.NamesOf(&resource.Intent{}, nil).Same(&now, applied.Digest()) {
		t.Error("another configuration counts as the applied one")
	}
}
