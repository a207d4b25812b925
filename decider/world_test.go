package decider_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"pgregory.net/rapid"

	"github.com/ovi-project/ovi/comparator"
	"github.com/ovi-project/ovi/decider"
	"github.com/ovi-project/ovi/resource"
)

// kinds: networks that can't be changed; servers that stand on a network for good, and on
// disks and other servers for a while.
func kinds(provider, name string) (resource.Kind, bool) {
	k := resource.Kind{Provider: provider, Name: name}
	switch name {
	case "network":
		k.Attrs = []resource.Attribute{{Name: "range", Effect: resource.Replace}, {Name: "label"}}
	case "disk":
		k.Attrs = []resource.Attribute{{Name: "size"}}
	case "server":
		k.Attrs = []resource.Attribute{
			{Name: "disks", Type: resource.TSet, Elem: &resource.Attribute{RefKind: "disk"}},
			{Name: "label"},
			{Name: "network", RefKind: "network", Effect: resource.Replace},
			{Name: "peer", RefKind: "server"},
			{Name: "size", Effect: resource.Restart},
		}
	default:
		return resource.Kind{}, false
	}
	return k, true
}

// scene is an input for the two pure packages, drawn at random.
type scene struct {
	intents []resource.Intent
	world   resource.World
}

func (s scene) compare(t rapid.TB) comparator.Result {
	t.Helper()
	r, err := comparator.Compare(comparator.Input{Intents: s.intents, World: s.world, Kinds: kinds})
	if err != nil {
		t.Fatalf("compare: %v", err)
	}
	return r
}

func (s scene) plan(t rapid.TB, f decider.Facts, policies ...decider.Policy) decider.Plan {
	t.Helper()
	f.Failed = s.world.Failed
	p, err := decider.Decide(s.compare(t), kinds, f, policies...)
	if err != nil {
		t.Fatalf("decide: %v", err)
	}
	return p
}

var (
	places    = []string{"a", "b"}
	kindNames = []string{"disk", "network", "server"}
)

const perKind = 3

// drawScene draws wishes of two stacks and a world in which some of them are fulfilled, some
// not, with things of others and of nobody between, and perhaps a scope that failed.
func drawScene(t *rapid.T) scene {
	word := func(label string) resource.Value {
		return resource.String(rapid.SampledFrom([]string{"x", "y"}).Draw(t, label))
	}
	stacks := []string{"shop", "web"}
	objects := map[string][]resource.Desired{}
	var wanted []resource.Ref
	for _, place := range places {
		for _, kind := range kindNames {
			for i := range perKind {
				ref := resource.Ref{Provider: "fake", Place: place, Kind: kind, Name: fmt.Sprintf("%s%d", kind[:1], i)}
				if !rapid.Bool().Draw(t, "wanted") {
					continue
				}
				d := resource.Desired{Ref: ref, Attrs: drawWish(t, ref, wanted, word)}
				d.Blessed = rapid.IntRange(0, 9).Draw(t, "blessed") == 0
				stack := rapid.SampledFrom(stacks).Draw(t, "stack")
				objects[stack] = append(objects[stack], d)
				wanted = append(wanted, ref)
			}
		}
	}
	s := scene{world: resource.World{Seen: map[resource.Scope]resource.Snapshot{}, Failed: map[resource.Scope]error{}}}
	for _, stack := range stacks {
		s.intents = append(s.intents, resource.Intent{Stack: stack, Objects: objects[stack]})
	}
	for _, place := range places {
		scope := resource.Scope{Provider: "fake", Place: place}
		s.world.Seen[scope] = resource.Snapshot{Scope: scope, Objects: drawThings(t, place, s.intents, word)}
	}
	return s
}

// drawWish refers only to what is wanted already, so there is no circle.
func drawWish(t *rapid.T, ref resource.Ref, wanted []resource.Ref, word func(string) resource.Value) resource.Attrs {
	k, _ := kinds(ref.Provider, ref.Kind)
	var out []resource.Attr
	for _, a := range k.Attrs {
		kind := a.RefKind
		if a.Elem != nil {
			kind = a.Elem.RefKind
		}
		near := slices.DeleteFunc(slices.Clone(wanted), func(r resource.Ref) bool { return r.Kind != kind })
		switch {
		case !rapid.Bool().Draw(t, "mentions "+a.Name):
		case kind == "":
			out = append(out, resource.Attr{Name: a.Name, Value: word(a.Name)})
		case len(near) == 0:
		case a.Type == resource.TSet:
			l := resource.List{}
			for _, r := range near {
				if rapid.Bool().Draw(t, "disk") {
					l = append(l, resource.Reference{Ref: r})
				}
			}
			out = append(out, resource.Attr{Name: a.Name, Value: l})
		default:
			out = append(out, resource.Attr{Name: a.Name, Value: resource.Reference{Ref: rapid.SampledFrom(near).Draw(t, a.Name)}})
		}
	}
	return resource.NewAttrs(out...)
}

