package comparator_test

import (
	"testing"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/resource"
)

// TestAValueThatAnUpdateChangesIsNotKnown: what refers to a value that an update gives is updated in the same
// plan, and what refers to that; what refers to another value is not.
func TestAValueThatAnUpdateChangesIsNotKnown(t *testing.T) {
	kinds := func(_, kind string) (resource.Kind, bool) {
		return resource.Kind{Name: kind, NoTags: true, Carrier: resource.NoMarks, Attrs: []resource.Attribute{
			{Name: "size"},
			{Name: "peer"},
			{Name: "disk", Effect: resource.Replace},
			{Name: "version", Computed: true, ChangesWith: []string{"size"}},
			{Name: "address", Computed: true},
		}}, true
	}
	text := func(s string) resource.Value { return resource.String(s) }
	at := func(name, path string) resource.Value {
		return resource.Reference{Ref: web("server", name), Path: path}
	}
	have := func(name string, nameValue ...any) resource.Observed {
		return resource.Observed{Ref: web("server", name), ID: "i-" + name, Ownership: resource.Proven, Health: resource.Healthy, Attrs: values(nameValue...)}
	}
	want := func(name string, nameValue ...any) resource.Desired {
		return resource.Desired{Ref: web("server", name), Attrs: values(nameValue...)}
	}
	in := comparator.Input{
		Kinds: kinds,
		Live: resource.LiveState{Scopes: map[resource.Scope]resource.Snapshot{here: {Scope: here, Resources: []resource.Observed{
			have("a", "size", text("1"), "version", text("7"), "address", text("10.0.0.1")),
			have("b", "peer", text("7")), have("c", "peer", text("7")), have("d", "peer", text("10.0.0.1")),
			have("e", "peer", text("1")), have("f", "disk", text("7")), have("g", "peer", text("i-a")),
		}}}},
		Intents: []resource.Intent{{Stack: "web", Resources: []resource.Desired{
			want("a", "size", text("2")),
			want("b", "peer", at("a", "version")), want("c", "peer", at("b", "peer")), want("d", "peer", at("a", "address")),
			want("e", "peer", at("a", "size")), want("f", "disk", at("a", "version")), want("g", "peer", at("a", "")),
		}}},
	}
	r, err := comparator.Compare(in)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]resource.Effect{}
	for _, d := range r.Differences {
		got[d.Ref.Name] = resource.Worst(d.Changes)
		for _, c := range d.Changes {
			if d.Ref.Name != "a" && !c.KnownAfterApply {
				t.Errorf("%s: %+v is known", d.Ref.Name, c)
			}
		}
	}
	for name, expected := range map[string]bool{"a": true, "b": true, "c": true, "d": false, "e": true, "f": true, "g": false} {
		if _, differs := got[name]; differs != expected {
			t.Errorf("%s differs: %v", name, differs)
		}
	}
	if got["f"] != resource.Replace {
		t.Errorf("f: %v", got["f"])
	}
}

// values is an object of names and values in turn.
func values(nameValue ...any) resource.Attrs {
	var out []resource.Attr
	for i := 0; i+1 < len(nameValue); i += 2 {
		out = append(out, resource.Attr{Name: nameValue[i].(string), Value: nameValue[i+1].(resource.Value)})
	}
	return resource.NewAttrs(out...)
}