// drawThings makes about half of what is wanted nearly as it is wanted, and the rest at random.
func drawThings(t *rapid.T, place string, intents []resource.Intent, word func(string) resource.Value) []resource.Observed {
	var out []resource.Observed
	ids := map[string][]string{}
	for _, kind := range kindNames {
		for i := range perKind {
			ref := resource.Ref{Provider: "fake", Place: place, Kind: kind, Name: fmt.Sprintf("%s%d", kind[:1], i)}
			wish, owner := find(intents, ref)
			if wish == nil || rapid.Bool().Draw(t, "another owner") {
				owner = rapid.SampledFrom([]string{"", "", "web", "web", "shop", "other", "nobody"}).Draw(t, "owner")
			}
			if owner == "" {
				continue
			}
			o := resource.Observed{Ref: ref, ID: idOf(ref), Managed: owner != "nobody", Health: resource.Healthy}
			if o.Managed {
				o.Stack = owner
			}
			o.Blessed = rapid.IntRange(0, 9).Draw(t, "has blessing") == 0
			o.Attrs = drawReality(t, kind, ids, word)
			for _, a := range wished(wish) {
				if rapid.IntRange(0, 3).Draw(t, "as wished") > 0 {
					o.Attrs = o.Attrs.With(a.Name, oldIDs(a.Value))
				}
			}
			ids[kind] = append(ids[kind], o.ID)
			out = append(out, o)
		}
	}
	return out
}

func idOf(r resource.Ref) string { return "old-" + r.Place + "-" + r.Name }

func find(intents []resource.Intent, ref resource.Ref) (*resource.Desired, string) {
	for _, in := range intents {
		for i := range in.Objects {
			if in.Objects[i].Ref == ref {
				return &in.Objects[i], in.Stack
			}
		}
	}
	return nil, ""
}

func wished(d *resource.Desired) resource.Attrs {
	if d == nil {
		return nil
	}
	return d.Attrs
}

// oldIDs turns references into the ids that things have before anything is done.
func oldIDs(v resource.Value) resource.Value {
	switch v := v.(type) {
	case resource.Reference:
		return resource.String(idOf(v.Ref))
	case resource.List:
		out := resource.List{}
		for _, e := range v {
			out = append(out, oldIDs(e))
		}
		return out
	}
	return v
}

func drawReality(t *rapid.T, kind string, ids map[string][]string, word func(string) resource.Value) resource.Attrs {
	k, _ := kinds("fake", kind)
	var out []resource.Attr
	for _, a := range k.Attrs {
		ref := a.RefKind
		if a.Elem != nil {
			ref = a.Elem.RefKind
		}
		switch {
		case ref == "":
			out = append(out, resource.Attr{Name: a.Name, Value: word("there " + a.Name)})
		case a.Type == resource.TSet:
			l := resource.List{}
			for _, id := range ids[ref] {
				if rapid.Bool().Draw(t, "has disk") {
					l = append(l, resource.String(id))
				}
			}
			out = append(out, resource.Attr{Name: a.Name, Value: l})
		case len(ids[ref]) > 0:
			out = append(out, resource.Attr{Name: a.Name, Value: resource.String(rapid.SampledFrom(ids[ref]).Draw(t, "there "+a.Name))})
		}
	}
	return resource.NewAttrs(out...)
}

// blind gives the scene with one scope failed; what was read before the failure may still
// lie in the world, where nobody may look at it.
func (s scene) blind(place string) scene {
	scope := resource.Scope{Provider: "fake", Place: place}
	seen, failed := map[resource.Scope]resource.Snapshot{}, map[resource.Scope]error{scope: errors.New("page 2 failed")}
	for k, v := range s.world.Seen {
		if k == scope {
			v.Objects = v.Objects[:len(v.Objects)/2]
		}
		seen[k] = v
	}
	return scene{s.intents, resource.World{Seen: seen, Failed: failed}}
}

// unlooked gives the scene with one scope nobody looked at.
func (s scene) unlooked(place string) scene {
	out := s.blind(place)
	out.world.Failed = nil
	delete(out.world.Seen, resource.Scope{Provider: "fake", Place: place})
	return out
}

// bytesOf writes a plan in full, but for the places of wishes in their files.
func bytesOf(t rapid.TB, p decider.Plan) string {
	t.Helper()
	p.Decisions = slices.Clone(p.Decisions)
	for i := range p.Decisions {
		if w := p.Decisions[i].Wanted; w != nil {
			moved := *w
			moved.At = resource.Position{}
			p.Decisions[i].Wanted = &moved
		}
	}
	b, err := json.MarshalIndent(p, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
